/* Small tools: elements of the page, its words, and files that are given to it. */

export const $ = (id) => document.getElementById(id);

/** A copy of the one element in a template. */
export const copyOf = (id) => $(id).content.firstElementChild.cloneNode(true);

/** Words that index.html keeps under a name, with a value in the place of {}. */
const entry = (name) => $("words").content.querySelector(`[data-word="${name}"]`);
export const word = (name, value = "") => entry(name).textContent.replace("{}", () => value);
export const hintOf = (name) => entry(name).dataset.hint;

/* Marks that turn the direction of what follows, so that numbers would read backwards. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g;

/** Show text from people or files as text. */
export function say(element, text) {
  element.textContent = String(text).replace(TURNING, "\uFFFD");
  return element;
}

/** Fill a template's places by name; what stands around a place that stays empty goes with it. */
export function filled(id, values) {
  const made = copyOf(id);
  for (const around of made.querySelectorAll("[data-if]")) if (!values[around.dataset.if]) around.remove();
  for (const place of made.querySelectorAll("[data-part]")) say(place, values[place.dataset.part] ?? "");
  return made;
}

/** A template with a name in it, and a button that takes it away. */
export function removable(id, name, remove) {
  const made = filled(id, { name });
  const button = made.querySelector("button");
  button.setAttribute("aria-label", word("remove", name));
  button.addEventListener("click", remove);
  return made;
}

export const textOf = (element) => element.textContent;
export const twiceIn = (names) => names.find((name, i) => names.indexOf(name) < i);

/** Suggest names in the fields that use a list. */
export function suggest(list, names) {
  $(list).replaceChildren(...[...new Set(names)].slice(0, 2000).map((name) => new Option("", name)));
  return names;
}

export function download(content, kind, name) {
  const address = URL.createObjectURL(new Blob([content], { type: kind }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export const copied = (text) => navigator.clipboard.writeText(text).then(() => "copied", () => "not-copied");

/** Say on a button for a moment how what it did came out. */
export async function briefly(button, done) {
  const words = button.textContent;
  button.textContent = word(await done.catch(() => "not-saved") ?? "saved");
  setTimeout(() => { button.textContent = words; }, 2000);
}

/** Files and pairs as a form that can be sent. */
export function formOf(files, pairs) {
  const form = new FormData();
  for (const file of files) form.append("file", file, file.name);
  for (const [name, text] of pairs) form.append(name, text);
  return form;
}

/** Cells of delimited text, with quotes as CSV has them; the delimiter is what the first line has most of. */
export function delimited(text) {
  const line = text.split(/[\r\n]/, 1)[0];
  const count = (sign) => line.split(sign).length;
  const delimiter = ["\t", ";", ",", "|"].reduce((most, sign) => (count(sign) > count(most) ? sign : most));
  const cell = new RegExp(`("(?:[^"]|"")*"|[^${delimiter}\\r\\n]*)([${delimiter}]|\\r\\n?|\\n|$)`, "g");
  const rows = [[]];
  for (const [, raw, end] of text.matchAll(cell)) {
    rows.at(-1).push((raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw).trim());
    if (!end) break;
    if (end !== delimiter) rows.push([]);
  }
  return rows.filter((row) => row.some(Boolean));
}

/** Files in a list, each with a button that takes it away; one of the same name replaces another. */
export function fileList(list, changed) {
  let files = [];
  function set(wanted) {
    files = wanted;
    const without = (file) => () => { set(files.filter((other) => other !== file)); changed(); };
    list.replaceChildren(...files.map((file) => removable("file", file.name, without(file))));
  }
  const others = (added) => files.filter((file) => !added.some(({ name }) => name === file.name));
  return { get: () => files, set, add: (added, most = Infinity) => set([...others(added), ...added].slice(-most)) };
}

/** Take files that are dropped on a zone or chosen in its field. */
export function dropZone(zone, take) {
  const input = zone.querySelector("input[type=file]");
  const given = (files) => { if (files.length) take([...files]); };
  input.addEventListener("change", () => { given(input.files); input.value = ""; });
  zone.addEventListener("dragover", () => zone.classList.add("over"));
  zone.addEventListener("dragleave", (event) => zone.classList.toggle("over", zone.contains(event.relatedTarget)));
  zone.addEventListener("drop", (event) => { zone.classList.remove("over"); given(event.dataTransfer.files); });
}
