/* Many reports at once: a table whose verdicts come row by row. */
import { Problem, problem, reply } from "./answer.js";
import { copyOf, download, dropZone, filled, say } from "./dom.js";

const MOST_ROWS = 100;

/** Read lines of JSON as they come. */
async function* lines(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const parts = (held + next.value).split("\n");
    held = parts.pop();
    yield* parts.filter((part) => part.trim()).map((part) => JSON.parse(part));
  }
  if (held.trim()) yield JSON.parse(held);
}

function cells(row, texts, tag) {
  row.append(...texts.map((text) => say(document.createElement(tag), text)));
  return row;
}

export function review(zone, place, options) {
  let control = null;

  async function take(file) {
    control?.abort();
    control = new AbortController();
    const mine = control;
    const panel = copyOf("review");
    const [status, bar, table, rest, save, close] = ["[role=status]", "progress", "table", ".rest", ".save", ".quiet"]
      .map((name) => panel.querySelector(name));
    const body = table.tBodies[0];
    const form = () => {
      const made = new FormData();
      made.append("file", file, file.name);
      for (const [name, text] of options()) made.append(name, text);
      return made;
    };
    const show = ({ head, shown, tone, progress, words, error }) => {
      if (error) throw new Problem(error);
      if (head) { table.parentElement.hidden = false; cells(table.tHead.insertRow(), head, "th"); }
      if (shown && body.rows.length < MOST_ROWS) cells(body.insertRow(), shown, "td").className = tone;
      else if (shown) rest.hidden = false;
      if (progress !== undefined) bar.value = progress;
      if (words) say(status, words);
    };

    say(panel.querySelector("h3"), file.name);
    place.hidden = false;
    place.replaceChildren(panel);
    close.addEventListener("click", () => { mine.abort(); place.hidden = true; place.replaceChildren(); });
    save.addEventListener("click", async () => {
      save.disabled = true;
      const answer = await reply("api/review", form(), undefined, "text/csv").catch((error) => failed(error));
      if (answer) download(await answer.blob(), "text/csv", `${file.name.replace(/\.[^.]*$/, "")}-verdicts.csv`);
      save.disabled = false;
    });
    function failed(error) {
      if (mine.signal.aborted) return;
      bar.remove();
      const { error: told } = error instanceof Problem ? error : problem("table", "broke-off");
      status.replaceChildren(filled("problem-line", told));
    }
    try {
      const answer = await reply("api/review", form(), mine.signal, "application/x-ndjson");
      for await (const line of lines(answer)) show(line);
      bar.remove();
      save.hidden = false;
    } catch (error) {
      failed(error);
    }
  }
  dropZone(zone, ([file]) => take(file));
}
