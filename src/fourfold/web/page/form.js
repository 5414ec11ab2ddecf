/* Fields of a form, made from the parameters of its question; errors stand beside the field they are about. */
import { copyOf, filled, removable, say } from "./dom.js";

/** Several names: each becomes a chip; Enter, a chosen suggestion or leaving the field adds one. */
function chips(field, changed) {
  const holder = Object.assign(document.createElement("div"), { className: "chips" });
  let names = [];
  function set(given) {
    names = [...new Set(given.filter(Boolean))];
    const without = (name) => () => change(names.filter((other) => other !== name));
    holder.replaceChildren(...names.map((name) => removable("chip", name, without(name))), field);
  }
  function change(given, focused = true) {
    set(given);
    if (focused) field.focus();
    changed();
  }
  function add() {
    const [name, focused] = [field.value.trim(), document.activeElement === field];
    field.value = "";
    if (name) change([...names, name], focused);
  }
  field.replaceWith(holder);
  set([]);
  field.addEventListener("change", add);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); add(); }
    if (event.key === "Backspace" && !field.value && names.length) change(names.slice(0, -1));
  });
  field.addEventListener("input", (event) => {
    event.stopPropagation();
    const typed = /^(?!insertReplacementText)insert/.test(event.inputType ?? "");
    if (!typed && [...(field.list?.options ?? [])].some((option) => option.value === field.value)) add();
  });
  return { get: () => names, set };
}

/** One value; nothing is given where it is the usual one. */
function single(field, usual, choices) {
  field.append(...choices.map(({ value, label }) => new Option(label, value)));
  return {
    get: () => [field.value.trim()].filter((text) => text !== usual),
    set([text = usual]) {
      if (choices.length && !choices.some(({ value }) => value === text)) field.append(new Option(text, text));
      field.value = text;
    },
  };
}

function control(place, { name, label, choices = [], many, default: usual }, changed) {
  const field = document.createElement(choices.length ? "select" : "input");
  const title = say(document.createElement("label"), label ?? name);
  field.id = title.htmlFor = `${place.closest("form").id[0]}-${name.replace("_", "-")}`;
  place.dataset.argument = name;
  place.prepend(title, field);
  const placeholder = place.dataset.placeholder ?? usual ?? "";
  Object.assign(field, { spellcheck: false, placeholder }).setAttribute("list", place.dataset.list);
  return many ? chips(field, changed) : single(field, choices.length ? String(usual) : "", choices);
}

/** Make the fields that a form has places for; return them by name. */
export function build(form, parameters = [], changed) {
  return Object.fromEntries([...form.querySelectorAll("[data-field]")].map((place) => {
    const { field: name } = place.dataset;
    return [name, control(place, parameters.find((parameter) => parameter.name === name) ?? { name }, changed)];
  }));
}

/** Put what a link holds into the fields, and open the options that it holds. */
export function fill(form, fields, query) {
  for (const name in fields) fields[name].set(query.getAll(name));
  for (const place of form.querySelectorAll("details [data-field]")) {
    if (fields[place.dataset.field].get().length) place.closest("details").open = true;
  }
}

/** What is given in some fields, as pairs of a name and a text. */
export const pairs = (fields, names) => names.flatMap((name) => fields[name].get().map((text) => [name, text]));

export const inputs = (row) => [...row.querySelectorAll("input")];

/** Rows in a list, made from a template; `changed` is told of every row that comes or goes. */
export function rowsIn(list, template, button, changed) {
  function add(values = []) {
    const row = copyOf(template);
    inputs(row).forEach((input, i) => { input.value = values[i] ?? ""; });
    list.append(row);
    changed();
    return row;
  }
  function remove(row) {
    const near = row.previousElementSibling ?? row.nextElementSibling;
    row.remove();
    inputs(near ?? add())[0].focus();
    changed();
  }
  list.addEventListener("click", ({ target }) => { if (target.closest(".icon")) remove(target.closest("li, tr")); });
  button.addEventListener("click", () => inputs(add())[0].focus());
  return { add, remove };
}

let errors = 0;

export function clearErrors(panel) {
  for (const note of panel.querySelectorAll(".error[id]")) note.remove();
  for (const name of ["aria-invalid", "aria-describedby"]) {
    for (const field of panel.querySelectorAll(`form [${name}]`)) field.removeAttribute(name);
  }
}

/** Show an error by the field that its argument names; tell whether there is one. */
export function errorBeside(panel, { code = "ambiguous", argument, ...error }) {
  const metric = /^(unknown|bad)_metric$/.test(code);
  // A metric that is not known is called by what was typed.
  const names = metric ? ["metric", argument] : [argument];
  const seen = (place) => names.includes(place.dataset.argument) && (place.offsetParent || place.closest("details"));
  const places = [...panel.querySelectorAll("[data-argument]")].filter(seen);
  const place = places.find((one) => one.querySelector(":invalid")) ?? places.at(-1);
  if (!place) return false;
  const note = Object.assign(filled("error", error), { id: `error-${errors += 1}` });
  const about = metric || code === "ambiguous" ? "input, select" : ".score-text, input:only-of-type, select";
  const field = place.querySelector(about);
  if (place.matches("li")) place.append(note);
  else (place.closest(".row, .scroll") ?? place).after(note);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", note.id);
  if (field.closest("details")) field.closest("details").open = true;
  return true;
}
