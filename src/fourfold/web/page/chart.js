/* Pictures: each comes in four looks, of which the one is drawn that suits the screen and the room. */
import { $, copyOf, download, say, word } from "./dom.js";

const NARROW = 560;
const OPTIONS = { renderer: "svg", actions: false, ast: true, defaultStyle: false };
const TOOLTIP = { disableDefaultStyle: true, theme: "plain" };
const darkness = window.matchMedia("(prefers-color-scheme: dark)");
const pictures = new Map();
let script = null;

function vega() {
  script = script || new Promise((resolve, reject) => {
    const failed = () => { script = null; reject(new Error(word("no-script"))); };
    document.head.append(Object.assign(document.createElement("script"), {
      src: "vega.js", onload: () => resolve(window.vegaEmbed), onerror: failed,
    }));
  });
  return script;
}

const whole = (chart, look) => ({ ...chart[look], datasets: chart.datasets });

function lookFor(holder) {
  if (holder.clientWidth < NARROW) return darkness.matches ? "narrow_dark" : "narrow";
  return darkness.matches ? "dark" : "light";
}

async function draw(holder) {
  const picture = pictures.get(holder);
  if (!picture || !holder.clientWidth || picture.look === lookFor(holder)) return;
  const look = (picture.look = lookFor(holder));
  try {
    const embed = await vega();
    const place = document.createElement("div");
    const made = await embed(place, whole(picture.chart, look), { ...OPTIONS, tooltip: TOOLTIP });
    if (picture.look !== look || !pictures.has(holder)) { made.finalize(); return; }
    picture.view?.finalize();
    picture.view = made;
    holder.replaceChildren(place);
    holder.classList.remove("stale");
  } catch (error) {
    holder.replaceChildren(say(copyOf("no-picture"), word("no-picture", error.message)));
  }
}

async function save(chart, name) {
  const made = await (await vega())(document.createElement("div"), whole(chart, "file"), { ...OPTIONS, tooltip: false });
  download(await made.view.toSVG(), "image/svg+xml", `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60)}.svg`);
  made.finalize();
}

const observer = new ResizeObserver((changes) => changes.forEach(({ target }) => draw(target)));
darkness.addEventListener("change", () => [...pictures.keys()].forEach(draw));

/** Draw charts into the figures that have places for them; until then a picture from before stands there. */
export function drawAll(root, charts, before = []) {
  for (const figure of root.querySelectorAll("[data-chart]")) {
    const index = Number(figure.dataset.chart);
    const holder = figure.querySelector(".drawing");
    if (!charts[index]) continue;
    if (before[index]) { holder.append(...before[index].childNodes); holder.classList.add("stale"); }
    const button = copyOf("save-picture");
    const name = figure.querySelector("figcaption").textContent;
    button.setAttribute("aria-label", `${button.textContent}: ${name}`);
    button.addEventListener("click", () => save(charts[index], name));
    figure.append(button);
    pictures.set(holder, { chart: charts[index], look: "", view: null });
    observer.observe(holder);
  }
}

/** Let go of the pictures in a part of the page; return their places. */
export function letGo(root) {
  const holders = [...root.querySelectorAll(".drawing")];
  for (const holder of holders) {
    observer.unobserve(holder);
    pictures.get(holder)?.view?.finalize();
    pictures.delete(holder);
  }
  return holders;
}
