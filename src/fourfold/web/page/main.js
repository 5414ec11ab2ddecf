/* The page: its tabs, each with a question, and links that hold what was asked. */
import { certainty } from "./certainty.js";
import { $, word } from "./dom.js";
import { groups } from "./groups.js";
import { recover } from "./recover.js";

const TABS = { recover, groups, certainty };
const NAMES = Object.keys(TABS);
const links = {};
const given = location.search.slice(1);
const first = NAMES.find((name) => location.hash === `#${name}`) || NAMES[0];
let current = first;

function setLink(name, query) {
  links[name] = query;
  if (name === current) history.replaceState(null, "", `${location.pathname}${query && `?${query}`}#${name}`);
}

function openTab(name, focus = false) {
  current = name;
  for (const other of NAMES) {
    const tab = $(`tab-${other}`);
    tab.setAttribute("aria-selected", String(other === name));
    tab.tabIndex = other === name ? 0 : -1;
    $(`panel-${other}`).hidden = other !== name;
  }
  if (focus) $(`tab-${name}`).focus();
  document.title = `${$(`tab-${name}`).textContent} · fourfold`;
  setLink(name, links[name]);
}

function byKey(event) {
  const place = NAMES.indexOf(current);
  const last = NAMES.length - 1;
  const next = { ArrowRight: place === last ? 0 : place + 1, ArrowLeft: place ? place - 1 : last, Home: 0, End: last };
  if (!(event.key in next)) return;
  event.preventDefault();
  openTab(NAMES[next[event.key]], true);
}

async function copyLink({ target }) {
  const words = target.textContent;
  const copied = await navigator.clipboard.writeText(location.href).then(() => true, () => false);
  target.textContent = word(copied ? "copied" : "not-copied");
  setTimeout(() => { target.textContent = words; }, 2000);
}

async function fetched(path) {
  const answer = await fetch(path).catch(() => null);
  return answer?.ok ? answer.json() : {};
}

const [{ questions = [] }, { metrics = [] }] = await Promise.all([fetched("api/questions"), fetched("api/metrics")]);
const parameters = Object.fromEntries(questions.map((question) => [question.name, question.parameters]));
$("metric-names").append(...metrics.filter(({ low }) => low !== undefined).map(({ id, label, aliases }) => {
  const others = [aliases || []].flat().join(" ").split(" ").filter(Boolean);
  return Object.assign(new Option("", id), { label: others.length ? `${label} (${others.join(", ")})` : label });
}));

for (const name of NAMES) links[name] = name === first ? given : "";
for (const name of NAMES) {
  const panel = $(`panel-${name}`);
  const load = TABS[name](panel, parameters, (query) => setLink(name, query));
  panel.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  panel.querySelector("[data-copy]")?.addEventListener("click", copyLink);
  panel.querySelector("[data-clear]").addEventListener("click", () => {
    load(new URLSearchParams());
    panel.querySelector("input:not([type=radio])").focus();
  });
  $(`tab-${name}`).addEventListener("click", () => openTab(name));
  $(`tab-${name}`).addEventListener("keydown", byKey);
  load(new URLSearchParams(links[name]));
}
// A file that misses its place must not replace the page.
for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
window.addEventListener("hashchange", () => {
  const name = location.hash.slice(1);
  if (NAMES.includes(name) && name !== current) openTab(name);
});
openTab(first);
