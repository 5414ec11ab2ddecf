/* Groups: tables that are typed or pasted, or a file of predictions. */
import { problem, question } from "./answer.js";
import { $, delimited, say, suggest, textOf, twiceIn, word } from "./dom.js";
import { build, fill, inputs, pairs, rowsIn } from "./form.js";
import { intake } from "./intake.js";

const CELLS = ["tp", "fn", "fp", "tn"];
const OF_FILE = ["truth", "prediction", "score", "threshold", "by", "positive"];
const OF_BOTH = ["metric", "reference", "level", "strength"];

/** Put copied cells into rows, from a field on; a header tells which column is which. */
function paste(text, target, next) {
  let cells = delimited(text);
  let row = target.closest("tr");
  let start = inputs(row).indexOf(target);
  const heads = cells[0].map((name) => name.toLowerCase());
  if (CELLS.every((name) => heads.includes(name))) {
    const order = [heads.findIndex((name) => !CELLS.includes(name)), ...CELLS.map((name) => heads.indexOf(name))];
    cells = cells.slice(1).map((line) => order.map((at) => line[at] ?? ""));
    start = 0;
  }
  for (const [i, line] of cells.entries()) {
    if (i) row = next(row);
    // Counts lose the marks between thousands.
    const plain = (value, at) => (at && /^\d{1,3}([ ,]\d{3})+$/.test(value) ? value.replace(/[ ,]/g, "") : value);
    inputs(row).slice(start).forEach((input, at) => { input.value = plain(line[at] ?? input.value, start + at); });
  }
}

/** The strength of smoothing: a slider, and a box that leaves it to the groups. */
function strengthField(slider, auto, shown) {
  return {
    get: () => (auto.checked ? [] : [slider.value]),
    set([wanted = auto.value]) { auto.checked = wanted === auto.value; if (!auto.checked) slider.value = wanted; },
    show() { say(shown, auto.checked ? word("learnt") : slider.value); slider.disabled = auto.checked; },
  };
}

export function groups(panel, parameters, setLink, elsewhere) {
  const [form, list] = [panel.querySelector("form"), $("g-rows")];
  const source = form.elements["g-source"];
  const self = question(panel, { read, link, stopped: () => material.stop() }, setLink);
  const rows = rowsIn(list, "group-row", $("g-add"), self.changed);
  const strength = strengthField($("g-strength"), $("g-auto"), $("g-strength-shown"));
  const fields = { ...build(form, parameters.audit, self.changed), strength };
  const material = intake(form, seen, elsewhere, self);
  const typed = () => [...list.rows].map((row, i) => {
    const [name, ...cells] = inputs(row).map((input) => input.value.trim());
    inputs(row)[0].placeholder = word("group", i + 1);
    row.dataset.argument = name || word("group", i + 1);
    return { name: row.dataset.argument, cells };
  }).filter(({ cells }) => cells.every(Boolean));
  function readTables() {
    const names = typed().map(({ name }) => name);
    if (twiceIn(names)) throw problem("groups", "group-twice", twiceIn(names));
    const counts = (cells) => cells.map((text, i) => [CELLS[i], /^\d{1,15}$/.test(text) ? Number(text) : text]);
    const tables = typed().map(({ name, cells }) => [name, Object.fromEntries(counts(cells))]);
    const given = Object.fromEntries([["groups", Object.fromEntries(tables)], ...pairs(fields, OF_BOTH.slice(1))]);
    return names.length ? ["audit-tables", { ...given, metrics: fields.metric.get() }] : null;
  }
  function read() {
    if (source.value !== "file") return readTables();
    const files = material.get();
    const predicted = ["prediction", "score"].some((name) => fields[name].get().length);
    if (!files.length || !predicted || ["truth", "by"].some((name) => !fields[name].get().length)) return null;
    return ["audit", { files, pairs: pairs(fields, [...OF_FILE, ...OF_BOTH]) }];
  }
  function link() {
    const given = pairs(fields, [...(source.value === "file" ? OF_FILE : []), ...OF_BOTH]);
    const more = material.link();
    if (source.value === "file") return given.length || more.length ? [["source", "file"], ...given, ...more] : [];
    return [...typed().map(({ name, cells }) => ["group", [...cells, name].join(",")]), ...given];
  }
  function byKey(event) {
    const row = event.target.closest("tr");
    const column = inputs(row).indexOf(event.target);
    if (column < 0 || !["Enter", "ArrowDown", "ArrowUp"].includes(event.key)) return;
    event.preventDefault();
    let next = event.key === "ArrowUp" ? row.previousElementSibling : row.nextElementSibling;
    if (event.key === "Enter") next ??= rows.add();
    if (next) inputs(next)[event.key === "Enter" && column === CELLS.length ? 0 : column].focus();
  }
  /** Put what columns are into the fields; a score wants a threshold. */
  function put(roles, threshold) {
    const named = (role) => roles.filter(([, own]) => own === role).map(([name]) => name);
    const [truth, prediction, score] = ["truth", "prediction", "score"].map((role) => named(role).slice(0, 1));
    fields.truth.set(truth);
    fields.prediction.set(prediction);
    fields.score.set(prediction.length ? [] : score);
    fields.by.set(named("group"));
    const kept = fields.threshold.get();
    const wanted = threshold === null ? [] : [String(threshold)];
    fields.threshold.set(prediction.length || !score.length ? [] : kept.length ? kept : wanted);
  }
  const fillRows = (tables) => {
    list.replaceChildren();
    for (const [name, cells] of Object.entries(tables)) rows.add([name, ...CELLS.map((cell) => cells[cell])]);
  };
  let middle = null;
  function seen(found) {
    source.value = found?.content === "tables" ? "tables" : "file";
    if (found?.content === "tables") fillRows(found.groups);
    else if (found) {
      const names = suggest("g-columns", found.columns.map(({ name }) => name));
      suggest("g-labels", found.labels);
      middle = found.threshold;
      const [truth] = fields.truth.get();
      if (fields.positive.get().some((label) => !found.labels.includes(label))) fields.positive.set([]);
      if (!names.includes(truth)) put(found.columns.map(({ name, role }) => [name, role]), middle);
    }
    self.forget();
    self.now();
  }
  material.onChoice((choice) => {
    if (choice.value === "truth") fields.positive.set([]);
    put(material.roles(), middle);
    self.now();
  });
  form.addEventListener("input", () => { strength.show(); self.changed(); });
  form.addEventListener("focusin", () => suggest("g-references", [...panel.querySelectorAll(".ask")].map(textOf)));
  list.addEventListener("keydown", byKey);
  list.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text").trimEnd();
    if (!/[\t\n\r,;]/.test(text)) return;
    event.preventDefault();
    paste(text, event.target, (row) => row.nextElementSibling ?? rows.add());
    self.changed();
  });
  function load(query) {
    list.replaceChildren();
    const cells = query.getAll("group").map((text) => text.split(","));
    for (const [tp, fn, fp, tn, ...name] of cells) rows.add([name.join(","), tp, fn, fp, tn]);
    while (list.rows.length < 3) rows.add();
    fill(form, fields, query);
    source.value = query.get("source") === "file" ? "file" : "tables";
    material.fromLink(query);
    self.forget();
    strength.show();
    if (query.get("text")) material.look(); else self.now();
  }
  function take(found) {
    for (const name of OF_FILE) fields[name].set([]);
    source.value = "file";
    material.set(found);
    material.look();
  }
  return { load, take };
}
