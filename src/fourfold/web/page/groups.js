/* Groups: tables that are typed or pasted, or a file of predictions. */
import { problem, question } from "./answer.js";
import { $, columnsOf, delimited, delimiterOf, dropZone, options, say, word } from "./dom.js";
import { build, errorAt, pairs } from "./form.js";
import { inputs, rowsIn } from "./rows.js";

const CELLS = ["tp", "fn", "fp", "tn"];
const OF_FILE = ["truth", "prediction", "by", "positive"];
const OF_BOTH = ["metrics", "reference", "level"];
const USUAL = { strength: "10" };
/* Usual names of columns. */
const KNOWN = {
  truth: ["truth", "y", "y_true", "actual", "label", "target"],
  prediction: ["prediction", "yhat", "y_hat", "y_pred", "pred", "predicted"],
};

export const guess = (columns, name) => columns.find((column) => KNOWN[name].includes(column.trim().toLowerCase())) ?? "";

/** Put copied cells into rows; a header tells which column is which. */
function paste(text, target, row, next) {
  let cells = delimited(text, delimiterOf(text)).map((line) => line.map((cell) => cell.trim()));
  const heads = cells[0].map((name) => name.toLowerCase());
  let start = inputs(row).indexOf(target);
  if (CELLS.every((name) => heads.includes(name))) {
    const order = [heads.findIndex((name) => !CELLS.includes(name)), ...CELLS.map((name) => heads.indexOf(name))];
    cells = cells.slice(1).map((line) => order.map((at) => line[at] ?? ""));
    start = 0;
  }
  for (const line of cells) {
    inputs(row).slice(start).forEach((input, i) => {
      if (line[i] === undefined) return;
      // Counts lose the marks between thousands.
      const count = start + i > 0 && /^\d{1,3}([ ,]\d{3})+$/.test(line[i]);
      input.value = count ? line[i].replace(/[ ,]/g, "") : line[i];
    });
    if (line !== cells.at(-1)) row = next(row);
  }
}

