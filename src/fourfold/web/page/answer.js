/* Questions and answers: one request answers and draws; what comes is shown as it is. */
import { drawAll, letGo } from "./chart.js";
import { $, copyOf, download, filled, say, word } from "./dom.js";
import { clearErrors, errorByName } from "./form.js";

/** What is wrong, in the one shape that all errors have. */
export class Problem extends Error {
  constructor(error) {
    super(error.problem);
    this.error = error;
  }
}

/** A problem that the page finds itself; its words are in index.html. */
export const problem = (argument, name, value) => new Problem({
  argument, problem: word(name, value), hint: word(`${name}-hint`),
});

export async function reply(path, body, signal, accept = "application/json") {
  const form = body instanceof FormData;
  const headers = { Accept: accept, ...(form ? {} : { "Content-Type": "application/json" }) };
  const sent = fetch(path, { method: "POST", headers, body: form ? body : JSON.stringify(body), signal });
  const answer = await sent.catch((error) => {
    throw error.name === "AbortError" ? error : problem("server", form ? "no-server-file" : "no-server");
  });
  if (answer.ok) return answer;
  const error = await answer.json().catch(() => null);
  throw error?.schema === "fourfold/error" ? new Problem(error) : problem("server", "bad-status", answer.status);
}

const ask = async (question, given, signal) => (await reply(`page/${question}`, given, signal)).json();

/** Put an answer into a place, with its pictures and a button that saves it. */
function show(place, page) {
  const before = letGo(place);
  const fresh = document.createElement("template");
  fresh.innerHTML = page.html;
  const save = copyOf("save-answer");
  save.addEventListener("click", () => download(JSON.stringify(page.answer, null, 2), "application/json", page.saves_as));
  place.replaceChildren(fresh.content, save);
  drawAll(place, page.charts || [], before);
}

/** What a cell that asks is called: its table and its words stay where its numbers change. */
const nameOf = (button) => `${button.closest("[aria-label]")?.getAttribute("aria-label")}\n${button.textContent}`;

/** Cells that ask more: the answer to the chosen one stands below its table. */
function details(body) {
  let chosen = null;
  let given = "";
  let detail = null;
  let control = null;

  async function open(button, move) {
    const same = detail && given === button.dataset.given;
    given = button.dataset.given;
    control?.abort();
    control = new AbortController();
    for (const other of body.querySelectorAll(".ask")) other.setAttribute("aria-pressed", String(other === button));
    detail = detail || copyOf("detail");
    button.closest(".scroll").after(detail);
    detail.classList.toggle("stale", !same);
    try {
      if (!same) {
        const page = await ask(button.dataset.question, JSON.parse(given), control.signal);
        show(detail.lastElementChild, page);
      }
      say(detail.firstElementChild, button.textContent);
      detail.classList.remove("stale");
      const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (move) detail.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
    } catch (error) {
      if (error.name === "AbortError") return;
      given = "";
      detail.lastElementChild.replaceChildren(filled("problem", error.error || { problem: error.message }));
    }
  }

  body.addEventListener("click", (event) => {
    const button = event.target.closest(".ask");
    if (!button) return;
    chosen = nameOf(button);
    open(button, true);
  });
  return {
    /** Open what was chosen before, or what says most, once an answer has come. */
    renew() {
      const buttons = [...body.querySelectorAll(".ask")];
      const button = buttons.find((one) => nameOf(one) === chosen) || body.querySelector(".ask[data-first]")
        || body.querySelector(".marked .ask") || buttons[0];
      if (button) open(button, false);
      else detail = null;
    },
    /** Take the answer out of the way before its surroundings change. */
    keep() { detail?.remove(); },
    forget() { chosen = detail = null; },
  };
}

/** A question: typed, asked once it rests, answered; late answers are dropped. */
export function question(panel, { read, link, refuse = () => false, wait = () => 150 }) {
  const body = panel.querySelector(".body");
  const box = panel.querySelector(".trouble");
  const empty = panel.querySelector(".empty");
  const status = panel.querySelector("[role=status]");
  const more = details(body);
  let timer = 0;
  let control = null;

  function stale(on) {
    body.classList.toggle("stale", on && body.childElementCount > 0);
    body.setAttribute("aria-busy", String(on));
  }

  function failed(error) {
    if (!(error instanceof Problem)) console.error(error);
    const told = error.error || { argument: "page", problem: error.message, hint: word("load-again") };
    clearErrors(panel);
    const beside = refuse(told) || errorByName(panel, told);
    box.replaceChildren(filled("problem", { ...told, hint: beside ? "" : told.hint }));
    say(status, word("no-answer"));
    empty.hidden = true;
    stale(true);
    body.setAttribute("aria-busy", "false");
  }

  function answered(page) {
    const focused = document.activeElement?.matches(".ask") && body.contains(document.activeElement);
    const name = focused && nameOf(document.activeElement);
    more.keep();
    show(body, page);
    more.renew();
    say(status, page.title);
    if (focused) [...body.querySelectorAll(".ask")].find((button) => nameOf(button) === name)?.focus();
  }

  function cleared() {
    letGo(body);
    body.replaceChildren();
    say(status, "");
    more.forget();
  }

  async function now() {
    clearTimeout(timer);
    control?.abort();
    control = new AbortController();
    const mine = control;
    link();
    try {
      const asked = read();
      if (asked) stale(true);
      const page = asked && await ask(...asked, mine.signal);
      if (mine !== control) return;
      clearErrors(panel);
      box.replaceChildren();
      empty.hidden = Boolean(page);
      if (page) answered(page);
      else cleared();
      stale(false);
    } catch (error) {
      if (mine === control && error.name !== "AbortError") failed(error);
    }
  }

  function changed() {
    clearTimeout(timer);
    stale(true);
    timer = setTimeout(now, wait());
  }
  return { now, changed, forget: more.forget };
}
