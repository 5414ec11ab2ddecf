/* Questions and answers: one request answers and draws; what comes is shown as it is. */
import { drawAll, letGo } from "./chart.js";
import { briefly, copied, copyOf, download, filled, hintOf, say, textOf, word } from "./dom.js";
import { clearErrors, errorBeside } from "./form.js";

/** What is wrong, in the one shape that all errors have. */
export const failure = (told) => Object.assign(new Error(told.problem), { told });

/** What the page finds wrong itself; its words are in index.html. */
export const problem = (argument, name, value) => (
  failure({ argument, problem: word(name, value), hint: hintOf(name) }));

const toldOf = (error) => error.told ?? { argument: "page", problem: String(error), hint: word("load-again") };

export async function reply(path, body, signal, accept = "application/json") {
  const form = body instanceof FormData;
  const headers = { Accept: accept, ...(form ? {} : { "Content-Type": "application/json" }) };
  const sent = fetch(path, { method: "POST", headers, body: form ? body : JSON.stringify(body), signal });
  const answer = await sent.catch((error) => {
    throw error.name === "AbortError" ? error : problem("server", form ? "no-server-file" : "no-server");
  });
  if (answer.ok) return answer;
  const error = await answer.json().catch(() => null);
  throw error?.schema === "fourfold/error" ? failure(error) : problem("server", "bad-status", answer.status);
}

const ask = async (question, given, signal) => (
  { ...await (await reply(`page/${question}`, given, signal)).json(), asked: [question, given] });

/** Ways to hand an answer on: files made by the server, its table and its sentence for the clipboard. */
function shareBar(place, { answer, saves_as: name, cite, asked: [question, given] }) {
  const bar = copyOf("share");
  const files = {
    json: () => download(JSON.stringify(answer, null, 2), "application/json", name),
    table: () => copied([...there.table.rows].map((row) => [...row.cells].map(textOf).join("\t")).join("\n")),
    cite: () => copied(cite),
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
  place.innerHTML = html;
  if (page.answer) place.append(shareBar(place, page));
  drawAll(place, charts, before);
}

/** What a cell that asks is called: its table and its words stay where its numbers change. */
const nameOf = (button) => `${button.closest("[aria-label]")?.getAttribute("aria-label")}\n${button.textContent}`;

/** Cells that ask more: the answer to the chosen one stands below its table. */
function details(body) {
  let chosen = "";
  let given = "";
  let detail = copyOf("detail");
  let control = null;
  async function open(button, move = false) {
    const [heading, place] = detail.children;
    const same = given === button.dataset.given;
    if (!same) given = "";
    control?.abort();
    control = new AbortController();
    for (const other of body.querySelectorAll(".ask")) other.setAttribute("aria-pressed", String(other === button));
    button.closest(".scroll").after(detail);
    detail.classList.toggle("stale", !same);
    try {
      if (!same) show(place, await ask(button.dataset.question, JSON.parse(button.dataset.given), control.signal));
      ({ given } = button.dataset);
      say(heading, button.textContent);
      detail.classList.remove("stale");
      if (move) detail.scrollIntoView({ block: "nearest" });
    } catch (error) {
      if (error.name !== "AbortError") place.replaceChildren(filled("problem", toldOf(error)));
    }
  }

  body.addEventListener("click", ({ target }) => {
    const button = target.closest(".ask");
    if (!button) return;
    chosen = nameOf(button);
    open(button, true);
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

/** A question: typed, asked once it rests, answered; late answers are dropped. */
export function question(panel, { read, link }, setLink) {
  const [status, trouble, body, empty] = panel.querySelector(".result").children;
  const more = details(body);
  let timer = 0;
  let control = null;

  const busy = (on) => { body.ariaBusy = String(on); };
  function failed(error) {
    const told = toldOf(error);
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
    say(status, page?.title ?? "");
    if (focused) [...body.querySelectorAll(".ask")].find((button) => nameOf(button) === focused)?.focus();
    busy(false);
  }

  async function now() {
    clearTimeout(timer);
    control?.abort();
    control = new AbortController();
    const mine = control;
    setLink(new URLSearchParams(link()).toString());
    try {
      const asked = read();
      busy(Boolean(asked));
      const page = asked && await ask(...asked, mine.signal);
      if (mine === control) answered(page);
    } catch (error) {
      if (mine === control && error.name !== "AbortError") failed(error);
    }
  }

  function changed() {
    clearTimeout(timer);
    busy(true);
    timer = setTimeout(now, 150);
  }
  return { now, changed, forget: more.forget };
}
