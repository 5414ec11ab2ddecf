/* Check: what is pasted, dropped or typed is read and judged; sizes hold for what it does not say. */
import { question } from "./answer.js";
import { $, copyOf, delimited } from "./dom.js";
import { build, fill, inputs, pairs, rowsIn } from "./form.js";
import { intake } from "./intake.js";

/** A table to type: a row for each method, a column for each score. */
function grid(changed) {
  const [heads, list] = [$("k-heads"), $("k-rows")];
  const rows = rowsIn(list, "method-row", $("k-add"), widen);
  const names = () => inputs(heads).map(({ value }) => value.trim());
  function widen() {
    for (const row of list.rows) {
      while (row.cells.length < heads.cells.length) row.lastElementChild.before(copyOf("score-cell"));
      inputs(row).slice(1).forEach((input, at) => input.setAttribute("aria-label", names()[at] || `${at + 1}`));
    }
    changed();
  }
  function addHead(name = "") {
    const head = copyOf("score-head");
    head.firstElementChild.value = name;
    heads.lastElementChild.before(head);
    widen();
    return head.firstElementChild;
  }
  function set(texts) {
    const [first = ["", ...heads.dataset.usual.split(" ")], ...rest] = texts;
    heads.querySelectorAll("td:has(input)").forEach((cell) => cell.remove());
    list.replaceChildren();
    first.slice(1).forEach(addHead);
    for (const row of rest.length ? rest : [[]]) {
      const made = inputs(rows.add());
      row.forEach((text, at) => { if (made[at]) made[at].value = text; });
    }
  }
  $("k-add-score").addEventListener("click", () => addHead().focus());
  for (const part of [heads, list]) {
    part.addEventListener("paste", (event) => {
      const cells = delimited(event.clipboardData.getData("text").trimEnd());
      if (cells.length < 2 || cells[0].length < 2) return;
      event.preventDefault();
      set(cells);
    });
  }
  list.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("input")) return;
    event.preventDefault();
    const own = inputs(event.target.closest("tr"));
    const next = own[own.indexOf(event.target) + 1];
    (next ?? inputs(event.target.closest("tr").nextElementSibling ?? rows.add())[0]).focus();
  });
  heads.addEventListener("input", widen);
  const body = () => [...list.rows].map((row) => inputs(row).map(({ value }) => value.trim()));
  return {
    set,
    /** What is typed as text with tabs; empty where no score is. */
    text() {
      const filled = body().filter((row) => row.slice(1).some(Boolean));
      return filled.length ? [["method", ...names()], ...filled].map((row) => row.join("\t")).join("\n") : "";
    },
  };
}

export function check(panel, parameters, setLink, elsewhere) {
  const form = panel.querySelector("form");
  const source = form.elements["k-source"];
  const self = question(panel, { read, link, chosen, answered }, setLink);
  const fields = build(form, parameters.check, self.changed);
  const given = () => pairs(fields, Object.keys(fields));
  const material = intake(form, self.changed, elsewhere, self);
  const typed = grid(self.changed);
  // What columns are said to be, by their heads.
  const said = new Map();
  const isTyped = () => source.value === "type";
  const mapped = () => [...said].map(([head, meaning]) => ["map", `${head}=${meaning}`]);
  function read() {
    const text = isTyped() && typed.text();
    const files = isTyped() ? [text && new File([text], "typed.tsv")].filter(Boolean) : material.get();
    return files.length ? ["check", { files, pairs: [...given(), ...mapped()] }] : null;
  }
  function link() {
    if (isTyped()) return [["source", "type"], ["text", typed.text()], ...given(), ...mapped()];
    return [...given(), ...mapped(), ...material.link()];
  }
  function chosen({ dataset, value }) {
    if (value) said.set(dataset.of, value); else said.delete(dataset.of);
    self.now();
  }
  function answered(page) { if (page && !page.answer.findings.length && !isTyped()) material.suggest(); }
  form.addEventListener("input", self.changed);
  function load(query) {
    said.clear();
    fill(form, fields, query);
    for (const pair of query.getAll("map")) {
      const cut = pair.lastIndexOf("=");
      said.set(pair.slice(0, cut), pair.slice(cut + 1));
    }
    source.value = query.get("source") === "type" ? "type" : "paste";
    typed.set(isTyped() && query.get("text") ? delimited(query.get("text")) : []);
    if (isTyped()) material.set({}); else material.fromLink(query);
    self.now();
  }
  return { load, take(found) { source.value = "paste"; material.set(found); self.now(); } };
}