export function groups(panel, parameters, setLink) {
  const form = panel.querySelector("form");
  const list = $("g-rows");
  const [strength, auto] = [$("g-strength"), $("g-auto")];
  const rows = rowsIn(list, "group-row", () => { name(); self.changed(); });
  const fields = build(form, parameters.audit || [], () => self.changed());
  const ofFile = () => form.querySelector("[name=g-source]:checked").value === "file";
  let file = null;

  const name = () => rows.all().forEach((row, i) => { inputs(row)[0].placeholder = word("group", i + 1); });
  const add = (values, after) => { const row = rows.add(values, after); name(); return row; };
  const chosenStrength = () => (auto.checked ? "auto" : strength.value);
  const typed = () => rows.all().map((row) => {
    const [label, ...cells] = inputs(row).map((input) => input.value.trim());
    return { row, label, name: label || inputs(row)[0].placeholder, cells, full: cells.every(Boolean) };
  });
  const counted = () => typed().filter(({ full }) => full);

  function showChoices() {
    $("g-tables").hidden = ofFile();
    $("g-file-part").hidden = !ofFile();
    say($("g-strength-shown"), auto.checked ? word("learnt") : strength.value);
    strength.disabled = auto.checked;
  }

  function readTables() {
    for (const { row, label, cells, full } of typed()) {
      const begun = !full && (label || cells.some(Boolean));
      for (const input of inputs(row).slice(1)) input.placeholder = begun ? "?" : "";
    }
    const found = counted();
    const names = found.map((group) => group.name);
    const twice = names.find((one, i) => names.indexOf(one) < i);
    if (twice) throw problem("groups", "group-twice", twice);
    const value = (text) => (/^\d{1,15}$/.test(text) ? Number(text) : text);
    const tables = found.map((group) => [group.name, Object.fromEntries(CELLS.map((cell, i) => [cell, value(group.cells[i])]))]);
    const given = { groups: Object.fromEntries(tables), strength: auto.checked ? "auto" : Number(strength.value) };
    for (const one of OF_BOTH) if (fields[one].get().length) given[one] = one === "metrics" ? fields[one].get() : fields[one].get()[0];
    return found.length ? ["audit-tables", given] : null;
  }

  function read() {
    if (!ofFile()) return readTables();
    if (!file || ["truth", "prediction", "by"].some((one) => !fields[one].get().length)) return null;
    const made = new FormData();
    made.append("file", file, file.name);
    for (const [one, text] of pairs(fields, [...OF_FILE, ...OF_BOTH])) made.append(one, text);
    made.append("strength", chosenStrength());
    return ["audit", made];
  }

  function link() {
    const tables = () => counted().map((group) => ["group", [...group.cells, group.name].join(",")]);
    const given = [...(ofFile() ? pairs(fields, OF_FILE) : tables()), ...pairs(fields, OF_BOTH)];
    if (chosenStrength() !== USUAL.strength) given.push(["strength", chosenStrength()]);
    if (ofFile() && given.length) given.unshift(["source", "file"]);
    setLink(new URLSearchParams(given).toString());
  }

  function refuse(error) {
    if (ofFile()) return false;
    const found = counted();
    const wrong = (input) => input.dataset.column === error.argument && !/^\d+$/.test(input.value.trim());
    const cell = found.flatMap(({ row }) => inputs(row)).find(wrong);
    const group = found.find((one) => one.name === error.argument);
    if (!cell && !group && error.argument !== "groups") return false;
    const fieldsAt = cell ? [cell] : group ? [inputs(group.row)[0]] : [];
    errorAt(fieldsAt, (note) => $("g-add").before(note), error);
    return true;
  }

  function byKey(event) {
    if (!event.target.matches("input")) return;
    const row = event.target.closest("tr");
    const column = inputs(row).indexOf(event.target);
    const moves = {
      Enter: () => row.nextElementSibling || add([], row),
      ArrowDown: () => row.nextElementSibling,
      ArrowUp: () => row.previousElementSibling,
    };
    const next = moves[event.key]?.();
    if (event.key === "Enter") event.preventDefault();
    if (next) inputs(next)[event.key === "Enter" && column === CELLS.length ? 0 : column].focus();
  }

  async function take([given]) {
    file = given;
    say($("g-chosen"), file.name);
    const columns = await columnsOf(file);
    options("g-columns", columns);
    if (columns.length) {
      for (const one of ["truth", "prediction"]) {
        if (!columns.includes(fields[one].get()[0])) fields[one].set([guess(columns, one)]);
      }
      fields.by.set(fields.by.get().filter((one) => columns.includes(one)));
    }
    form.querySelector("[name=g-source][value=file]").checked = true;
    showChoices();
    self.forget();
    self.now();
    if (!fields.by.get().length) $("g-by").focus();
  }

  const self = question(panel, { read, link, refuse, wait: () => (ofFile() ? 350 : 150) });
  form.addEventListener("input", () => { showChoices(); self.changed(); });
  list.addEventListener("keydown", byKey);
  list.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text").trimEnd();
    if (!/[\t\n\r,;]/.test(text)) return;
    event.preventDefault();
    paste(text, event.target, event.target.closest("tr"), (row) => row.nextElementSibling || add());
    self.changed();
  });
  $("g-add").addEventListener("click", () => inputs(add())[0].focus());
  dropZone($("g-drop"), take);

  return (query) => {
    list.replaceChildren();
    for (const text of query.getAll("group")) {
      const [tp, fn, fp, tn, ...label] = text.split(",");
      add([label.join(","), tp, fn, fp, tn]);
    }
    while (list.rows.length < 3) add();
    for (const one of [...OF_FILE, ...OF_BOTH]) fields[one].set(query.getAll(one));
    const wanted = query.get("strength") || USUAL.strength;
    auto.checked = wanted === "auto";
    strength.value = auto.checked ? USUAL.strength : wanted;
    form.querySelector(`[name=g-source][value=${query.get("source") === "file" ? "file" : "tables"}]`).checked = true;
    if (query.get("reference") || query.get("level")) $("g-options").open = true;
    if (!query.size) { file = null; say($("g-chosen"), ""); }
    self.forget();
    showChoices();
    self.now();
  };
}
