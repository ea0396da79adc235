/* What every part of the page has that asks the model: fields, a button that loads the model first where it must, one
 * that stops, a line that says what is going on, and the results. */

import { events, status, stop, unlessStopped } from "./engine.js";
import { Problem } from "./model.js";
import { megabytes } from "./text.js";

const { button, el, statusLine, trimmed } = window.tseCommon;

/** A field for words. */
export const words = (value) => el("input", { type: "text", value, spellcheck: false, autocomplete: "off" });

/** What is typed in a field, without white space at its ends; from now on the field shows what is read. */
export function typed(input) {
  const text = trimmed(input.value);
  if (text !== input.value) input.value = text;
  return text;
}

/** A part. `label` names its button; `wanted`: it asks by itself once the model is ready, as a link demands.
 *
 * `run({say, results, goOn})` asks, shows the results, and throws a Problem where it cannot; `goOn` throws once the
 * reader pressed Stop, which leaves the results that are there. */
export function asking({ model, fields = [], controls = [], label, wanted = false, run }) {
  const { line, say } = statusLine(), results = el("div", { className: "live-results" });
  const go = el("button", { type: "submit", className: "live-main" }), halt = button("Stop", stop);
  let busy = false, asked = false;

  function draw() {
    const ready = status.state === "ready";
    const loading = `Load the model (${megabytes(model.bytes)} MB) and ${label[0].toLowerCase()}${label.slice(1)}`;
    go.textContent = ready ? label : loading;
    go.disabled = busy;
    if (!busy && document.activeElement === halt) go.focus();
    halt.hidden = !busy || !ready;
    if (ready && wanted && !asked) ask();
  }

  async function ask() {
    if (busy) return;
    busy = asked = true;
    say(status.state === "ready" ? "The model is reading." : "The model is being loaded; then it reads.");
    draw();
    try {
      await run({ say, results, goOn: unlessStopped() });
    } catch (problem) {
      if (!problem.stopped) results.replaceChildren();
      say(problem.message, !problem.stopped);
      if (!(problem instanceof Problem)) throw problem;
    } finally {
      busy = false;
      draw();
    }
  }

  events.addEventListener("state", draw);
  draw();
  const submit = (event) => {
    event.preventDefault();
    ask();
  };
  const form = el("form", { className: "live-form", on: { submit } }, ...fields,
    el("div", { className: "live-row" }, go, halt, ...controls));
  return { node: el("div", {}, form, line, results), results, say, ask };
}
