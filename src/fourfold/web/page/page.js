/* fourfold's page: reads what is typed or dropped, asks the server, shows the answer. Nothing is computed here
   beyond what a reader could do by hand; text from people and files only ever becomes text. */
(() => {
"use strict";

const CELLS = ["tp", "fn", "fp", "tn"];
const WAIT = 150;
const WAIT_FILE = 350;
const MOST_ROWS = 100;

/* ---------- small tools ---------- */

const $ = (id) => document.getElementById(id);

/* Marks that turn the direction of what follows, so that numbers would read backwards. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g;

/** Make an element; strings become text, never markup. */
function h(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else if (name in made && !name.includes("-") && name !== "list" && name !== "for") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  const kept = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  made.append(...kept.map((child) => (typeof child === "string" ? child.replace(TURNING, "\uFFFD") : child)));
  return made;
}

const listed = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);
const many = (count, noun) => `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;
const whole = (count) => String(count);
const plain = (text) => text.trim().toLowerCase();

/* ---------- numbers, by the rules of fourfold.report ---------- */

/** Like Python's format(x, ".6g"). */
function general(x, digits = 6) {
  const [mantissa, power] = x.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  if (Number.isInteger(x) && exponent >= digits && exponent < 300) {
    // A tie goes to the even digit.
    const [whole, unit] = [BigInt(Math.abs(x)), 10n ** BigInt(exponent - digits + 1)];
    if (2n * (whole % unit) === unit) return general(Math.sign(x) * Number((whole / unit + ((whole / unit) % 2n)) * unit), digits);
  }
  const short = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent >= -4 && exponent < digits) return short(fixed(x, Math.max(0, digits - 1 - exponent)));
  return `${short(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** Like Python's format(x, ".4f"): a tie goes to the even digit. */
function fixed(x, digits) {
  const doubled = Math.abs(x) * 2 ** (digits + 1);
  if (digits < 16 && Number.isInteger(doubled) && doubled % 2 === 1) {
    const scaled = Math.abs(x) * 10 ** digits;
    const below = Math.floor(scaled);
    if (scaled - below === 0.5) {
      const even = (below % 2 ? below + 1 : below) / 10 ** digits;
      return (x < 0 ? "-" : "") + even.toFixed(digits);
    }
  }
  return x.toFixed(Math.min(digits, 100));
}

function number(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "undefined";
  const size = Math.abs(x);
  if (x && !(size >= 10 ** -digits && size < 1000)) return general(x);
  return fixed(x, digits);
}

function chance(x) {
  if (x === null || x === undefined) return "-";
  if (x < 1e-30) return x ? "< 1e-30" : "0";
  if (x >= 0.001) return fixed(x, 4);
  const [mantissa, power] = x.toExponential(1).split("e");
  return `${mantissa}e-${power.slice(1).padStart(2, "0")}`;
}

const level = (x) => `${general(100 * x)} %`;

function between(low, high, unlimited) {
  if (unlimited && low !== null && high === null) return `${number(low)} or more`;
  return low === null || high === null ? "-" : `${number(low)} to ${number(high)}`;
}

/** How many decimals a printed score has, as a fraction. */
function decimals(text) {
  const found = /^\s*[-+−]?\d*[.,]?(\d*)\s*(%?)\s*$/.exec(text);
  return found ? found[1].length + (found[2] ? 2 : 0) : 4;
}

const fraction = (text) => {
  if (text === null || text === undefined) return null;
  const [above, below] = String(text).split("/");
  return Number(above) / Number(below || 1);
};

/** A number as an element; undefined is a word with its reason. */
function shown(x, reason) {
  if (x !== null && x !== undefined) return document.createTextNode(number(x));
  return h("span", { class: "undefined" }, reason ? `undefined: ${reason}` : "undefined");
}

/* ---------- talking to the server ---------- */

class Problem extends Error {
  constructor(error) {
    super(error.message || error.problem);
    this.error = error;
  }
}

const local = (argument, problem, hint, got = "") => new Problem({ argument, problem, hint, got, message: problem });

async function reply(path, body, signal, accept = "application/json") {
  const form = body instanceof FormData;
  const headers = { Accept: accept };
  if (!form) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method: "POST", headers, body: form ? body : JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    const hint = form ? "is `fourfold serve` still running? If the file was changed, choose it again" : "is `fourfold serve` still running?";
    throw local("server", "does not answer", hint);
  }
  if (answer.ok) return answer;
  const text = await answer.text();
  let error = null;
  try { error = JSON.parse(text); } catch { /* not ours */ }
  if (error && error.schema === "fourfold/error") throw new Problem(error);
  throw local("server", `answered with status ${answer.status}`, "its log says more");
}

const ask = async (path, body, signal) => (await reply(path, body, signal)).json();

/** What there is to draw; a missing picture must not hide the answer. */
async function pictures(path, body, signal) {
  try {
    const found = await ask(path, body, signal);
    return { charts: found.charts || found, notes: found.charts ? found.notes || [] : [] };
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return { charts: {}, notes: [], failed: said(error) };
  }
}

function said(error) {
  if (!(error instanceof Problem)) return String(error && error.message ? error.message : error);
  const { argument, problem, got } = error.error;
  return `${argument ? `${argument}: ` : ""}${problem}${got ? `, got ${got}` : ""}`;
}

/* ---------- the catalogue ---------- */

const catalogue = new Map();
let ready = null;
const labelOf = (id) => {
  const known = catalogue.get(id);
  if (known) return known.label;
  const average = /^(macro|micro|weighted)_(.+)$/.exec(id);
  return average && catalogue.has(average[2]) ? `${catalogue.get(average[2]).label}, ${average[1]} average` : id;
};

async function readCatalogue() {
  try {
    const found = await (await fetch("api/metrics")).json();
    const options = [];
    for (const each of found.metrics) {
      if (each.low === undefined) continue;
      catalogue.set(each.id, each);
      const aliases = Array.isArray(each.aliases) ? each.aliases : String(each.aliases || "").split(" ").filter(Boolean);
      options.push(h("option", { value: each.id, label: aliases.length ? `${each.label} (${aliases.join(", ")})` : each.label }));
    }
    $("metric-names").replaceChildren(...options);
  } catch { /* names can still be typed */ }
}

/* ---------- pictures ---------- */

let vega = null;
function loadVega() {
  vega = vega || new Promise((resolve, reject) => {
    document.head.append(h("script", { src: "vega.js", onload: () => resolve(window.vegaEmbed), onerror: () => { vega = null; reject(new Error("the script for pictures did not load")); } }));
  });
  return vega;
}

const darkness = window.matchMedia("(prefers-color-scheme: dark)");
const drawn = new Set();
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
const LIGHT = { ink: "#1c2329", muted: "#55606a", grid: "#e9ecef", edge: "#b9c1c8" };
const DARK = { ink: "#e7eaed", muted: "#a9b3bc", grid: "#2b333a", edge: "#4a555e" };
const IN_THE_DARK = new Map(Object.entries({
  "#000000": "#f3f5f7", black: "#f3f5f7", white: "#1a2026", "#FFFFFF": "#1a2026", "#222222": "#d9dee2", "#444444": "#c3cad0",
  "#555555": "#a9b3bc", "#666666": "#a9b3bc", "#777777": "#8f9aa3", "#BBBBBB": "#5d6973", "#CCCCCC": "#4a555e", "#DDDDDD": "#39434b",
  "#EEEEEE": "#2b333a", "#0072B2": "#3f9fdb", "#D55E00": "#f27d33", "#009E73": "#1fbf92",
}));
const DATA = new Set(["data", "datasets", "values", "domain", "sort", "title", "text", "field", "test"]);

function recoloured(spec) {
  if (Array.isArray(spec)) return spec.map(recoloured);
  if (typeof spec === "string") return IN_THE_DARK.get(spec) || spec;
  if (spec === null || typeof spec !== "object") return spec;
  // A heat map's shades and the ink on them belong together.
  if (spec.layer && JSON.stringify(spec.layer).includes("#08306B")) return spec;
  return Object.fromEntries(Object.entries(spec).map(([name, value]) => [name, DATA.has(name) ? value : recoloured(value)]));
}

const views = (spec) => [spec, ...["layer", "vconcat", "hconcat", "concat"].flatMap((name) => (spec[name] || []).flatMap(views))];

/** Take the columns of numbers out of a chart's margin: the page has them in a table. */
function bared(spec) {
  for (const view of views(spec)) {
    if (!view.layer) continue;
    const outside = (layer) => layer.mark && layer.mark.type === "text" && layer.encoding.x && layer.encoding.x.value >= view.width;
    view.layer = view.layer.filter((layer) => !outside(layer));
  }
}

/** Break a text into lines of at most so many characters. */
function lines(text, most) {
  const found = [""];
  for (const word of text.split(" ")) {
    if (found.at(-1) && found.at(-1).length + word.length >= most) found.push(word);
    else found[found.length - 1] += (found.at(-1) ? " " : "") + word;
  }
  return found;
}

/** Make legends, labels and titles fit the room. */
function fitted(spec, { room, bare, narrow }) {
  for (const view of views(spec)) {
    if (view.title && view.title.subtitle) delete view.title.subtitle;
    for (const channel of Object.values(view.encoding || {})) {
      if (!channel) continue;
      if (channel.legend && channel.legend.gradientLength) {
        if (narrow) Object.assign(channel.legend, { orient: "bottom", direction: "horizontal" });
      } else if (channel.legend && narrow) Object.assign(channel.legend, { orient: "bottom", direction: "vertical", columns: 1, labelLimit: Math.max(120, room - 60) });
      else if (channel.legend && bare) Object.assign(channel.legend, { orient: "bottom", columns: 2 });
      if (narrow && channel.axis && channel.axis.labelLimit) {
        channel.axis.labelLimit = Math.min(channel.axis.labelLimit, 0.36 * room);
        delete channel.axis.minExtent;
      }
    }
    const { x } = view.encoding || {};
    const most = Math.floor((0.8 * room) / 6.4);
    if (x && typeof x.title === "string" && x.title.length > most) x.title = lines(x.title, most);
  }
}

/** Return the spec as the page shows it: its heading is text on the page, its width fits. */
function dressed(spec, { dark, room, less, stacked, bare }) {
  const made = dark ? recoloured(structuredClone(spec)) : structuredClone(spec);
  const tone = dark ? DARK : LIGHT;
  const narrow = room < 560;
  const { title, config = {} } = made;
  delete made.title;
  if (bare || narrow) bared(made);
  fitted(made, { room, bare, narrow });
  made.description = [title && title.text, ...((title && title.subtitle) || [])].filter(Boolean).join(". ");
  made.background = "transparent";
  made.padding = 2;
  made.config = {
    ...config,
    font: FONT,
    view: { ...config.view, stroke: tone.edge },
    axis: { ...config.axis, labelColor: tone.ink, titleColor: tone.muted, gridColor: tone.grid, domainColor: tone.edge, tickColor: tone.edge, labelLimit: narrow ? 0.36 * room : 240, labelSeparation: 6 },
    legend: { ...config.legend, labelColor: tone.ink, titleColor: tone.muted, ...(narrow ? { orient: "bottom", layout: { bottom: { anchor: "start", direction: "vertical", margin: 6 } } } : {}) },
    title: { ...config.title, color: tone.ink, subtitleColor: tone.muted, fontSize: 14, fontWeight: 600 },
    text: { color: tone.ink, ...config.text },
  };
  if (stacked) made.columns = 1;
  if (less) {
    for (const view of views(made)) {
      if (typeof view.width !== "number") continue;
      const square = view.width === view.height;
      view.width = Math.max(150, view.width - less);
      if (square) view.height = view.width;
    }
  }
  return made;
}

async function draw(chart) {
  const mine = (chart.turn = (chart.turn || 0) + 1);
  const { holder, spec } = chart;
  try {
    const embed = await loadVega();
    const room = Math.floor(holder.clientWidth);
    if (!room || mine !== chart.turn) return;
    const options = { renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip: { disableDefaultStyle: true, theme: "plain" } };
    const look = { dark: darkness.matches, room, less: 0, stacked: false, bare: chart.bare };
    const wanted = chart.bare ? Math.min(room, 720) : room;
    if (chart.bare && room >= 560) {
      // As wide as the names on its left allow.
      const names = views(spec).flatMap((view) => (view.encoding && view.encoding.y && Array.isArray(view.encoding.y.sort) ? view.encoding.y.sort : []));
      const widths = views(spec).map((view) => view.width).filter((width) => typeof width === "number");
      look.less = Math.max(...widths, 150) - (wanted - 40 - 6.8 * Math.min(36, Math.max(0, ...names.map((name) => String(name).length))));
    }
    let made = null;
    let place = null;
    for (let tries = 0; tries < 4; tries += 1) {
      if (made) made.finalize();
      place = h("div", { class: "unseen" });
      holder.append(place);
      made = await embed(place, dressed(spec, look), options);
      const drawing = place.querySelector("svg");
      const over = drawing ? Math.ceil(Number(drawing.getAttribute("width")) - wanted) : 0;
      if (over <= 0 || mine !== chart.turn) break;
      // A little too wide is drawn a little smaller.
      if (spec.columns > 1 && over < 0.25 * room) break;
      if (spec.columns > 1 && !look.stacked) look.stacked = true;
      else look.less += over;
      if (tries < 3) place.remove();
    }
    if (mine !== chart.turn) { made.finalize(); place.remove(); return; }
    if (chart.view) chart.view.finalize();
    chart.view = made;
    chart.room = room;
    holder.replaceChildren(place);
    place.className = "";
    holder.classList.remove("stale");
  } catch (error) {
    holder.replaceChildren(h("p", { class: "sub" }, `No picture: ${error.message}.`));
  }
}

/** A figure that stays in place while its picture changes. */
function figure(name, bare = false) {
  const holder = h("div", { class: "chart" });
  const caption = h("figcaption");
  const save = h("button", { type: "button", class: "link save", hidden: true, "aria-label": `Save picture: ${name}` }, "Save picture (SVG)");
  const whole = h("figure", { "aria-label": name }, holder, caption, h("div", { class: "row" }, save));
  const chart = { holder, bare, spec: null, view: null };
  save.addEventListener("click", async () => {
    const place = h("div");
    const made = await (await loadVega())(place, chart.spec, { renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip: false });
    download(new Blob([await made.view.toSVG()], { type: "image/svg+xml" }), `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.svg`);
    made.finalize();
  });
  drawn.add(chart);
  return {
    element: whole,
    stale() { holder.classList.add("stale"); },
    show(spec, { said: kind = "all" } = {}) {
      const text = JSON.stringify(spec);
      if (text === chart.text) { holder.classList.remove("stale"); return; }
      chart.spec = spec;
      chart.text = text;
      save.hidden = false;
      const all = (spec.title && spec.title.subtitle) || [];
      const end = all.findIndex((line) => line.startsWith("Note: "));
      // A line that goes on with a small letter was broken to fit a file.
      const own = [];
      for (const line of end < 0 ? all : all.slice(0, end)) {
        if (own.length && /^[a-z]/.test(line) && !/[.:;]$/.test(own.at(-1)) && own.at(-1).length > 60) own.push(`${own.pop()} ${line}`);
        else own.push(line);
      }
      const panels = (spec.concat || []).filter((panel) => panel.title && panel.title.subtitle).map((panel) => `${panel.title.text}: ${[panel.title.subtitle].flat().join(" ")}`);
      const said = { all: own, last: own.slice(-1), none: [] }[kind];
      caption.replaceChildren(...[...panels, ...said].map((line) => h("span", {}, line)));
      draw(chart);
    },
    fail(words) {
      chart.spec = chart.text = null;
      save.hidden = true;
      caption.replaceChildren();
      holder.classList.remove("stale");
      holder.replaceChildren(h("p", { class: "sub" }, words));
    },
  };
}

function redraw(always) {
  for (const chart of drawn) {
    if (chart.spec && chart.holder.isConnected && chart.holder.clientWidth && (always || chart.holder.clientWidth !== chart.room)) draw(chart);
  }
}
darkness.addEventListener("change", () => redraw(true));
let resizing = 0;
window.addEventListener("resize", () => { clearTimeout(resizing); resizing = setTimeout(() => redraw(false), 200); });

function download(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const saveJson = (value, name) => h("button", { type: "button", class: "link save", onclick: () => download(new Blob([JSON.stringify(value, null, 2)], { type: "application/json" }), name) }, "Save answer (JSON)");

/* ---------- errors beside their fields ---------- */

let errorIds = 0;
function clearErrors(panel) {
  for (const note of panel.querySelectorAll(".error[data-made]")) note.remove();
  for (const field of panel.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    const kept = (field.getAttribute("aria-describedby") || "").split(" ").filter((id) => id && !id.startsWith("error-"));
    if (kept.length) field.setAttribute("aria-describedby", kept.join(" "));
    else field.removeAttribute("aria-describedby");
  }
}

function errorAt(fields, place, { problem, hint, got }) {
  errorIds += 1;
  const note = h("p", { class: "error", id: `error-${errorIds}`, "data-made": "" }, `${problem}${got ? `, got ${got}` : ""}.`, hint && h("span", { class: "hint" }, `Hint: ${hint}.`));
  place(note);
  for (const field of fields) {
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", [field.getAttribute("aria-describedby"), note.id].filter(Boolean).join(" "));
    const hidden = field.closest("details:not([open])");
    if (hidden) hidden.open = true;
  }
}

/** Show an error by the field that its argument names; tell whether there is one. */
function errorByName(panel, error) {
  const names = { metric: "metrics", map: "table", groups: "groups" };
  // A metric that is not known is called by what was typed.
  const name = /^(unknown|bad)_metric$/.test(error.code) ? "metrics" : names[error.argument] || error.argument;
  const field = [...panel.querySelectorAll("[data-argument]")].find((each) => each.dataset.argument === name && each.offsetParent !== null)
    || [...panel.querySelectorAll("details [data-argument]")].find((each) => each.dataset.argument === name);
  if (!field) return false;
  const inner = field.matches("input, select") ? field : field.querySelector("input");
  const place = field.closest(".field, .drop") || field;
  errorAt([inner], (note) => (place.closest(".three, .two") || place).after(note), error);
  return true;
}

/* ---------- verdicts ---------- */

const SIGNS = { good: "✓", bad: "✕", open: "?", problem: "!", differs: "≠", plain: "" };

function verdict(box, kind, head, ...lines) {
  box.className = `verdict ${kind}`;
  box.replaceChildren(h("p", { class: "head" }, SIGNS[kind] && h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[kind]), h("span", {}, head)), ...lines.filter(Boolean));
}

function part(title, sub, ...children) {
  return h("section", { class: "part" }, h("header", {}, h("h3", {}, title), sub && h("p", { class: "sub" }, sub)), ...children);
}

const scroll = (label, table, tall) => h("div", { class: `scroll${tall ? " tall" : ""}`, tabIndex: 0, role: "group", "aria-label": label }, table);

function notesOf(notes) {
  return notes.length ? h("ul", { class: "notes" }, notes.map((note) => h("li", {}, `Note: ${typeof note === "string" ? note : note.text}.`))) : null;
}

function dataTable(caption, heads, rows, kind = "") {
  return h("table", { class: `data ${kind}` }, h("caption", { class: "unseen" }, caption),
    h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col", class: head.n ? "n" : null }, head.text)))), h("tbody", {}, rows));
}

/* ---------- a question: typed, asked once it rests, answered, stale answers dropped ---------- */

function question(name, { read, render, refuse, link, wait = () => WAIT }) {
  const panel = $(`panel-${name}`);
  const letter = name[0];
  const box = $(`${letter}-verdict`);
  const body = $(`${letter}-body`);
  const empty = $(`${letter}-empty`);
  const answer = panel.querySelector(".answer");
  let timer = 0;
  let control = null;

  function dim(on) {
    body.classList.toggle("stale", on);
    for (const child of box.children) child.classList.toggle("stale", on);
    answer.setAttribute("aria-busy", on ? "true" : "false");
  }

  function failed(error) {
    const told = error instanceof Problem ? error.error : { argument: "page", problem: String(error && error.message), hint: "load the page again" };
    if (!(error instanceof Problem)) console.error(error);
    clearErrors(panel);
    const beside = (refuse && refuse(told)) || errorByName(panel, told);
    empty.hidden = true;
    dim(false);
    verdict(box, "problem", "No answer yet", h("p", {}, `${said(error instanceof Problem ? error : new Problem(told))}.`), !beside && told.hint && h("p", {}, `Hint: ${told.hint}.`));
    body.classList.toggle("stale", body.childElementCount > 0);
  }

  async function go() {
    clearTimeout(timer);
    if (control) control.abort();
    control = new AbortController();
    const mine = control;
    setLink(name, link());
    let asked = null;
    try {
      asked = read();
      if (!asked) {
        clearErrors(panel);
        box.className = "verdict";
        box.replaceChildren();
        body.replaceChildren();
        body.classList.remove("stale");
        answer.setAttribute("aria-busy", "false");
        empty.hidden = false;
        return;
      }
      dim(true);
      const [result] = await Promise.all([asked.get(mine.signal), ready]);
      if (mine !== control) return;
      clearErrors(panel);
      empty.hidden = true;
      render(result, asked, mine.signal, { box, body });
      dim(false);
    } catch (error) {
      if (mine !== control || error.name === "AbortError") return;
      failed(error);
    }
  }

  return {
    panel,
    now: go,
    changed(after = wait()) {
      clearTimeout(timer);
      dim(Boolean(box.childElementCount));
      timer = setTimeout(go, after);
    },
  };
}

/* ---------- tabs and links ---------- */

const TABS = ["recover", "groups", "certainty"];
const links = { recover: "", groups: "", certainty: "" };
let current = "recover";

function setLink(name, query) {
  links[name] = query;
  if (name === current) history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}#${name}`);
}

function openTab(name, focus = false) {
  current = name;
  for (const each of TABS) {
    const tab = $(`tab-${each}`);
    const chosen = each === name;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    $(`panel-${each}`).hidden = !chosen;
    if (chosen && focus) tab.focus();
  }
  document.title = `${$(`tab-${name}`).textContent} · fourfold`;
  setLink(name, links[name]);
  redraw(false);
}

function setUpTabs() {
  for (const [place, name] of TABS.entries()) {
    $(`tab-${name}`).addEventListener("click", () => openTab(name));
    $(`tab-${name}`).addEventListener("keydown", (event) => {
      const last = TABS.length - 1;
      const next = { ArrowRight: place === last ? 0 : place + 1, ArrowLeft: place ? place - 1 : last, Home: 0, End: last }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      openTab(TABS[next], true);
    });
  }
  window.addEventListener("hashchange", () => {
    const name = location.hash.slice(1);
    if (TABS.includes(name) && name !== current) openTab(name);
  });
}

async function copyLink(button) {
  const words = button.textContent;
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copy it from the address bar";
  }
  setTimeout(() => { button.textContent = words; }, 2000);
}

/* ---------- pickers and files ---------- */

/** Several names: each becomes a chip; Enter, a chosen suggestion or leaving the field adds one. */
function chips(id, input, list, placeholder, changed) {
  const holder = $(id);
  const field = h("input", { id: input, list, placeholder, spellcheck: false });
  let names = [];
  function show() {
    const made = names.map((name) => h("span", { class: "chip" }, name, h("button", {
      type: "button", "aria-label": `Remove ${name}`,
      onclick: () => { names = names.filter((each) => each !== name); show(); field.focus(); changed(); },
    }, "×")));
    holder.replaceChildren(...made, field);
    field.placeholder = names.length ? "" : placeholder;
  }
  function add() {
    const name = field.value.trim();
    field.value = "";
    if (!name) return false;
    if (!names.includes(name)) names.push(name);
    const focused = document.activeElement === field;
    show();
    if (focused) field.focus();
    changed();
    return true;
  }
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); add(); }
    if (event.key === "Backspace" && !field.value && names.length) { names.pop(); show(); field.focus(); changed(); }
  });
  field.addEventListener("input", (event) => {
    event.stopPropagation();
    const typed = event instanceof InputEvent && event.inputType.startsWith("insert") && event.inputType !== "insertReplacementText";
    if (!typed && [...((field.list && field.list.options) || [])].some((option) => option.value === field.value)) add();
  });
  field.addEventListener("change", (event) => { event.stopPropagation(); add(); });
  show();
  return {
    get: () => names,
    set(given) { names = [...new Set(given.filter(Boolean))]; show(); },
  };
}

