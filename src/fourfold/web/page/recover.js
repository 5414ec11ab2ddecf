/* Recover: sizes and scores as they are typed. */
import { problem, question } from "./answer.js";
import { $, twiceIn } from "./dom.js";
import { build, fill, inputs, pairs, rowsIn } from "./form.js";

export function recover(panel, parameters, setLink) {
  const [form, list] = [panel.querySelector("form"), $("r-scores")];
  const self = question(panel, { read, link: given }, setLink);
  const rows = rowsIn(list, "score-row", $("r-add"), self.changed);
  const fields = build(form, parameters.recover, self.changed);
  function given() {
    const scores = [...list.children].map((row) => {
      const [name, text] = inputs(row).map(({ value }) => value);
      return [row.dataset.argument = name.trim(), text];
    });
    return [...pairs(fields, Object.keys(fields)), ...scores.filter(([name, text]) => name && text.trim())];
  }
  function read() {
    const names = given().map(([name]) => name);
    if (names.every((name) => Object.hasOwn(fields, name))) return null;
    if (twiceIn(names)) throw problem(twiceIn(names), "twice");
    return ["recover", Object.fromEntries(given())];
  }
  function byKey(event) {
    const row = event.target.closest("li");
    const [name, text] = inputs(row);
    const emptied = event.target === name && !name.value && !text.value && list.children.length > 1;
    if (event.key === "Enter" && event.target.matches("input")) {
      event.preventDefault();
      (event.target === name ? text : inputs(row.nextElementSibling ?? rows.add())[0]).focus();
    } else if (event.key === "Backspace" && emptied) { event.preventDefault(); rows.remove(row); }
  }
  form.addEventListener("input", self.changed);
  list.addEventListener("keydown", byKey);
  function load(query) {
    list.replaceChildren();
    fill(form, fields, query);
    for (const [name, text] of query) if (!Object.hasOwn(fields, name)) rows.add([name, text]);
    while (list.children.length < 2) rows.add();
    self.now();
  }
  return { load };
}
