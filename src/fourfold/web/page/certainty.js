/* Certainty: one file of probabilities, or two beside each other. */
import { question } from "./answer.js";
import { $, columnsOf, copyOf, dropZone, options, say, word } from "./dom.js";
import { build, pairs } from "./form.js";
import { guess } from "./groups.js";

const FIELDS = ["truth", "probabilities", "metrics", "by", "prediction", "convention"];
const MOST_FILES = 2;

export function certainty(panel, parameters, setLink) {
  const form = panel.querySelector("form");
  const fields = build(form, parameters.certainty || [], () => self.changed());
  const usual = panel.querySelector("[data-field=probabilities]").dataset.usual;
  let files = [];

  function read() {
    if (!files.length || ["truth", "probabilities"].some((name) => !fields[name].get().length)) return null;
    const made = new FormData();
    for (const file of files) made.append("file", file, file.name);
    for (const [name, text] of pairs(fields, FIELDS)) made.append(name, text);
    return ["certainty", made];
  }

  function showFiles() {
    $("c-chosen").replaceChildren(...files.map((file) => {
      const item = copyOf("file");
      say(item.querySelector("span"), file.name);
      item.querySelector("button").setAttribute("aria-label", word("remove", file.name));
      item.querySelector("button").addEventListener("click", () => {
        files = files.filter((other) => other !== file);
        showFiles();
        self.now();
      });
      return item;
    }));
  }

  async function take(given) {
    const kept = files.filter((file) => !given.some(({ name }) => name === file.name));
    files = [...kept, ...given].slice(-MOST_FILES);
    showFiles();
    const columns = await columnsOf(files[0]);
    options("c-columns", columns);
    if (columns.length && !columns.includes(fields.truth.get()[0])) fields.truth.set([guess(columns, "truth")]);
    self.now();
    if (!fields.truth.get().length) $("c-truth").focus();
  }

  const link = () => setLink(new URLSearchParams(
    pairs(fields, FIELDS).filter(([name, text]) => name !== "probabilities" || text !== usual),
  ).toString());
  const self = question(panel, { read, link, wait: () => 350 });
  form.addEventListener("input", self.changed);
  dropZone($("c-drop"), take);

  return (query) => {
    for (const name of FIELDS) fields[name].set(query.getAll(name));
    if (!query.get("probabilities")) fields.probabilities.set([usual]);
    if (["prediction", "convention", "by"].some((name) => query.get(name))) $("c-options").open = true;
    if (!query.size) { files = []; showFiles(); }
    self.now();
  };
}