function dropZone(zone, input, took) {
  const take = (files) => { if (files.length) took([...files]); };
  input.addEventListener("change", () => { take(input.files); input.value = ""; });
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", (event) => { if (!zone.contains(event.relatedTarget)) zone.classList.remove("over"); });
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    event.stopPropagation();
    zone.classList.remove("over");
    take(event.dataTransfer.files);
  });
}

/** Cells of delimited text, with quotes as CSV has them. */
function delimited(text, delimiter) {
  const rows = [];
  let row = [];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i];
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[i + 1] === '"') { cell += sign; i += 1; }
      else quoted = false;
    } else if (sign === '"' && !cell) quoted = true;
    else if (sign === delimiter) { row.push(cell); cell = ""; }
    else if (sign === "\n" || sign === "\r") {
      if (sign === "\r" && text[i + 1] === "\n") i += 1;
      rows.push([...row, cell]);
      row = [];
      cell = "";
    } else cell += sign;
  }
  if (cell || row.length) rows.push([...row, cell]);
  return rows;
}

const delimiterOf = (line) => ["\t", ";", ",", "|"].map((sign) => [line.split(sign).length, sign]).sort((a, b) => b[0] - a[0])[0][1];

/** The names of a CSV file's columns; none for other files. */
async function columnsOf(file) {
  if (/\.(parquet|gz|zst|bz2|xz|zip|db|duckdb|sqlite)$/i.test(file.name)) return [];
  try {
    const text = (await file.slice(0, 1 << 17).text()).replace(/^\uFEFF/, "");
    if (text.includes("\u0000")) return [];
    const first = text.split(/\r?\n|\r/, 1)[0];
    return (delimited(first, delimiterOf(first))[0] || []).map((name) => name.trim()).filter(Boolean).slice(0, 2000);
  } catch {
    return [];
  }
}

