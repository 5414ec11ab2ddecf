/* Tables of an answer: in the order of the head that is clicked, and only the rows that hold what is typed. */
import { say, textOf } from "./dom.js";

const numberIn = (text) => Number.parseFloat(text.replace(/^< /, "").replace("\u2212", "-"));

/** Sort by a column, up and then down; what has no number stays last. */
function sortBy(head) {
  const [body] = head.closest("table").tBodies;
  const way = head.ariaSort === "ascending" ? -1 : 1;
  body.append(...[...body.rows].sort((...pair) => {
    const [a, b] = pair.map((row) => textOf(row.cells[head.cellIndex]));
    if (!head.matches(".number")) return way * a.localeCompare(b, undefined, { numeric: true });
    return Number.isNaN(numberIn(a)) - Number.isNaN(numberIn(b)) || way * (numberIn(a) - numberIn(b)) || 0;
  }));
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.ariaSort = way > 0 ? "ascending" : "descending";
}

function filter({ value, parentElement: label }) {
  const wanted = value.trim().toLowerCase();
  const { rows } = label.nextElementSibling.querySelector("tbody");
  for (const row of rows) row.hidden = ![...row.cells].map(textOf).join("\n").toLowerCase().includes(wanted);
  const shown = [...rows].filter(({ hidden }) => !hidden);
  say(label.lastElementChild, wanted && `${shown.length} / ${rows.length}`);
}

export function tables(root) {
  root.addEventListener("click", ({ target }) => { if (target.matches(".sort")) sortBy(target.closest("th")); });
  root.addEventListener("input", ({ target }) => { if (target.closest(".filter")) filter(target); });
}
