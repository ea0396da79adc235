/* The bar that loads the model: what it costs is said before, how far it is while it loads, what went wrong after. */

import { button, el } from "./dom.js";
import { MEMORY, cancel, events, kept, load, status } from "./engine.js";
import { megabytes } from "./facts.js";

/** The bar, for a page whose model file is known. */
export async function loadingBar({ model }) {
  const size = megabytes(model.bytes), bar = el("div", { className: "live-bar", role: "group", "aria-label": "The model" });
  const text = el("p", { role: "status" }), progress = el("progress", { max: 1, "aria-label": "Loading the model" }), amount = el("span", { className: "live-quiet" }), controls = el("span", { className: "live-row" });
  bar.append(text, progress, controls);
  const asked = () => load().catch(() => {}); // the bar shows what went wrong

  function draw() {
    const { state, problem, seconds } = status;
    progress.hidden = state !== "loading" && state !== "opening";
    const focused = controls.contains(document.activeElement);
    if (state === "idle") {
      text.textContent = `${model.title} is a file of ${size} MB; the browser keeps it, so it is downloaded once. While it runs, the page takes about ${MEMORY} MB of memory.${phone(size)}`;
      controls.replaceChildren(button(`Load the model (${size} MB)`, asked, { className: "live-main" }));
    } else if (state === "loading" || state === "opening") {
      text.textContent = state === "loading" ? "The model is being loaded." : "The model is being opened.";
      controls.replaceChildren(button("Cancel", cancel), amount);
    } else if (state === "ready") {
      text.textContent = `${model.title} is ready: it was loaded in ${seconds.toFixed(1)} s.`;
      controls.replaceChildren();
    } else {
      text.textContent = problem.message;
      controls.replaceChildren(button("Try again", asked, { className: "live-main" }));
    }
    text.classList.toggle("live-wrong", state === "failed");
    if (focused) controls.querySelector("button")?.focus();
  }
  function advance() {
    progress.value = status.loaded / status.total;
    amount.textContent = `${megabytes(status.loaded)} of ${size} MB`; // not in the status line, which is read out
  }
  events.addEventListener("state", () => { if (status.state === "opening") progress.removeAttribute("value"); draw(); });
  events.addEventListener("progress", advance);
  draw();
  if (await kept()) asked();
  return bar;
}

const phone = (size) =>
  window.matchMedia("(pointer: coarse)").matches || window.innerWidth < 600
    ? ` On a phone: ${size} MB count towards your data plan, and an older phone may not have the memory.`
    : "";
