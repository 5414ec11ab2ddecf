/* Terms that answers use: the first of each in an answer can be pointed at, and says what it means. */
import { $, copyOf, say } from "./dom.js";

const meanings = new Map();
let pattern = null;

export function learn(terms) {
  for (const { term, says } of terms) meanings.set(term, says);
  const names = [...meanings.keys()].sort((a, b) => b.length - a.length);
  pattern = names.length ? new RegExp(`(?<![\\w-])(${names.join("|")})(?![\\w-])`, "i") : null;
}

function tell(button) {
  const tip = $("tip");
  say(tip, meanings.get(button.dataset.term));
  tip.hidden = false;
  const [place, { width }] = [button.getBoundingClientRect(), tip.getBoundingClientRect()];
  const left = Math.max(8, Math.min(place.left, document.documentElement.clientWidth - width - 8));
  // The page allows styles that are set by script alone.
  tip.style.left = `${left + window.scrollX}px`;
  tip.style.top = `${place.bottom + window.scrollY + 4}px`;
}

const hide = () => { $("tip").hidden = true; };

/** Make the first of each term in an answer one that can be pointed at or reached by keyboard. */
export function explain(root) {
  if (!pattern) return;
  const seen = new Set();
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) => (
    node.parentElement.closest("button, a, select, label, th, h3, figure, summary, .term")
      ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) {
    const match = pattern.exec(text.data);
    const term = match?.[0].toLowerCase();
    if (!match || seen.has(term)) continue;
    seen.add(term);
    const button = say(copyOf("term"), match[0]);
    button.dataset.term = term;
    const rest = text.splitText(match.index);
    rest.data = rest.data.slice(match[0].length);
    text.after(button);
  }
}

for (const name of ["mouseover", "focusin", "click"]) {
  document.addEventListener(name, ({ target }) => { if (target.matches?.(".term")) tell(target); });
}
document.addEventListener("mouseout", ({ target, relatedTarget }) => {
  if (target.matches?.(".term") && relatedTarget !== $("tip")) hide();
});
document.addEventListener("mouseout", ({ target }) => { if (target === $("tip")) hide(); });
document.addEventListener("focusout", ({ target }) => { if (target.matches?.(".term")) hide(); });
document.addEventListener("keydown", ({ key }) => { if (key === "Escape") hide(); });
