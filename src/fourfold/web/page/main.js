/* The page: its tabs, each with a question, and links that hold what was asked. */
import { certainty } from "./certainty.js";
import { check } from "./check.js";
import { $, briefly, copied } from "./dom.js";
import { groups } from "./groups.js";
import { recover } from "./recover.js";
import { learn } from "./terms.js";

const TABS = { check, recover, groups, certainty };
const NAMES = Object.keys(TABS);
const links = {};
let current = NAMES.find((name) => location.hash === `#${name}`) ?? NAMES[0];

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
  const next = { ArrowRight: (place + 1) % NAMES.length, ArrowLeft: place - 1, Home: 0, End: -1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  openTab(NAMES.at(next), true);
}

const fetched = (path) => fetch(path).then((answer) => answer.json()).catch(() => ({}));
const [{ questions = [] }, { metrics = [] }, { terms = [] }] = await Promise.all(
  ["api/questions", "api/metrics", "api/glossary"].map(fetched));
learn(terms);
$("metric-names").append(...metrics.filter(({ low }) => low !== undefined).map(({ id, label, aliases }) => {
  const others = [aliases].flat().join(", ");
  return Object.assign(new Option("", id), { label: others ? `${label} (${others})` : label });
}));

/** The tab of another question that fits, and the way there with what was given. */
const opened = {};
const elsewhere = (own) => (fits) => fits !== own && {
  name: $(`tab-${fits}`).textContent,
  open(found) { openTab(fits, true); opened[fits].take(found); },
};

const parameters = Object.fromEntries(questions.map((question) => [question.name, question.parameters]));
for (const name of NAMES) {
  const panel = $(`panel-${name}`);
  opened[name] = TABS[name](panel, parameters, (query) => setLink(name, query), elsewhere(name));
  const { load } = opened[name];
  links[name] = name === current ? location.search.slice(1) : "";
  panel.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  panel.querySelector("[data-copy]")?.addEventListener("click", ({ target }) => briefly(target, copied(location.href)));
  panel.querySelector("[data-clear]").addEventListener("click", () => {
    load(new URLSearchParams());
    panel.querySelector("textarea:not([hidden]), input:not([type=radio])").focus();
  });
  $(`tab-${name}`).addEventListener("click", () => openTab(name));
  $(`tab-${name}`).addEventListener("keydown", byKey);
  load(new URLSearchParams(links[name]));
}
// A file that misses its place must not replace the page.
for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
window.addEventListener("hashchange", () => openTab(NAMES.find((name) => location.hash === `#${name}`) ?? current));
openTab(current);