const guess = (columns, names) => columns.find((column) => names.includes(plain(column))) || "";
const TRUTH = ["truth", "y", "y_true", "actual", "label", "target"];
const PREDICTION = ["prediction", "yhat", "y_hat", "y_pred", "pred", "predicted"];
const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

/* ---------- Recover ---------- */

const recover = (() => {
  const SIZES = ["positives", "negatives", "total"];
  const OPTIONS = ["rounding", "undefined", "max_total"];
  const field = Object.fromEntries([...SIZES, ...OPTIONS].map((name) => [name, $(`r-${name.replace("_", "-")}`)]));
  const list = $("r-scores");
  const picture = figure("Tables that fit");
  const left = figure("What the other claims leave");

  function addRow(name = "", text = "", after = null) {
    const row = h("li", {},
      h("input", { class: "score-name", list: "metric-names", value: name, placeholder: "score", "aria-label": "Name of the score", spellcheck: false, autocapitalize: "off" }),
      h("input", { class: "score-text", value: text, placeholder: "as printed", "aria-label": "Score as printed", spellcheck: false }),
      h("button", { type: "button", class: "icon", title: "Remove this score", "aria-label": "Remove this score" }, "×"));
    if (after) after.after(row);
    else list.append(row);
    return row;
  }
  const rows = () => [...list.children].map((row) => ({ row, name: row.querySelector(".score-name"), text: row.querySelector(".score-text") }));

  function removeRow(row) {
    const near = row.previousElementSibling || row.nextElementSibling;
    row.remove();
    (near || addRow()).querySelector("input").focus();
    self.changed();
  }

  list.addEventListener("click", (event) => { if (event.target.closest(".icon")) removeRow(event.target.closest("li")); });
  list.addEventListener("keydown", (event) => {
    const row = event.target.closest("li");
    if (event.key === "Enter" && event.target.matches("input")) {
      event.preventDefault();
      const inName = event.target.matches(".score-name");
      const next = inName ? row : row.nextElementSibling || addRow("", "", row);
      next.querySelector(inName ? ".score-text" : ".score-name").focus();
    }
    const emptied = event.target.matches(".score-name") && !event.target.value && !row.querySelector(".score-text").value;
    if (event.key === "Backspace" && emptied && list.children.length > 1) { event.preventDefault(); removeRow(row); }
  });
  $("r-add").addEventListener("click", () => addRow().querySelector("input").focus());

  /** What is typed, as pairs; a row without name or text is not counted yet, and says so. */
  function pairs() {
    const found = [...SIZES, ...OPTIONS].filter((name) => field[name].value.trim()).map((name) => [name, field[name].value.trim()]);
    for (const { row, name, text } of rows()) {
      row.querySelector(".pending")?.remove();
      const half = Boolean(name.value.trim()) !== Boolean(text.value.trim());
      if (half && document.activeElement !== name && document.activeElement !== text) row.append(h("span", { class: "pending" }, `Not counted: no ${name.value.trim() ? "number" : "name"} yet.`));
      if (name.value.trim() && text.value.trim()) found.push([name.value.trim(), text.value]);
    }
    return found;
  }
  const link = () => new URLSearchParams([
    ...[...SIZES, ...OPTIONS].filter((name) => field[name].value.trim()).map((name) => [name, field[name].value.trim()]),
    ...rows().filter(({ name, text }) => name.value.trim() && text.value.trim()).map(({ name, text }) => [name.value.trim(), text.value]),
  ]).toString();

  function read() {
    const given = pairs();
    if (!rows().some(({ name, text }) => name.value.trim() && text.value.trim())) return null;
    const names = new Set();
    for (const [name] of given) {
      if (names.has(name)) throw local(name, "is given twice", "give each name once");
      names.add(name);
    }
    const body = Object.fromEntries(given);
    return { body, get: (signal) => ask("api/recover", body, signal) };
  }

  function refuse(error) {
    const found = rows().filter(({ name }) => name.value.trim() && plain(name.value) === plain(String(error.argument)));
    if (!found.length || SIZES.includes(error.argument)) return false;
    const { row, name, text } = found.at(-1);
    errorAt([/metric|ambiguous/.test(error.code || "ambiguous") ? name : text], (note) => row.append(note), error);
    return true;
  }

  function contradiction(names, sure) {
    if (names.length === 1) return `no table has this ${names[0]}`;
    if (!sure) return `${listed(names)} contradict each other`;
    if (names.length === 2) return `${names[0]} and ${names[1]} contradict each other; each alone is possible`;
    const few = { 3: "any two", 4: "any three" }[names.length] || `any ${names.length - 1}`;
    return `${listed(names)} contradict each other; ${few} of them are possible`;
  }

  function implied(each) {
    const digits = decimals(each.reported);
    const [low, high] = [number(each.low, digits), number(each.high, digits)];
    return `${listed(each.others)} ${each.others.length > 1 ? "force" : "forces"} ${each.name} ${low === high ? low : `from ${low} to ${high}`}, not ${each.reported}`;
  }

  function sayVerdict(box, found) {
    if (found.verdict === "impossible") {
      const sure = !found.notes.some((note) => note.code === "blame_incomplete");
      const kinds = new Set(found.repairs.map((repair) => repair.kind));
      const only = kinds.size === 1 && kinds.has("undefined_as_zero") ? " Possible if undefined scores were printed as 0." : "";
      const words = found.contradictions.map((names) => contradiction(names, sure)).join("; ") || "no table fits";
      verdict(box, "bad", `Impossible: ${words}.${only}`, found.implied.length > 0 && h("ul", {}, found.implied.map((each) => h("li", {}, implied(each)))));
    } else if (found.verdict === "undecided") {
      verdict(box, "open", "Undecided: the budget was spent before an answer was certain.", ...found.notes.map((note) => h("p", {}, `${note.text}.`)));
    } else {
      const fit = found.count === 1 ? "1 table fits." : `${whole(found.count)} tables fit.`;
      const cells = Object.entries(found.cells).map(([name, [low, high]]) => h("span", {}, `${name} `, h("b", {}, low === high ? whole(low) : `${whole(low)}-${whole(high)}`)));
      verdict(box, "good", found.complete ? fit : `At least ${fit}`, cells.length > 0 && h("p", { class: "cells" }, cells.flatMap((cell) => [cell, " "])));
    }
  }

  function boundsTable(found) {
    const claimed = new Map(found.claim.scores.map((score) => [score.metric, score.text]));
    const ids = [...Object.keys(found.bounds)].sort((a, b) => claimed.has(b) - claimed.has(a));
    const rows = ids.map((id) => {
      const { low, high, low_table: least, high_table: most } = found.bounds[id];
      const known = catalogue.get(id) || {};
      const label = h("th", { scope: "row", class: "name", title: known.says }, labelOf(id), claimed.has(id) && h("span", { class: "tag" }, "reported ", claimed.get(id)));
      if (low === null || high === null) return h("tr", {}, label, h("td", { colSpan: 3 }, shown(null, known.undefined_where)));
      const [start, end] = [fraction(known.low), fraction(known.high)];
      let track = null;
      if (known.low !== undefined && end !== null) {
        const bar = h("i");
        bar.style.left = `${Math.min(99, (100 * (low - start)) / (end - start))}%`;
        bar.style.width = `${(100 * (high - low)) / (end - start)}%`;
        track = h("div", { class: `track${start < 0 ? " zero" : ""}`, "aria-hidden": "true" }, bar);
      }
      const at = (table) => (table ? CELLS.map((name) => `${name} ${table[name]}`).join("  ") : null);
      return h("tr", {}, label, h("td", { class: "n", title: at(least) }, number(low)), h("td", { class: "n", title: at(most) }, number(high)), h("td", {}, track));
    });
    return dataTable("Bounds of every metric", [{ text: "metric" }, { text: "at least", n: true }, { text: "at most", n: true }, { text: "" }], rows);
  }

  function repairsPart(found) {
    if (!found.repairs.length) return null;
    const items = found.repairs.map((repair) => {
      const cells = CELLS.map((name) => `${name}=${repair.table[name]}`).join(" ");
      const tables = repair.count === 1 ? "the only table" : `one of ${whole(repair.count)} tables`;
      return h("li", {}, h("b", {}, repair.change), h("span", { class: "then" }, `: then ${cells} fits, ${tables}`), h("span", { class: "tag" }, "hypothesis"));
    });
    return part("Single changes that would make it possible", "Each is no more than a hypothesis.", h("ul", { class: "repairs" }, items));
  }

  async function render(found, asked, signal, { box, body }) {
    sayVerdict(box, found);
    const notes = found.verdict === "undecided" ? null : notesOf(found.notes);
    const parts = [];
    const drawing = found.verdict !== "undecided" && (found.count > 0 || found.contradictions.length > 0);
    const drawn = drawing && part(found.count ? "Where the tables lie" : "The claims", null, picture.element);
    const leftPart = drawing && !found.count && found.implied.length > 0 && part("What the other claims leave", null, left.element);
    if (drawn) { picture.stale(); }
    if (found.tables.length) {
      const rows = found.tables.map((table) => h("tr", {}, CELLS.map((name) => h("td", { class: "n" }, whole(table[name])))));
      const rest = found.count > found.tables.length ? h("p", { class: "sub" }, `... and ${whole(found.count - found.tables.length)} more`) : null;
      const tables = part("Tables", null, scroll("Tables that fit", dataTable("Tables that fit", CELLS.map((name) => ({ text: name, n: true })), rows, "cells4"), true), rest);
      parts.push(h("div", { class: "pair" }, drawn, tables));
    } else {
      parts.push(repairsPart(found), drawn, leftPart);
    }
    if (found.count && Object.keys(found.bounds).length) parts.push(part("Bounds of every metric", "over all tables that fit", scroll("Bounds of every metric", boundsTable(found))));
    body.replaceChildren(...parts.filter(Boolean), ...(notes ? [notes] : []), h("div", { class: "row" }, saveJson(found, "recovery.json")));
    if (!drawing) return;
    if (leftPart) left.stale();
    const { charts, failed } = await pictures("charts/recover", asked.body, signal).catch(() => ({ charts: null }));
    if (!charts || signal.aborted) return;
    if (charts.feasible) picture.show(charts.feasible);
    else if (failed) picture.fail(`No picture: ${failed}.`);
    else drawn.remove();
    if (leftPart && charts.bounds) left.show(charts.bounds, { said: "last" });
    else if (leftPart) leftPart.remove();
  }

  const self = question("recover", { read, render, refuse, link });
  const form = self.panel.querySelector("form");
  form.addEventListener("input", () => self.changed());
  form.addEventListener("change", (event) => { if (event.target.matches("select")) self.changed(); });
  list.addEventListener("focusout", () => setTimeout(pairs, 0));

  self.load = (query) => {
    const known = new Set([...SIZES, ...OPTIONS]);
    for (const name of known) field[name].value = "";
    list.replaceChildren();
    for (const [name, text] of new URLSearchParams(query)) {
      if (known.has(name) && !field[name].value) {
        field[name].value = text;
        if (field[name].matches("select") && field[name].value !== text) {
          field[name].append(h("option", { value: text }, text));
          field[name].value = text;
        }
      } else addRow(name, text);
    }
    if (OPTIONS.some((name) => field[name].value)) $("r-options").open = true;
    while (list.children.length < 2) addRow();
    self.now();
  };

  /* Many reports at once */
  const KINDS = { unique: "good", several: "good", impossible: "bad", undecided: "open", error: "bad" };
  const place = $("r-review");
  let reviewing = null;

  async function review(file) {
    reviewing?.abort();
    reviewing = new AbortController();
    const mine = reviewing;
    clearErrors(self.panel);
    const status = h("p", { class: "counts", role: "status" }, `Reading ${file.name}`);
    const bar = h("progress", { max: 1, "aria-label": "Progress" });
    const body = h("tbody");
    const head = h("tr");
    const table = scroll("Verdicts", h("table", { class: "data" }, h("caption", { class: "unseen" }, "Verdict of each report"), h("thead", {}, head), body), true);
    const rest = h("p", { class: "sub" });
    const save = h("button", { type: "button", hidden: true }, "Download all as CSV");
    const close = h("button", { type: "button", class: "quiet", onclick: () => { mine.abort(); place.hidden = true; place.replaceChildren(); } }, "Close");
    table.hidden = true;
    place.hidden = false;
    place.replaceChildren(part(file.name, null, status, bar, table, rest, h("div", { class: "row" }, save, close)));
    const form = () => {
      const made = new FormData();
      made.append("file", file, file.name);
      for (const name of OPTIONS) if (field[name].value.trim()) made.append(name, field[name].value.trim());
      return made;
    };
    const counts = new Map();
    let seen = 0;
    const tell = (end) => {
      const words = [...counts].sort().map(([name, count]) => `${count} ${name}`).join(", ");
      status.textContent = `${many(seen, "report")}${words ? `: ${words}` : ""}${end}`;
    };
    const takeRow = (row) => {
      seen += 1;
      counts.set(row.verdict, (counts.get(row.verdict) || 0) + 1);
      if (seen > MOST_ROWS) return;
      const names = Object.keys(row);
      const own = names.slice(0, names.indexOf("verdict"));
      if (seen === 1) {
        table.hidden = false;
        head.replaceChildren(...["", "verdict", "tables", "why", ...own].map((name, i) => h("th", { scope: "col", class: i === 0 || i === 2 ? "n" : null }, i ? name : "row")));
      }
      const blamed = (row.blame || "").split("; ").filter(Boolean).map((names) => contradiction(names.split(" + "), false)).join("; ");
      const why = row.error || blamed || row.notes || "";
      body.append(h("tr", {}, h("td", { class: "n" }, String(seen)), h("td", {}, h("span", { class: `word ${KINDS[row.verdict] || ""}` }, row.verdict)),
        h("td", { class: "n" }, row.count === null || row.count === undefined ? "-" : whole(row.count)), h("td", { class: why ? "words" : null }, why),
        own.map((name) => h("td", {}, row[name] === null || row[name] === undefined ? "" : String(row[name])))));
    };
    const takeLine = (line) => {
      if (!line.trim()) return;
      const found = JSON.parse(line);
      const error = found.schema === "fourfold/error" ? found : found.error && found.error.schema === "fourfold/error" ? found.error : null;
      if (error) throw new Problem(error);
      if (found.row) takeRow(found.row);
      else if ("verdict" in found) takeRow(found);
      const share = found.progress ?? found.share;
      if (typeof share === "number") bar.value = share;
    };
    try {
      const answer = await reply("api/review", form(), mine.signal, "application/x-ndjson");
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let held = "";
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        const lines = (held + next.value).split("\n");
        held = lines.pop();
        lines.forEach(takeLine);
        tell(" so far.");
      }
      takeLine(held);
      tell(".");
      bar.remove();
      rest.textContent = seen > MOST_ROWS ? `The first ${MOST_ROWS} are shown; the download has all.` : "";
      save.hidden = false;
      save.addEventListener("click", async () => {
        save.disabled = true;
        try {
          download(await (await reply("api/review", form(), undefined, "text/csv")).blob(), `${file.name.replace(/\.[^.]*$/, "")}-verdicts.csv`);
        } catch (error) {
          rest.textContent = `${said(error)}.`;
        }
        save.disabled = false;
      });
    } catch (error) {
      if (mine.signal.aborted) return;
      bar.remove();
      const told = error instanceof Problem ? error.error : { problem: "broke off", argument: "table", hint: "choose the file again" };
      status.textContent = `${seen ? `After ${many(seen, "report")}: ` : ""}${told.argument ? `${told.argument}: ` : ""}${told.problem}${told.got ? `, got ${told.got}` : ""}.`;
      status.className = "error";
      rest.textContent = told.hint ? `Hint: ${told.hint}.` : "";
    }
  }
  dropZone($("r-drop"), $("r-file"), ([file]) => review(file));
  return self;
})();

