/* Puts the model's parts into a page, each into its element with data-part, once it is clear that the model can run. */

import { contextPart } from "./context.js";
import { suitePart } from "./designing.js";
import { cancel, events, facts, load, status } from "./engine.js";
import { MEMORY, kept } from "./model.js";
import { movementPart } from "./movement.js";
import { pairPart } from "./pair.js";
import * as state from "./state.js";
import { megabytes } from "./text.js";
import { twinsPart } from "./twins.js";

const { button, el } = window.tseCommon;
const PARTS = {
  context: (known) => [loadingBar(known), contextPart(known)],
  suite: (known) => [loadingBar(known), suitePart(known)],
  pair: (known) => [pairPart(known)],
  twins: (known) => [twinsPart(known)],
  movement: (known, start) => [movementPart(known, start)],
};

window.addEventListener("hashchange", () => { if (location.hash.includes("=")) location.reload(); }); // another state

/** Fill the page's parts; rejects with the Problem that says why the model cannot be used. */
export async function begin() {
  const known = await facts();
  for (const part of document.querySelectorAll("[data-part]")) {
    const made = PARTS[part.dataset.part];
    if (made) part.replaceChildren(...made(known, part.dataset));
  }
  document.querySelector(".live-notice").remove();
  const { left, a, singular } = state.read(), asked = a ? "pair" : singular ? "twins" : "";
  if (asked && !left) document.querySelector(`[data-part=${asked}]`)?.scrollIntoView();
}

/* The bar that loads the model: what it costs is said before, how far it is while it loads, what went wrong after. */
function loadingBar({ model }) {
  const size = megabytes(model.bytes), text = el("p", { role: "status" });
  const progress = el("progress", { max: 1, "aria-label": "Loading the model" });
  const amount = el("span", { className: "live-quiet" }), controls = el("span", { className: "live-row" });
  const asked = () => load().catch(() => {}); // the bar shows what went wrong
  const main = (label) => [button(label, asked, { className: "live-main" })];
  const costs = `${model.title} is a file of ${size} MB; the browser keeps it, so it is downloaded only once. ` +
    `While it runs, the page takes about ${MEMORY} MB of memory. On a phone, watch your data plan; an older phone may ` +
    "not have enough memory.";
  const shown = {
    idle: () => [costs, main(`Load the model (${size} MB)`)],
    loading: () => ["The model is being loaded.", [button("Cancel", cancel), amount]],
    ready: () => [`${model.title} is ready: it was loaded in ${status.seconds.toFixed(1)} s.`, []],
    failed: () => [status.problem.message, main("Try again")],
  };

  function draw() {
    const focused = controls.contains(document.activeElement), [said, buttons] = shown[status.state]();
    text.textContent = said;
    text.classList.toggle("live-wrong", status.state === "failed");
    controls.replaceChildren(...buttons);
    progress.hidden = status.state !== "loading";
    if (focused) controls.querySelector("button")?.focus();
  }
  events.addEventListener("state", draw);
  events.addEventListener("progress", () => {
    progress.value = status.loaded / model.bytes;
    amount.textContent = `${megabytes(status.loaded)} of ${size} MB`; // not in the status line, which is read out
  });
  draw();
  kept(model).then((here) => { if (here) asked(); });
  return el("div", { className: "live-bar", role: "group", "aria-label": "The model" }, text, progress, controls);
}
