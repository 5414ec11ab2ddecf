/* Questions and answers: one request answers and draws; what comes is shown as it is. */
import { drawAll, letGo } from "./chart.js";
import { briefly, copied, copyOf, download, filled, formOf, hintOf, say, textOf, word } from "./dom.js";
import { clearErrors, errorBeside } from "./form.js";
import { tables } from "./table.js";
import { explain } from "./terms.js";

/** What is wrong, in the one shape that all errors have. */
export const failure = (told) => Object.assign(new Error(told.problem), { told });

/** What the page finds wrong itself; its words are in index.html. */
export const problem = (argument, name, value) => (
  failure({ argument, problem: word(name, value), hint: hintOf(name) }));

/** A hint without commands: options are fields here, and the list of metrics stands below its field. */
const plain = (hint) => hint?.replace(word("command-metrics"), word("all-metrics")).replace(/--(?=[a-z])/g, "");
const toldOf = ({ told, message }) => (told ? { ...told, hint: plain(told.hint) }
  : { argument: "page", problem: message, hint: word("load-again") });

export async function reply(path, given, signal, accept = "application/json") {
  const form = Array.isArray(given.files);
  const headers = { Accept: accept, ...(form ? {} : { "Content-Type": "application/json" }) };
  const body = form ? formOf(given.files, given.pairs) : JSON.stringify(given);
  const sent = fetch(path, { method: "POST", headers, body, signal });
  const answer = await sent.catch((error) => {
    throw error.name === "AbortError" ? error : problem("server", form ? "no-server-file" : "no-server");
  });
  if (answer.ok) return answer;
  const error = await answer.json().catch(() => null);
  throw error?.schema === "fourfold/error" ? failure(error) : problem("server", "bad-status", answer.status);
}

const ask = async (question, given, signal) => (
  { ...await (await reply(`page/${question}`, given, signal)).json(), asked: [question, given] });

/** Ask what `read` returns, if anything; what was asked before and is not answered yet is given up. */
function newest() {
  let control = null;
  const newer = async (read) => {
    control?.abort();
    control = new AbortController();
    const asked = read();
    return asked && ask(...asked, control.signal);
  };
  return Object.assign(newer, { stop: () => control?.abort() });
}

/** Ask what a file holds; nothing comes where another is asked for meanwhile. */
export function preview() {
  const newer = newest();
  const look = (file) => newer(() => ["preview", { files: [file], pairs: [] }]).catch((error) => {
    if (error.name !== "AbortError") throw error;
  });
  return Object.assign(look, { stop: newer.stop });
}

const unlessGivenUp = (tell) => (error) => { if (error.name !== "AbortError") tell(toldOf(error)); };

/** Ways to hand an answer on: files made by the server, its table and its sentence for the clipboard. */
function shareBar(place, { answer, saves_as: name, cite, asked: [question, given] }) {
  const bar = copyOf("share");
  const files = {
    json: () => download(JSON.stringify(answer, null, 2), "application/json", name),
    table: () => copied([...there.table.rows].map((row) => [...row.cells].map(textOf).join("\t")).join("\n")),
    cite: () => copied(cite),
    link: () => copied(location.href),
  };
  async function made(ending) {
    const file = await reply(`file/${question}.${ending}`, given, undefined, "*/*");
    download(await file.blob(), file.headers.get("Content-Type"), name.replace(/json$/, ending));
  }
  const drawn = place.querySelector("[data-chart]");
  const there = { table: place.querySelector("table"), svg: drawn, png: drawn, cite };
  for (const button of bar.children) {
    const { save } = button.dataset;
    button.hidden = save in there && !there[save];
    button.addEventListener("click", () => briefly(button, Promise.resolve((files[save] ?? made)(save))));
  }
  return bar;
}

/** Put an answer into a place, with its pictures and ways to hand it on. */
function show(place, { html, charts = [], ...page }) {
  const before = letGo(place);
  const opened = [...place.querySelectorAll("details[open] > summary")].map(textOf);
  place.innerHTML = html;
  for (const fold of place.querySelectorAll("summary")) fold.parentElement.open = opened.includes(textOf(fold));
  explain(place);
  if (page.answer) place.append(shareBar(place, page));
  drawAll(place, charts, before);
}

/** What a cell that asks is called: its table and its words stay where its numbers change. */
const nameOf = (button) => `${button.closest("[aria-label]")?.getAttribute("aria-label")}\n${button.textContent}`;

