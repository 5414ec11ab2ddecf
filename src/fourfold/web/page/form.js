/* Fields of a form, made from the parameters of its question; errors stand beside the field they are about. */
import { $, copyOf, filled, say, word } from "./dom.js";

/** Several names: each becomes a chip; Enter, a chosen suggestion or leaving the field adds one. */
function chips(field, changed) {
  const holder = document.createElement("div");
  let names = [];
  holder.className = "chips";
  field.replaceWith(holder);
  function show() {
    holder.replaceChildren(...names.map((name) => {
      const chip = copyOf("chip");
      say(chip.querySelector("span"), name);
      chip.querySelector("button").setAttribute("aria-label", word("remove", name));
      chip.querySelector("button").addEventListener("click", () => change(names.filter((other) => other !== name)));
      return chip;
    }), field);
  }
  function change(wanted, focus = true) {
    names = wanted;
    show();
    if (focus) field.focus();
    changed();
  }
  function add() {
    const name = field.value.trim();
    const focused = document.activeElement === field;
    field.value = "";
    if (name) change([...new Set([...names, name])], focused);
  }
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); add(); }
    if (event.key === "Backspace" && !field.value && names.length) change(names.slice(0, -1));
  });
  field.addEventListener("input", (event) => {
    event.stopPropagation();
    const kind = event instanceof InputEvent ? event.inputType : "";
    const typed = kind.startsWith("insert") && kind !== "insertReplacementText";
    if (!typed && [...(field.list?.options || [])].some((option) => option.value === field.value)) add();
  });
  field.addEventListener("change", (event) => { event.stopPropagation(); add(); });
  show();
  return { get: () => names, set: (given) => { names = [...new Set(given.filter(Boolean))]; show(); } };
}

function select(field, choices, fallback) {
  field.append(...choices.map((choice) => new Option(choice.label ?? choice.replaceAll("_", " "), choice.value ?? choice)));
  const values = [...field.options].map((option) => option.value);
  return {
    get: () => (field.value === fallback ? [] : [field.value]),
    set: ([text = fallback]) => {
      if (!values.includes(text)) field.append(say(new Option("", text), text));
      field.value = text;
    },
  };
}

const plainField = (field) => ({
  get: () => (field.value.trim() ? [field.value.trim()] : []),
  set: ([text = ""]) => { field.value = text; },
});

function control(place, { name, label, help, choices, many, default: fallback }, changed) {
  const field = document.createElement(choices?.length && !many ? "select" : "input");
  const title = say(document.createElement("label"), label || name);
  const { list, placeholder, help: hint } = place.dataset;
  field.id = `${place.closest("form").dataset.letter}-${name.replaceAll("_", "-")}`;
  title.htmlFor = field.id;
  place.dataset.argument = name;
  place.append(title, field);
  if (hint !== undefined) place.append(say(Object.assign(document.createElement("p"), { className: "help" }), hint || help));
  if (field.matches("select")) return select(field, choices, String(fallback ?? ""));
  Object.assign(field, { spellcheck: false, autocapitalize: "off", placeholder: placeholder ?? "" });
  if (placeholder === undefined && !many && fallback !== null && fallback !== undefined) field.placeholder = fallback;
  if (list) field.setAttribute("list", list);
  return many ? chips(field, changed) : plainField(field);
}

/** Build the fields that a form has places for; return them by name. */
export function build(form, parameters, changed) {
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  for (const place of form.querySelectorAll("[data-label]")) say(place, known.get(place.dataset.label)?.label ?? "");
  const places = [...form.querySelectorAll("[data-field]")];
  return Object.fromEntries(places.map((place) => {
    const { field: name } = place.dataset;
    return [name, control(place, known.get(name) || { name }, changed)];
  }));
}

/** What is given in some fields, as pairs of a name and a text. */
export const pairs = (fields, names) => names.flatMap((name) => fields[name].get().map((text) => [name, text]));

let errorIds = 0;

export function clearErrors(panel) {
  for (const note of panel.querySelectorAll(".error[data-made]")) note.remove();
  for (const field of panel.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
}

/** Mark fields as wrong and put what is wrong where `place` puts it. */
export function errorAt(fields, place, error) {
  const note = filled("error", error);
  errorIds += 1;
  note.id = `error-${errorIds}`;
  place(note);
  for (const field of fields) {
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", note.id);
    field.closest("details")?.setAttribute("open", "");
  }
}

/** Show an error by the field that its argument names; tell whether there is one. */
export function errorByName(panel, error) {
  // A metric that is not known is called by what was typed.
  const name = /^(unknown|bad)_metric$/.test(error.code) ? "metrics" : error.argument;
  const fields = [...panel.querySelectorAll(`[data-argument="${CSS.escape(name ?? "")}"]`)];
  const field = fields.find((one) => one.offsetParent !== null) || fields.find((one) => one.closest("details"));
  if (!field) return false;
  errorAt([field.querySelector("input, select")], (note) => (field.closest(".three, .two") || field).after(note), error);
  return true;
}
