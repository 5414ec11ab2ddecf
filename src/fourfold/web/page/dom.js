/* Small tools: elements of the page, its words, and what is typed into it. */

export const $ = (id) => document.getElementById(id);

/** A copy of the one element in a template. */
export const copyOf = (id) => $(id).content.firstElementChild.cloneNode(true);

/** Words that index.html holds under a name, with a value in the place of {}. */
export const word = (name, value = "") => $("words").content.querySelector(`[data-word="${name}"]`)
  .textContent.replace("{}", () => value);

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

export const options = (list, names) => $(list).replaceChildren(...names.map((name) => new Option("", name)));

export function download(content, kind, name) {
  const address = URL.createObjectURL(new Blob([content], { type: kind }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** Cells of delimited text, with quotes as CSV has them. */
export function delimited(text, delimiter) {
  const rows = [[""]];
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i];
    const row = rows.at(-1);
    const end = row.length - 1;
    if (quoted) {
      if (sign !== '"') row[end] += sign;
      else if (text[i + 1] === '"') { row[end] += sign; i += 1; } else quoted = false;
    } else if (sign === '"' && !row[end]) quoted = true;
    else if (sign === delimiter) row.push("");
    else if (sign === "\n" || sign === "\r") {
      if (sign === "\r" && text[i + 1] === "\n") i += 1;
      rows.push([""]);
    } else row[end] += sign;
  }
  return rows.filter((row) => row.length > 1 || row[0]);
}

/** The sign that a first line has most often between its cells. */
export function delimiterOf(text) {
  const line = text.split(/[\r\n]/, 1)[0];
  const count = (sign) => line.split(sign).length;
  return ["\t", ";", ",", "|"].reduce((most, sign) => (count(sign) > count(most) ? sign : most));
}

/** The names of a CSV file's columns; none for other files. */
export async function columnsOf(file) {
  if (/\.(parquet|gz|zst|bz2|xz|zip|db|duckdb|sqlite)$/i.test(file.name)) return [];
  const text = (await file.slice(0, 1 << 17).text().catch(() => "")).replace(/^\uFEFF/, "");
  if (text.includes("\u0000")) return [];
  const line = text.split(/[\r\n]/, 1)[0];
  return (delimited(line, delimiterOf(line))[0] || []).map((name) => name.trim()).filter(Boolean).slice(0, 2000);
}

/** Take files that are dropped on a zone or chosen in its field. */
export function dropZone(zone, take) {
  const input = zone.querySelector("input[type=file]");
  const given = (files) => { if (files.length) take([...files]); };
  input.addEventListener("change", () => { given(input.files); input.value = ""; });
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", (event) => zone.classList.toggle("over", zone.contains(event.relatedTarget)));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    event.stopPropagation();
    zone.classList.remove("over");
    given(event.dataTransfer.files);
  });
}
