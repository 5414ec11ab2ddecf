/* Many reports at once: a table whose verdicts come row by row. */
import { failure, problem, reply } from "./answer.js";
import { download, dropZone, filled, formOf, say } from "./dom.js";

const MOST_ROWS = 100;

/** Read lines of JSON as they come. */
async function* lines(answer) {
  let held = "";
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
    const parts = (held + text).split("\n");
    held = parts.pop();
    yield* parts.filter((part) => part.trim()).map((part) => JSON.parse(part));
  }
}

const addRow = (part, texts, tag, className = "") => Object.assign(part.insertRow(), { className })
  .append(...texts.map((text) => say(document.createElement(tag), text)));

export function review(zone, place, options) {
  let control = null;
  async function take([file]) {
    control?.abort();
    control = new AbortController();
    const { signal } = control;
    const panel = filled("review", { name: file.name });
    const part = (name) => panel.querySelector(name);
    const [status, bar, table, rest, save] = ["[role=status]", "progress", "table", ".rest", ".all"].map(part);
    const form = formOf([file], options());

    function show({ head, shown, tone, progress, words, error }) {
      if (error) throw failure(error);
      if (head) addRow(table.tHead, head, "th");
      if (shown && table.rows.length <= MOST_ROWS) addRow(table.tBodies[0], shown, "td", tone);
      else if (shown) rest.hidden = false;
      bar.value = progress ?? bar.value;
      if (words) say(status, words);
    }
    function failed(error) {
      if (signal.aborted) return;
      bar.remove();
      status.replaceChildren(filled("error", (error.told ? error : problem("table", "broke-off")).told));
    }
    async function saveAll() {
      save.disabled = true;
      const answer = await reply("api/review", form, signal, "text/csv").catch(failed);
      if (answer) download(await answer.blob(), "text/csv", file.name.replace(/(\.[^.]*)?$/, "-verdicts.csv"));
      save.disabled = false;
    }

    place.replaceChildren(panel);
    place.hidden = false;
    save.addEventListener("click", saveAll);
    part(".quiet").addEventListener("click", () => { control.abort(); place.hidden = true; });
    try {
      for await (const line of lines(await reply("api/review", form, signal, "application/x-ndjson"))) show(line);
      bar.remove();
      save.hidden = false;
    } catch (error) {
      failed(error);
    }
  }
  dropZone(zone, take);
}
