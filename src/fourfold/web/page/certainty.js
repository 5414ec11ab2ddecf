/* Certainty: one file of probabilities, or two beside each other. */
import { question } from "./answer.js";
import { $, columnsOf, dropZone, formOf, removable } from "./dom.js";
import { build, fill, pairs } from "./form.js";
import { guess } from "./groups.js";

export function certainty(panel, parameters, setLink) {
  const form = panel.querySelector("form");
  const self = question(panel, { read, link }, setLink);
  const fields = build(form, parameters.certainty, self.changed);
  const given = () => pairs(fields, Object.keys(fields));
  let files = [];
  function read() {
    if (!files.length || !fields.truth.get().length) return null;
    return ["certainty", formOf(files, given())];
  }

  function link() {
    return given();
  }

  function show(wanted) {
    files = wanted;
    $("c-chosen").replaceChildren(...files.map((file) => removable("file", file.name, () => {
      show(files.filter((other) => other !== file));
      self.now();
    })));
  }

  async function take(added) {
    show([...files.filter((file) => !added.some(({ name }) => name === file.name)), ...added].slice(-2));
    const columns = await columnsOf(files[0], "c-columns");
    if (columns.length) guess(fields.truth, columns, panel.dataset.truth);
    self.now();
    if (!fields.truth.get().length) $("c-truth").focus();
  }

  form.addEventListener("input", self.changed);
  dropZone($("c-drop"), take);

  return (query) => {
    fill(form, fields, query);
    if (!query.size) show([]);
    self.now();
  };
}
