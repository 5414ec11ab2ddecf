/* Rows of fields that one can add and take away by hand and by keyboard. */
import { copyOf } from "./dom.js";

export const inputs = (row) => [...row.querySelectorAll("input")];

/** Rows in a list, made from a template; `changed` is told of every row that goes. */
export function rowsIn(list, template, changed) {
  function add(values = [], after = null) {
    const row = copyOf(template);
    inputs(row).forEach((input, i) => { input.value = values[i] ?? ""; });
    if (after) after.after(row);
    else list.append(row);
    return row;
  }
  function remove(row) {
    const near = row.previousElementSibling || row.nextElementSibling;
    row.remove();
    inputs(near || add())[0].focus();
    changed();
  }
  list.addEventListener("click", (event) => {
    if (event.target.closest(".icon")) remove(event.target.closest(list.dataset.rows));
  });
  return { add, remove, all: () => [...list.children] };
}
