/* Certainty: one table of probabilities, or two beside each other. */
import { question } from "./answer.js";
import { suggest } from "./dom.js";
import { build, fill, pairs } from "./form.js";
import { intake } from "./intake.js";

export function certainty(panel, parameters, setLink, elsewhere) {
  const form = panel.querySelector("form");
  const self = question(panel, { read, link, stopped: () => material.stop() }, setLink);
  const fields = build(form, parameters.certainty, self.changed);
  const material = intake(form, seen, elsewhere, self);
  const given = () => pairs(fields, Object.keys(fields));
  function read() {
    const files = material.get();
    return files.length && fields.truth.get().length ? ["certainty", { files, pairs: given() }] : null;
  }
  function link() { return [...given(), ...material.link()]; }
  /** Put what columns are into the fields; a single score is the probability of one of two classes. */
  function put(roles) {
    const named = (role) => roles.filter(([, own]) => own === role).map(([name]) => name);
    const [truth, shares] = [named("truth"), named("probability")];
    fields.truth.set(truth.slice(0, 1));
    fields.probabilities.set(shares.length ? [shares.join(",")] : named("score").slice(0, 1));
  }
  function seen(found) {
    if (found) {
      suggest("c-columns", found.columns.map(({ name }) => name));
      const kept = fields.truth.get().every((name) => found.columns.some((column) => column.name === name));
      if (!kept || !fields.truth.get().length) put(found.columns.map(({ name, role }) => [name, role]));
    }
    self.forget();
    self.now();
  }
  material.onChoice(() => { put(material.roles()); self.now(); });
  form.addEventListener("input", self.changed);
  function load(query) {
    fill(form, fields, query);
    material.fromLink(query);
    if (query.get("text")) material.look(); else self.now();
  }
  function take(found) {
    for (const name of ["truth", "probabilities"]) fields[name].set([]);
    material.set(found);
    material.look();
  }
  return { load, take };
}