/** Cells that ask more: the answer to the chosen one stands below its table. */
function details(body) {
  const newer = newest();
  let [chosen, given, detail] = ["", "", copyOf("detail")];
  async function open(button, move = false) {
    const [heading, place] = detail.children;
    const same = given === button.dataset.given;
    if (!same) given = "";
    for (const other of body.querySelectorAll(".ask")) other.setAttribute("aria-pressed", String(other === button));
    button.closest(".scroll").after(detail);
    say(heading, button.textContent);
    detail.classList.toggle("stale", !same);
    try {
      const page = await newer(() => !same && [button.dataset.question, JSON.parse(button.dataset.given)]);
      if (page) show(place, page);
      ({ given } = button.dataset);
      detail.classList.remove("stale");
      if (move) detail.scrollIntoView({ block: "nearest" });
    } catch (error) { unlessGivenUp((told) => place.replaceChildren(filled("problem", told)))(error); }
  }
  body.addEventListener("click", ({ target }) => {
    const button = target.closest(".ask");
    if (button) { chosen = nameOf(button); open(button, true); }
  });
  return {
    /** Take the answer out of the way before its surroundings change. */
    keep: () => detail.remove(),
    /** Open what was chosen before, or what says most, once another answer has come. */
    renew() {
      const buttons = [...body.querySelectorAll(".ask")];
      const [first] = [...body.querySelectorAll(".ask[data-first]"), ...buttons];
      if (first) open(buttons.find((button) => nameOf(button) === chosen) ?? first);
    },
    forget() { letGo(detail); chosen = given = ""; detail = copyOf("detail"); },
  };
}

/** Sliders in an answer: each has a sentence, asked for again once it rests. */
function sliders(body) {
  const newer = newest();
  let timer = 0;
  function tell(slider) {
    const { name, value } = slider.querySelector("input");
    const asked = [slider.dataset.question, { ...JSON.parse(slider.dataset.given), [name]: Number(value) }];
    const answered = ({ cite, problem: wrong }) => say(slider.lastElementChild, cite ?? wrong);
    const now = () => newer(() => asked).then(answered).catch(unlessGivenUp(answered));
    say(slider.querySelector("strong"), value);
    clearTimeout(timer);
    timer = setTimeout(now, 100);
  }
  body.addEventListener("input", ({ target }) => [target.closest(".slider")].filter(Boolean).forEach(tell));
  return () => body.querySelectorAll(".slider").forEach(tell);
}

/** Say how long a question takes, from the first second on, with a button that gives it up. */
function clock(place, stop) {
  let [timer, since] = [0, 0];
  const [words, button] = place.children;
  function tell() {
    const seconds = Math.floor((performance.now() - since) / 1000);
    say(words, word("working", seconds));
    place.hidden = seconds < 1;
  }
  button.addEventListener("click", stop);
  return (on) => {
    clearInterval(timer);
    place.hidden = true;
    if (on) { since = performance.now(); timer = setInterval(tell, 250); }
  };
}

/** A question: typed, asked once it rests, answered; late answers are dropped. */
export function question(panel, { read, link, chosen, stopped, answered: told }, setLink) {
  const [status, working, trouble, body, empty] = panel.querySelector(".result").children;
  const [more, slide, newer] = [details(body), sliders(body), newest()];
  let timer = 0;
  tables(body);
  const tick = clock(working, stop);
  const busy = (on) => { body.ariaBusy = String(on); tick(on); };
  function stop() {
    newer.stop();
    stopped?.();
    busy(false);
    say(status, word("stopped"));
    body.replaceChildren(say(document.createElement("p"), word("stopped")));
  }
  if (chosen) body.addEventListener("change", ({ target }) => { if (target.matches(".choose")) chosen(target); });
  function failed(told) {
    clearErrors(panel);
    trouble.replaceChildren(filled("problem", { ...told, hint: errorBeside(panel, told) ? "" : told.hint }));
    say(status, word("no-answer"));
    empty.hidden = true;
    busy(false);
  }
  function answered(page) {
    const focused = document.activeElement.matches(".ask") && nameOf(document.activeElement);
    clearErrors(panel);
    trouble.replaceChildren();
    empty.hidden = Boolean(page);
    more.keep();
    show(body, page ?? { html: "" });
    more.renew();
    slide();
    say(status, page?.title ?? "");
    if (focused) [...body.querySelectorAll(".ask")].find((button) => nameOf(button) === focused)?.focus();
    busy(false);
    told?.(page);
  }
  function now() {
    clearTimeout(timer);
    setLink(new URLSearchParams(link()).toString());
    busy(true);
    return newer(read).then(answered).catch(unlessGivenUp(failed));
  }
  function changed() { clearTimeout(timer); busy(true); timer = setTimeout(now, 120); }
  /** Give up what was asked before, as what it is about is being looked at. */
  function begin() { clearTimeout(timer); newer.stop(); busy(true); }
  return { now, changed, begin, failed: unlessGivenUp(failed), forget: more.forget };
}
