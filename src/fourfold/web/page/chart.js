/* Pictures: each comes in four looks, of which the one is drawn that suits the screen and the room. */
import { copyOf, download, say, word } from "./dom.js";

const OPTIONS = { renderer: "svg", actions: false, ast: true, defaultStyle: false };
const TOOLTIP = { disableDefaultStyle: true, theme: "plain" };
const darkness = window.matchMedia("(prefers-color-scheme: dark)");
const pictures = new Map();

async function embedded(place, { datasets, ...looks }, look, tooltip) {
  await import("./vega.js");
  return window.vegaEmbed(place, { ...looks[look], datasets }, { ...OPTIONS, tooltip });
}

async function draw(holder) {
  const picture = pictures.get(holder);
  const looks = [holder.clientWidth < 560 ? "narrow" : "", darkness.matches ? "dark" : ""];
  const look = looks.filter(Boolean).join("_") || "light";
  if (!picture || !holder.clientWidth || picture.look === look) return;
  picture.look = look;
  try {
    const place = document.createElement("div");
    const made = await embedded(place, picture.chart, look, TOOLTIP);
    if (picture.look !== look || !pictures.has(holder)) { made.finalize(); return; }
    picture.view?.finalize();
    picture.view = made;
    // A part of a picture that holds nothing is read aloud as nothing.
    for (const part of place.querySelectorAll("g[role]:empty:not([aria-label])")) part.removeAttribute("role");
    holder.replaceChildren(place);
    holder.classList.remove("stale");
  } catch (error) {
    say(holder, word("no-picture", error.message));
  }
}

async function save(chart, name) {
  const made = await embedded(document.createElement("div"), chart, "file", false);
  const short = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60);
  download(await made.view.toSVG(), "image/svg+xml", `${short}.svg`);
  made.finalize();
}

const observer = new ResizeObserver((changes) => changes.forEach(({ target }) => draw(target)));
darkness.addEventListener("change", () => [...pictures.keys()].forEach(draw));

/** Draw charts into the figures that have places for them; until then the pictures from before stand there. */
export function drawAll(root, charts, before) {
  for (const figure of root.querySelectorAll("[data-chart]")) {
    const index = Number(figure.dataset.chart);
    const holder = figure.querySelector(".drawing");
    const name = figure.querySelector("figcaption").textContent;
    const button = copyOf("save-picture");
    if (!charts[index]) continue;
    if (before[index]) { holder.append(...before[index].childNodes); holder.classList.add("stale"); }
    button.setAttribute("aria-label", `${button.textContent}: ${name}`);
    button.addEventListener("click", () => save(charts[index], name));
    figure.append(button);
    pictures.set(holder, { chart: charts[index] });
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
