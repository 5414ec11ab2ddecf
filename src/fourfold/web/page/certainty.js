/* Certainty: one file of probabilities, or two beside each other. */
import { question } from "./answer.js";
import { $, columnsOf, dropZone, fileList, formOf } from "./dom.js";
import { build, fill, pairs } from "./form.js";
import { guess } from "./groups.js";

export function certainty(panel, parameters, setLink) {
  const form = panel.querySelector("form");
  const self = question(panel, { read, link: () => given() }, setLink);
  const fields = build(form, parameters.certainty, self.changed);
  const files = fileList($("c-chosen"), self.now);
  const given = () => pairs(fields, Object.keys(fields));
  function read() {
    return files.get().length && fields.truth.get().length ? ["certainty", formOf(files.get(), given())] : null;
  }
  async function take(added) {
    files.add(added, 2);
    const columns = await columnsOf(files.get()[0], "c-columns");
    if (columns.length) guess(fields.truth, columns, panel.dataset.truth);
    self.now();
    if (!fields.truth.get().length) $("c-truth").focus();
  }
  form.addEventListener("input", self.changed);
  dropZone($("c-drop"), take);
  return (query) => {
    fill(form, fields, query);
    if (!query.size) files.set([]);
    self.now();
  };
}