/* ---------- Groups ---------- */

const groups = (() => {
  const body = $("g-rows");
  const forest = figure("Groups with their intervals", true);
  const law = figure("The law of a group's score");
  const strength = $("g-strength");
  const auto = $("g-auto");
  let file = null;
  let chosen = null;
  let lawKey = "";
  let lawControl = null;
  const lawPart = h("section", { class: "part", id: "g-law", "aria-live": "polite" });

  function addRow(values = ["", "", "", "", ""], after = null) {
    const names = ["group", ...CELLS];
    const row = h("tr", {}, names.map((name, i) => h("td", {}, h("input", { value: values[i] ?? "", "data-column": name, "aria-label": i ? name : "Name of the group", inputmode: i ? "numeric" : null, spellcheck: false }))),
      h("td", {}, h("button", { type: "button", class: "icon", title: "Remove this group", "aria-label": "Remove this group" }, "×")));
    if (after) after.after(row);
    else body.append(row);
    named();
    return row;
  }
  const inputs = (row) => [...row.querySelectorAll("input")];
  const named = () => [...body.rows].forEach((row, i) => { inputs(row)[0].placeholder = `group ${i + 1}`; });

  function typed() {
    return [...body.rows].map((row, i) => {
      const [name, ...cells] = inputs(row).map((input) => input.value.trim());
      return { row, name: name || `group ${i + 1}`, cells, full: cells.every(Boolean), any: Boolean(name) || cells.some(Boolean) };
    });
  }

  body.addEventListener("click", (event) => {
    if (!event.target.closest(".icon")) return;
    const row = event.target.closest("tr");
    const near = row.previousElementSibling || row.nextElementSibling;
    row.remove();
    inputs(near || addRow())[0].focus();
    named();
    self.changed();
  });
  body.addEventListener("keydown", (event) => {
    const row = event.target.closest("tr");
    if (!event.target.matches("input")) return;
    const column = inputs(row).indexOf(event.target);
    let next = null;
    if (event.key === "Enter") { event.preventDefault(); next = row.nextElementSibling || addRow(undefined, row); }
    if (event.key === "ArrowDown") next = row.nextElementSibling;
    if (event.key === "ArrowUp") next = row.previousElementSibling;
    if (next) inputs(next)[event.key === "Enter" && column === 4 ? 0 : column].focus();
  });
  body.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text").replace(/\s+$/, "");
    if (!/[\t\n\r,;]/.test(text)) return;
    const first = text.split(/\r?\n|\r/, 1)[0];
    let cells = delimited(text, delimiterOf(first)).map((row) => row.map((cell) => cell.trim()));
    if (cells.length === 1 && cells[0].length === 1) return;
    event.preventDefault();
    let columns = null;
    const heads = cells[0].map(plain);
    if (CELLS.every((name) => heads.includes(name))) {
      const label = heads.findIndex((name) => !CELLS.includes(name));
      columns = [label, ...CELLS.map((name) => heads.indexOf(name))];
      cells = cells.slice(1);
    }
    let row = event.target.closest("tr");
    const start = columns ? 0 : inputs(row).indexOf(event.target);
    for (const [i, values] of cells.entries()) {
      if (i) row = row.nextElementSibling || addRow();
      const into = inputs(row);
      (columns ? columns.map((at) => (at < 0 ? "" : values[at] ?? "")) : values).forEach((value, at) => {
        const input = into[start + at];
        if (input) input.value = start + at ? value.replace(/^(\d{1,3})([ ,]\d{3})+$/, (all) => all.replace(/[ ,]/g, "")) : value;
      });
    }
    self.changed();
  });
  $("g-add").addEventListener("click", () => inputs(addRow())[0].focus());

  const source = () => self.panel.querySelector("[name=g-source]:checked").value;
  function showSource() {
    $("g-tables").hidden = source() !== "tables";
    $("g-file-part").hidden = source() !== "file";
  }
  const metrics = chips("g-metric-chips", "g-metric", "metric-names", "the usual ones", () => self.changed());
  const by = chips("g-by-chips", "g-by", "g-columns", "name of a column", () => self.changed());
  const value = (id) => $(id).value.trim();
  const strengthText = () => (auto.checked ? "auto" : strength.value);
  function showStrength() {
    $("g-strength-shown").textContent = auto.checked ? "learnt" : strength.value;
    strength.disabled = auto.checked;
  }

  function read() {
    const options = {};
    if (value("g-reference")) options.reference = value("g-reference");
    if (value("g-level")) options.level = /^\d*\.?\d+$/.test(value("g-level")) ? Number(value("g-level")) : value("g-level");
    options.strength = auto.checked ? "auto" : Number(strength.value);
    if (source() === "tables") {
      const rows = typed();
      for (const { row, full, any } of rows) for (const input of inputs(row).slice(1)) input.placeholder = any && !full ? "?" : "";
      const counted = rows.filter(({ full }) => full);
      if (!counted.length) return null;
      const names = new Set();
      for (const { name } of counted) {
        if (names.has(name)) throw local("groups", `have the name ${name} twice`, "name them apart");
        names.add(name);
      }
      const tables = Object.fromEntries(counted.map(({ name, cells }) => [name, Object.fromEntries(CELLS.map((cell, i) => [cell, /^\d{1,15}$/.test(cells[i]) ? Number(cells[i]) : cells[i]]))]));
      const asked = { groups: tables, ...options, ...(metrics.get().length ? { metrics: metrics.get() } : {}) };
      return { path: "audit-tables", body: asked, get: (signal) => ask("api/audit-tables", asked, signal) };
    }
    if (!file || !value("g-truth") || !value("g-prediction") || !by.get().length) return null;
    const form = () => {
      const made = new FormData();
      made.append("file", file, file.name);
      made.append("truth", value("g-truth"));
      made.append("prediction", value("g-prediction"));
      for (const name of by.get()) made.append("by", name);
      for (const name of metrics.get()) made.append("metric", name);
      if (value("g-positive")) made.append("positive", value("g-positive"));
      for (const [name, given] of Object.entries(options)) made.append(name, String(given));
      return made;
    };
    return { path: "audit", body: form(), get: (signal) => ask("api/audit", form(), signal) };
  }

  function link() {
    const found = [];
    if (source() === "tables") for (const { name, cells, full } of typed()) { if (full) found.push(["group", [...cells, name].join(",")]); }
    else found.push(["source", "file"], ["truth", value("g-truth")], ["prediction", value("g-prediction")], ...by.get().map((name) => ["by", name]), ["positive", value("g-positive")]);
    found.push(...metrics.get().map((name) => ["metric", name]), ["reference", value("g-reference")], ["level", value("g-level")]);
    if (strengthText() !== "10") found.push(["strength", strengthText()]);
    const query = found.filter(([, text]) => text);
    return query.length === 1 && query[0][0] === "source" ? "" : new URLSearchParams(query).toString();
  }

  function refuse(error) {
    if (source() !== "tables") return false;
    const under = (note) => $("g-add").before(note);
    if (CELLS.includes(error.argument)) {
      const wrong = typed().filter(({ full }) => full).flatMap(({ row }) => inputs(row)).filter((input) => input.dataset.column === error.argument && !/^\d+$/.test(input.value.trim()));
      errorAt(wrong.slice(0, 1), under, { ...error, problem: `${error.argument} ${error.problem}` });
      return true;
    }
    const row = typed().find(({ name }) => name === error.argument);
    if (error.argument === "groups" || row) { errorAt(row ? [inputs(row.row)[0]] : [], under, error); return true; }
    return false;
  }

  /** What a reader should know of a finding; fourfold.report says it in the same words. */
  function words(each, wanted) {
    const found = each.undefined_because ? [each.undefined_because] : [];
    if (each.p_holm !== null && each.p_holm <= 1 - wanted) found.push("different from the reference");
    else if (each.p_value !== null && each.p_value <= 1 - wanted) found.push("different taken alone, not after correction for all tests");
    else if (each.too_small) found.push(`too small: no score could have been significant with n=${each.n}`);
    else if (each.significant_up_to !== null && each.significant_from === null) found.push(`with n=${each.n} only a score up to ${number(each.significant_up_to)} could have been significant`);
    else if (each.significant_from !== null && each.significant_up_to === null) found.push(`with n=${each.n} only a score from ${number(each.significant_from)} on could have been significant`);
    const told = new Set(["approximation", "impossible_cell", "small_reference", "group_is_reference", "no_reference", "overlapping_reference"]);
    return [...found, ...each.notes.filter((note) => told.has(note.code)).map((note) => note.text)].join("; ");
  }

  const against = (reference) => ({ rest: "all other cases", all: "all cases" })[reference] || reference;

  /** The cells that a group was compared with: the whole without it, the whole, or a named group. */
  function referenceOf(found, each) {
    if (found.reference === "all") return found.table;
    if (found.reference === "rest") return Object.fromEntries(CELLS.map((name) => [name, found.table[name] - each[name]]));
    const other = found.findings.find((finding) => finding.group === found.reference);
    return other && other.group !== each.group ? Object.fromEntries(CELLS.map((name) => [name, other[name]])) : null;
  }

  async function showLaw(found, each, signal) {
    const reference = referenceOf(found, each);
    const title = `${labelOf(each.metric)} of ${each.group}`;
    if (!reference || each.percentile === null && each.score !== null) {
      lawKey = "";
      lawPart.replaceChildren(h("h3", {}, title), h("p", {}, "There is nothing to compare this group with."));
      return;
    }
    const asked = { metric: each.metric, group: Object.fromEntries(CELLS.map((name) => [name, each[name]])), reference, reference_uncertainty: Boolean(each.reference_uncertainty) };
    const key = JSON.stringify([each.group, asked]);
    if (key === lawKey && lawPart.childElementCount) return;
    lawControl?.abort();
    lawControl = new AbortController();
    const mine = lawControl;
    signal?.addEventListener("abort", () => mine.abort());
    lawPart.classList.add("stale");
    try {
      const result = await ask("api/match", asked, mine.signal);
      const facts = {
        "a lower score": chance(result.below), "the same score": chance(result.equal), "a higher score": chance(result.above),
        "percentile (at most as high)": chance(result.percentile), "p-value, two-sided": chance(result.p_value),
        "with half the chance of a tie (mid-p)": chance(result.mid_p), undefined: result.undefined ? chance(result.undefined) : "never", method: result.method + (result.reference_uncertainty ? ", reference uncertain" : ""),
      };
      let line = result.score === null ? `${labelOf(each.metric)} is undefined in ${many(each.n, "case")}${each.undefined_because ? `: ${each.undefined_because}` : ""}` : `${labelOf(each.metric)} ${number(result.score)} in ${many(each.n, "case")}`;
      if (result.p_lower !== null && result.p_upper !== null) {
        const side = result.p_lower <= result.p_upper ? "so low or lower" : "so high or higher";
        line += `: drawn from the reference, as many cases score ${side} with a chance of ${chance(Math.min(result.p_lower, result.p_upper))}`;
      }
      if (mine.signal.aborted) return;
      law.stale();
      lawPart.replaceChildren(h("header", {}, h("h3", {}, title), h("p", { class: "sub" }, "the law of the score, and where the group lies")), h("p", {}, `${line}.`), law.element,
        h("dl", { class: "facts" }, Object.entries(facts).flatMap(([name, fact]) => [h("dt", {}, name), h("dd", {}, fact)])), notesOf(result.notes) || "");
      lawPart.classList.remove("stale");
      lawKey = key;
      const { charts, failed } = await pictures("charts/match", asked, mine.signal);
      if (charts.law) law.show(charts.law, { said: "none" });
      else law.fail(`No picture${failed ? `: ${failed}` : ""}.`);
    } catch (error) {
      if (mine.signal.aborted) return;
      lawKey = "";
      lawPart.classList.remove("stale");
      lawPart.replaceChildren(h("h3", {}, title), h("p", { class: "error" }, `${said(error)}.`));
    }
  }

  function findingsPart(found, id, choose) {
    const own = found.findings.filter((each) => each.metric === id);
    const heads = ["group", "n", "score", `${level(found.level)} interval`, "percentile", "p (Holm)", "smoothed", "note"];
    const rows = own.slice(0, 5 * MOST_ROWS).map((each) => {
      const differs = each.p_holm !== null && each.p_holm <= 1 - found.level;
      const button = h("button", { type: "button", class: "link", title: "Show the law of this score", "data-group": each.group, "data-metric": id, onclick: () => choose(each, true) }, each.group);
      return h("tr", { class: differs ? "differs" : null }, h("th", { scope: "row", class: "name" }, button), h("td", { class: "n" }, whole(each.n)), h("td", { class: "n score" }, shown(each.score)),
        h("td", { class: "n" }, between(each.low, each.high, each.unlimited)), h("td", { class: "n" }, chance(each.percentile)), h("td", { class: "n p" }, chance(each.p_holm)),
        h("td", { class: "n" }, each.test_method === null ? "-" : shown(each.smoothed)), h("td", { class: "words" }, words(each, found.level)));
    });
    const overall = found.overall[id];
    const rest = own.length > rows.length ? h("p", { class: "sub" }, `... and ${own.length - rows.length} more groups`) : null;
    return part(labelOf(id), `${number(overall.value)} overall`, scroll(`Findings for ${labelOf(id)}`, dataTable(`Findings for ${labelOf(id)}`, heads.map((text, i) => ({ text, n: i > 0 && i < 7 })), rows, "tight"), own.length > 20), rest);
  }

  async function render(found, asked, signal, { box, body: place }) {
    const wanted = found.level;
    const different = found.findings.filter((each) => each.p_holm !== null && each.p_holm <= 1 - wanted);
    const count = new Set(found.findings.map((each) => each.group)).size;
    const names = [...new Map(different.map((each) => [`${each.group}\n${each.metric}`, each])).values()];
    const firsts = names.slice(0, 6).map((each) => h("li", {}, `${each.group}: ${labelOf(each.metric)} ${number(each.score)}, p = ${chance(each.p_holm)} (Holm)`));
    const more = names.length > 6 && h("li", {}, `and ${names.length - 6} more`);
    const total = CELLS.reduce((sum, name) => sum + found.table[name], 0);
    const base = h("p", {}, `${many(total, "case")} in ${many(count, "group")}, each compared with ${against(found.reference)}; strength ${general(found.strength, 4)} (${found.strength_chosen_by}).`);
    const several = found.metrics.length > 1 ? ` of ${many(found.findings.length, "comparison")}` : ` of ${many(count, "group")}`;
    if (different.length) verdict(box, "differs", `${different.length}${several} ${different.length === 1 ? "is" : "are"} different from ${against(found.reference)}.`, h("ul", {}, firsts, more), base);
    else verdict(box, "plain", `No group is shown to be different from ${against(found.reference)}.`, base);
    $("g-references").replaceChildren(...["rest", "all", ...new Set(found.findings.map((each) => each.group))].slice(0, 500).map((name) => h("option", { value: name })));

    const choose = (each, move) => {
      chosen = { group: each.group, metric: each.metric };
      for (const button of place.querySelectorAll(".link[data-group]")) button.setAttribute("aria-pressed", String(button.dataset.group === each.group && button.dataset.metric === each.metric));
      showLaw(found, each, signal);
      if (move) lawPart.scrollIntoView({ block: "nearest", behavior: window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    };
    const focused = document.activeElement?.dataset?.group !== undefined ? { ...document.activeElement.dataset } : null;
    forest.stale();
    const drawing = part("Groups", `score, interval and smoothed score`, forest.element);
    const notes = notesOf(found.notes);
    place.replaceChildren(drawing, ...found.metrics.map((id) => findingsPart(found, id, choose)), h("p", { class: "sub" }, "Choose a group to see the law of its score."), lawPart, ...(notes ? [notes] : []), h("div", { class: "row" }, saveJson(found, "audit.json")));
    const ranked = [...found.findings].filter((each) => each.p_holm !== null).sort((a, b) => a.p_holm - b.p_holm);
    const pick = (chosen && found.findings.find((each) => each.group === chosen.group && each.metric === chosen.metric)) || ranked[0] || found.findings[0];
    if (pick) { const before = chosen; choose(pick, false); if (!before) chosen = null; }
    if (focused) [...place.querySelectorAll(".link[data-group]")].find((button) => button.dataset.group === focused.group && button.dataset.metric === focused.metric)?.focus();
    const { charts, failed } = await pictures(`charts/${asked.path}`, asked.body, signal).catch(() => ({ charts: null }));
    if (!charts || signal.aborted) return;
    if (charts.forest) forest.show(charts.forest);
    else forest.fail(`No picture${failed ? `: ${failed}` : ""}.`);
  }

  const self = question("groups", { read, render, refuse, link, wait: () => (source() === "file" ? WAIT_FILE : WAIT) });
  const form = self.panel.querySelector("form");
  form.addEventListener("input", (event) => {
    if (event.target.name === "g-source") showSource();
    if (event.target === strength || event.target === auto) showStrength();
    self.changed();
  });

  async function took([given]) {
    file = given;
    $("g-chosen").textContent = `${file.name} (${size(file.size)})`;
    const columns = await columnsOf(file);
    $("g-columns").replaceChildren(...columns.map((name) => h("option", { value: name })));
    if (columns.length) {
      if (!columns.includes(value("g-truth"))) $("g-truth").value = guess(columns, TRUTH);
      if (!columns.includes(value("g-prediction"))) $("g-prediction").value = guess(columns, PREDICTION);
      by.set(by.get().filter((name) => columns.includes(name)));
    }
    self.panel.querySelector("[name=g-source][value=file]").checked = true;
    showSource();
    chosen = null;
    self.now();
    if (!by.get().length) $("g-by").focus();
  }
  dropZone($("g-drop"), $("g-file"), took);

  self.load = (query) => {
    const given = new URLSearchParams(query);
    body.replaceChildren();
    for (const text of given.getAll("group")) {
      const [tp, fn, fp, tn, ...name] = text.split(",");
      addRow([name.join(","), tp, fn, fp, tn]);
    }
    while (body.rows.length < 3) addRow();
    metrics.set(given.getAll("metric"));
    by.set(given.getAll("by"));
    for (const name of ["truth", "prediction", "positive", "reference", "level"]) $(`g-${name}`).value = given.get(name) || "";
    const wanted = given.get("strength") || "10";
    auto.checked = wanted === "auto";
    strength.value = auto.checked ? "10" : wanted;
    self.panel.querySelector(`[name=g-source][value=${given.get("source") === "file" ? "file" : "tables"}]`).checked = true;
    if (given.get("reference") || given.get("level")) $("g-options").open = true;
    if (!query) { file = null; $("g-chosen").textContent = ""; }
    chosen = null;
    showSource();
    showStrength();
    self.now();
  };
  return self;
})();

