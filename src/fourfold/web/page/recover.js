/* Recover: sizes and scores as they are typed. */
import { problem, question } from "./answer.js";
import { $, say, word } from "./dom.js";
import { build, errorAt, pairs } from "./form.js";
import { review } from "./review.js";
import { inputs, rowsIn } from "./rows.js";

const SIZES = ["positives", "negatives", "total"];
const OPTIONS = ["rounding", "undefined", "max_total"];
const plain = (text) => text.trim().toLowerCase();

export function recover(panel, parameters, setLink) {
  const form = panel.querySelector("form");
  const list = $("r-scores");
  const rows = rowsIn(list, "score-row", () => self.changed());
  const fields = build(form, parameters.recover || [], () => self.changed());
  const given = () => pairs(fields, [...SIZES, ...OPTIONS]);
  const typed = () => rows.all().map((row) => [row, ...inputs(row)]);
  const scores = () => typed().map(([, name, text]) => [name.value.trim(), text.value])
    .filter(([name, text]) => name && text.trim());

  /** A row without name or text is not counted yet, and says so. */
  function mark() {
    for (const [row, name, text] of typed()) {
      row.querySelector(".pending")?.remove();
      const half = Boolean(name.value.trim()) !== Boolean(text.value.trim());
      if (!half || row.contains(document.activeElement)) continue;
      const note = Object.assign(document.createElement("span"), { className: "pending" });
      row.append(say(note, word(name.value.trim() ? "no-number" : "no-name")));
    }
  }

  function read() {
    mark();
    if (!scores().length) return null;
    const names = [...given(), ...scores()].map(([name]) => name);
    const twice = names.find((name, i) => names.indexOf(name) < i);
    if (twice) throw problem(twice, "twice");
    return ["recover", Object.fromEntries([...given(), ...scores()])];
  }

  function refuse(error) {
    if (SIZES.includes(error.argument)) return false;
    const found = typed().filter(([, name]) => name.value.trim() && plain(name.value) === plain(String(error.argument)));
    if (!found.length) return false;
    const [row, name, text] = found.at(-1);
    errorAt([/metric|ambiguous/.test(error.code || "ambiguous") ? name : text], (note) => row.append(note), error);
    return true;
  }

  function byKey(event) {
    const row = event.target.closest("li");
    const [name, text] = inputs(row);
    if (event.key === "Enter" && event.target.matches("input")) {
      event.preventDefault();
      if (event.target === name) text.focus();
      else inputs(row.nextElementSibling || rows.add([], row))[0].focus();
    }
    const emptied = event.target === name && !name.value && !text.value;
    if (event.key === "Backspace" && emptied && list.children.length > 1) { event.preventDefault(); rows.remove(row); }
  }

  const link = () => setLink(new URLSearchParams([...given(), ...scores()]).toString());
  const self = question(panel, { read, link, refuse });
  form.addEventListener("input", self.changed);
  list.addEventListener("keydown", byKey);
  list.addEventListener("focusout", () => setTimeout(mark, 0));
  $("r-add").addEventListener("click", () => inputs(rows.add())[0].focus());
  review($("r-drop"), $("r-review"), () => pairs(fields, OPTIONS));

  return (query) => {
    const own = [...SIZES, ...OPTIONS];
    for (const name of own) fields[name].set(query.getAll(name).slice(0, 1));
    list.replaceChildren();
    const seen = new Set();
    for (const [name, text] of query) {
      if (!own.includes(name) || seen.has(name)) rows.add([name, text]);
      seen.add(name);
    }
    while (list.children.length < 2) rows.add();
    if (pairs(fields, OPTIONS).length) $("r-options").open = true;
    self.now();
  };
}
