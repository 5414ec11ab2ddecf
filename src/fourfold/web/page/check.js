/* Check: what is pasted or dropped is read and judged; sizes hold for what it does not say. */
import { question } from "./answer.js";
import { $, dropZone, formOf, removable } from "./dom.js";
import { build, fill, pairs } from "./form.js";

const LONGEST = 1500;

export function check(panel, parameters, setLink) {
  const form = panel.querySelector("form");
  const text = $("k-text");
  const self = question(panel, { read, link }, setLink);
  const fields = build(form, parameters.check, self.changed);
  const given = () => pairs(fields, Object.keys(fields));
  // Cells that a spreadsheet or a browser copies come as HTML beside their text.
  let [files, copied, cells] = [[], "", ""];
  function read() {
    const typed = cells ? new File([cells], "pasted.html") : new File([text.value], "pasted.txt");
    const all = [...(text.value.trim() ? [typed] : []), ...files];
    return all.length ? ["check", formOf(all, given())] : null;
  }

  function link() {
    return [...given(), ...[["text", text.value]].filter(([, { length }]) => length && length < LONGEST)];
  }
  function show(wanted) {
    files = wanted;
    const without = (file) => () => { show(files.filter((other) => other !== file)); self.now(); };
    $("k-chosen").replaceChildren(...files.map((file) => removable("file", file.name, without(file))));
  }

  text.addEventListener("paste", ({ clipboardData }) => { copied = clipboardData.getData("text/html"); });
  text.addEventListener("input", () => { [cells, copied] = [/<table/i.test(copied) ? copied : "", ""]; });
  form.addEventListener("input", self.changed);
  dropZone($("k-drop"), (added) => {
    show([...files.filter((file) => !added.some(({ name }) => name === file.name)), ...added]);
    self.now();
  });

  return (query) => {
    fill(form, fields, query);
    text.value = query.get("text") ?? "";
    cells = "";
    if (!query.size) show([]);
    self.now();
  };
}
