/* Check: what is pasted or dropped is read and judged; sizes hold for what it does not say. */
import { question } from "./answer.js";
import { $, dropZone, fileList, formOf } from "./dom.js";
import { build, fill, pairs } from "./form.js";

const LONGEST = 1500;
export function check(panel, parameters, setLink) {
  const [form, text] = [panel.querySelector("form"), $("k-text")];
  const self = question(panel, { read, link }, setLink);
  const fields = build(form, parameters.check, self.changed);
  const given = () => pairs(fields, Object.keys(fields));
  // Cells that a spreadsheet or a browser copies come as HTML beside their text.
  let [copied, cells] = ["", ""];
  const files = fileList($("k-chosen"), self.now);
  function read() {
    const typed = cells ? new File([cells], "pasted.html") : new File([text.value], "pasted.txt");
    const all = [...(text.value.trim() ? [typed] : []), ...files.get()];
    return all.length ? ["check", formOf(all, given())] : null;
  }
  function link() {
    return [...given(), ...[["text", text.value]].filter(([, { length }]) => length && length < LONGEST)];
  }
  text.addEventListener("paste", ({ clipboardData }) => { copied = clipboardData.getData("text/html"); });
  text.addEventListener("input", () => { [cells, copied] = [/<table/i.test(copied) ? copied : "", ""]; });
  form.addEventListener("input", self.changed);
  dropZone($("k-drop"), (added) => { files.add(added); self.now(); });
  return (query) => {
    fill(form, fields, query);
    text.value = query.get("text") ?? "";
    cells = "";
    if (!query.size) files.set([]);
    self.now();
  };
}