/* ---------- Certainty ---------- */

const certainty = (() => {
  let files = [];
  const bars = figure("Certain and uncertain scores", true);
  const curves = new Map();
  const matrices = new Map();
  const value = (id) => $(id).value.trim();
  const metrics = chips("c-metric-chips", "c-metric", "metric-names", "the usual ones", () => self.changed());
  const by = chips("c-by-chips", "c-by", "c-columns", "name of a column", () => self.changed());
  const kept = (store, name, title) => { if (!store.has(name)) store.set(name, figure(title)); return store.get(name); };

  function read() {
    if (!files.length || !value("c-truth") || !value("c-probabilities")) return null;
    const form = () => {
      const made = new FormData();
      for (const file of files) made.append("file", file, file.name);
      made.append("truth", value("c-truth"));
      made.append("probabilities", value("c-probabilities"));
      for (const name of by.get()) made.append("by", name);
      for (const name of metrics.get()) made.append("metric", name);
      for (const name of ["prediction", "convention"]) if (value(`c-${name}`)) made.append(name, value(`c-${name}`));
      return made;
    };
    return { form, get: (signal) => ask("api/certainty", form(), signal) };
  }

  function link() {
    const found = [["truth", value("c-truth")], ["probabilities", value("c-probabilities") === "p_*" ? "" : value("c-probabilities")], ...metrics.get().map((name) => ["metric", name]),
      ...by.get().map((name) => ["by", name]), ["prediction", value("c-prediction")], ["convention", value("c-convention")]];
    return new URLSearchParams(found.filter(([, text]) => text)).toString();
  }

  function modelPart(found, name) {
    const model = found.models[name];
    const own = found.ratios.filter((each) => each.model === name);
    const several = own.some((each) => each.part !== null);
    const noted = own.some((each) => each.reasons.length);
    const heads = ["metric", ...(several ? ["part"] : []), "hard", "soft", "certain", "uncertain", "certainty ratio", ...(noted ? ["note"] : [])];
    const rows = own.slice(0, 5 * MOST_ROWS).map((each) => h("tr", { class: several && each.part === null ? "differs" : null },
      h("th", { scope: "row", class: "name" }, each.part === null || !several ? labelOf(each.metric) : h("span", { class: "sub" }, labelOf(each.metric))), several && h("td", {}, each.part === null ? "all" : each.part),
      ["hard", "soft", "certain", "uncertain"].map((kind) => h("td", { class: "n" }, shown(each[kind]))), h("td", { class: "n value" }, shown(each.value)), noted && h("td", { class: "words" }, each.reasons.join("; "))));
    const mass = `${many(model.rows_read, "row")}; mass certain ${number(model.weight_certain)}, uncertain ${number(model.weight_uncertain)}; divergence ${number(model.divergence)} (at most ${number(model.largest_divergence)}); rows tied at the top: ${model.tied}`;
    return part(name, null, scroll(`Scores of ${name}`, dataTable(`Scores of ${name}`, heads.map((text, i) => ({ text, n: i > (several ? 1 : 0) && text !== "note" })), rows), rows.length > 20), h("p", { class: "sub" }, `${mass}.`));
  }

  async function render(found, asked, signal, { box, body }) {
    const names = Object.keys(found.models);
    const lines = names.map((name) => {
      const model = found.models[name];
      const own = found.ratios.filter((each) => each.model === name && each.part === null);
      const ratios = own.map((each) => `${labelOf(each.metric)} ${each.value === null ? "undefined" : number(each.value)}`).join(", ");
      return h("li", {}, `${name}: certainty ratio of ${ratios}; ${number(100 * model.weight_certain, 1)} % of the probability lies on predicted classes.`);
    });
    const first = found.ratios.find((each) => each.part === null);
    let head = `${names.length} models side by side.`;
    if (names.length === 1 && first) {
      head = first.value === null ? `The certainty ratio of ${labelOf(first.metric)} is undefined${first.reasons.length ? `: ${first.reasons.join("; ")}` : ""}.`
        : `The certainty ratio of ${labelOf(first.metric)} is ${number(first.value)}.`;
    }
    const others = found.ratios.filter((each) => each.part === null && each !== first).map((each) => `${labelOf(each.metric)} ${number(each.value)}`);
    const one = `${others.length ? `Of ${listed(others)}. ` : ""}${number(100 * found.models[names[0]].weight_certain, 1)} % of the probability lies on predicted classes.`;
    verdict(box, "plain", head, names.length > 1 ? h("ul", {}, lines) : h("p", {}, one));
    bars.stale();
    const drawing = part("Certain and uncertain", null, bars.element);
    const curvePart = h("div", { class: "side" });
    const matrixParts = names.map((name) => {
      const one = kept(matrices, name, `Four matrices of ${name}`);
      one.stale();
      return part(names.length > 1 ? `Four matrices: ${name}` : "Four matrices", null, one.element);
    });
    const notes = notesOf(found.notes);
    body.replaceChildren(...names.map((name) => modelPart(found, name)), drawing, h("div", { class: names.length > 1 ? "side" : "" }, matrixParts), curvePart, ...(notes ? [notes] : []), h("div", { class: "row" }, saveJson(found, "certainty.json")));
    const { charts, notes: said, failed } = await pictures("charts/certainty", asked.form(), signal).catch(() => ({ charts: null }));
    if (!charts || signal.aborted) return;
    if (charts.bars) bars.show(charts.bars);
    else bars.fail(`No picture${failed ? `: ${failed}` : ""}.`);
    names.forEach((name, i) => {
      const spec = charts.matrices && (charts.matrices[name] || Object.values(charts.matrices)[i]);
      if (spec) matrices.get(name).show(spec);
      else matrices.get(name).fail(failed ? `No picture: ${failed}.` : "No picture.");
    });
    const lineCharts = charts.curves ? (charts.curves.layer || charts.curves.title ? { mcp: charts.curves } : charts.curves) : { mcp: charts.mcp, imcp: charts.imcp };
    for (const [kind, spec] of Object.entries(lineCharts)) {
      if (!spec) continue;
      const one = kept(curves, kind, `${kind.toUpperCase()} curve`);
      curvePart.append(part(`${kind.toUpperCase()} curve`, null, one.element));
      one.show(spec);
    }
    redraw(false);
    if (said && said.length) curvePart.append(notesOf(said));
  }

  const self = question("certainty", { read, render, link, wait: () => WAIT_FILE });
  const form = self.panel.querySelector("form");
  form.addEventListener("input", () => self.changed());

  function showFiles() {
    $("c-chosen").replaceChildren(...files.map((file) => h("li", {}, `${file.name} (${size(file.size)})`, h("button", {
      type: "button", class: "icon", "aria-label": `Remove ${file.name}`, onclick: () => { files = files.filter((each) => each !== file); showFiles(); self.now(); },
    }, "×"))));
  }
  dropZone($("c-drop"), $("c-file"), async (given) => {
    files = [...files.filter((file) => !given.some((each) => each.name === file.name)), ...given].slice(-2);
    showFiles();
    const columns = await columnsOf(files[0]);
    $("c-columns").replaceChildren(...columns.map((name) => h("option", { value: name })));
    if (columns.length && !columns.includes(value("c-truth"))) $("c-truth").value = guess(columns, TRUTH);
    self.now();
    if (!value("c-truth")) $("c-truth").focus();
  });

  self.load = (query) => {
    const given = new URLSearchParams(query);
    for (const name of ["truth", "prediction", "convention"]) $(`c-${name}`).value = given.get(name) || "";
    $("c-probabilities").value = given.get("probabilities") || "p_*";
    metrics.set(given.getAll("metric"));
    by.set(given.getAll("by"));
    if (given.get("prediction") || given.get("convention") || by.get().length) $("c-options").open = true;
    if (!query) { files = []; showFiles(); }
    self.now();
  };
  return self;
})();

/* ---------- start ---------- */

const questions = { recover, groups, certainty };
for (const each of Object.values(questions)) {
  each.panel.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  each.panel.querySelector("[data-clear]").addEventListener("click", () => { each.load(""); each.panel.querySelector("input:not([type=radio])").focus(); });
  each.panel.querySelector("[data-copy]")?.addEventListener("click", (event) => copyLink(event.target));
}
// A file that misses its place must not replace the page.
for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());

setUpTabs();
const asked = location.search.slice(1);
const first = TABS.includes(location.hash.slice(1)) ? location.hash.slice(1) : "recover";
current = first;
for (const name of TABS) if (name === first) links[name] = asked;
openTab(first);
ready = readCatalogue();
for (const name of TABS) questions[name].load(name === first ? asked : "");
// For the tests, which hold these against fourfold.report.
window.fourfold = { number, chance, level, between };
})();
