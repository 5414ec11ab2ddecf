/* What one has, the same on every tab: text, cells of a spreadsheet, any file; with a preview of its columns. */
import { preview } from "./answer.js";
import { copyOf, dropZone, fileList, say, word } from "./dom.js";

/** How long a text may be that a link holds. */
const LONGEST = 3000;

/** Put the place for text and files into a form; `changed` is told what was seen in it, or null. */
export function intake(form, changed, elsewhere, { begin, failed }) {
  const { intake: id, most, cases } = form.querySelector("[data-intake]").dataset;
  const place = copyOf("intake");
  form.querySelector("[data-intake]").replaceWith(place);
  const parts = ["textarea", ".drop", ".preview", ".suggest"];
  const [text, zone, shown, suggested] = parts.map((part) => place.querySelector(part));
  const input = zone.querySelector("input");
  [text.id, input.id, input.multiple] = [`${id}-text`, `${id}-file`, Number(most) > 1];
  place.querySelector("label").htmlFor = text.id;
  zone.querySelector("label").htmlFor = input.id;
  [zone.id, shown.id] = [`${id}-drop`, `${id}-preview`];
  const files = fileList(zone.querySelector("ul"), () => again());
  // Cells that a spreadsheet or a browser copies come as HTML beside their text.
  let [copied, cells, timer] = ["", "", 0];
  const typed = () => (cells ? new File([cells], "pasted.html") : new File([text.value], "pasted.txt"));
  const get = () => [...(text.value.trim() ? [typed()] : []), ...files.get()];
  const newest = preview();

  /** Suggest the question that fits, where it is another. */
  function suggest(seen) {
    const other = seen && elsewhere(seen.fits);
    suggested.hidden = !other;
    if (!other) return;
    say(suggested.firstElementChild, word(`looks-${seen.content}`));
    say(suggested.lastElementChild, word("open-in", other.name));
    suggested.lastElementChild.onclick = () => other.open({ text: text.value, cells, files: files.get() });
  }

  /** Ask what the columns are; a door for cases shows it. */
  async function look(show = cases !== undefined) {
    clearTimeout(timer);
    const [first] = get();
    zone.querySelector(".wanted").hidden = true;
    if (show) begin();
    let wrong = null;
    const page = first ? await newest(first).catch((error) => { wrong = error; return null; }) : null;
    if (page === undefined) return;
    shown.innerHTML = show && page?.answer.columns.length ? page.html : "";
    suggest(page?.answer);
    if (!show) return;
    if (wrong) failed(wrong); else changed(page?.answer ?? null);
  }

  /** Ask again once typing rests; where columns do not matter, only the question is asked. */
  function soon() {
    clearTimeout(timer);
    if (cases === undefined) { suggested.hidden = true; changed(null); } else timer = setTimeout(look, 300);
  }

  const again = () => (cases === undefined ? soon() : look());

  function set({ text: wanted = "", cells: kept = "", files: added = [], names = [] }) {
    [text.value, cells] = [wanted, kept];
    files.set(added.slice(0, Number(most)));
    const missing = zone.querySelector(".wanted");
    [shown.innerHTML, suggested.hidden, missing.hidden] = ["", true, !names.length];
    say(missing.querySelector("strong"), names.join(", "));
  }

  text.addEventListener("paste", ({ clipboardData }) => { copied = clipboardData.getData("text/html"); });
  text.addEventListener("input", (event) => {
    event.stopPropagation();
    [cells, copied] = [/<table/i.test(copied) ? copied : "", ""];
    soon();
  });
  dropZone(zone, (added) => {
    files.add(added, Number(most));
    again();
  });
  return {
    get, set, look, stop: newest.stop, suggest: () => look(false),
    /** What a link holds of it: a short text, and the names of files, which it cannot hold. */
    link: () => [
      ...[["text", text.value]].filter(([, { length }]) => length && length < LONGEST),
      ...files.get().map(({ name }) => ["drop", name]),
    ],
    fromLink: (query) => set({ text: query.get("text") ?? "", names: query.getAll("drop") }),
    onChoice: (told) => shown.addEventListener("change", ({ target }) => told(target)),
    roles: () => [...shown.querySelectorAll("select")].map(({ dataset, value }) => [dataset.of, value]),
  };
}
