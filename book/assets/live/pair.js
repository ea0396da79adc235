/* A minimal pair, token by token: the surprisal of each, where the sentences part, which one is the likelier. */

import { surprisals } from "./api.js";
import { button, counted, el, field, statusLine, visible } from "./dom.js";
import { events, load, status, stop } from "./engine.js";
import { megabytes } from "./facts.js";
import { Problem } from "./problems.js";
import { typed } from "./spelling.js";
import * as state from "./state.js";

const TIE = 1e-6; // bits

export function pairPart({ model }) {
  const asked = state.read();
  const offered = [asked.a ?? "The keys to the cabinet are on the table.", asked.b ?? "The keys to the cabinet is on the table."];
  const inputs = offered.map((value) => el("input", { type: "text", value, spellcheck: false, autocomplete: "off" }));
  const { line, say } = statusLine(), results = el("div", {}), go = el("button", { type: "submit", className: "live-main" }), halt = button("Stop", stop, { hidden: true });

  async function compare(event) {
    event?.preventDefault();
    const sentences = inputs.map(typed);
    if (status.state !== "ready") say("The model is being loaded; then it reads.");
    go.disabled = true;
    try {
      if (sentences[0] && sentences[0] === sentences[1]) throw new Problem("The two sentences are the same: change one of them.");
      await load();
      say("The model is reading, one token after the other.");
      halt.hidden = false;
      const read = [];
      for (const sentence of sentences) read.push(await surprisals(sentence));
      results.replaceChildren(...shown(read));
      say(verdict(read));
      state.write({ a: sentences[0], b: sentences[1] });
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      results.replaceChildren();
      say(problem.message, !problem.stopped);
    }
    go.disabled = false;
    if (document.activeElement === halt) go.focus();
    halt.hidden = true;
  }
  const swap = () => { [inputs[0].value, inputs[1].value] = [inputs[1].value, inputs[0].value]; };

  const label = () => { go.textContent = status.state === "ready" ? "Compare" : `Load the model (${megabytes(model.bytes)} MB) and compare`; };
  events.addEventListener("state", () => {
    label();
    if (status.state === "ready" && asked.a && !results.childElementCount) compare();
  });
  label();
  const form = el("form", { className: "live-form", on: { submit: compare } }, field("First sentence", inputs[0]), field("Second sentence", inputs[1]),
    el("div", { className: "live-row" }, go, halt, button("Swap them", swap)));
  return el("div", {}, form, line, results);
}

const total = (tokens) => tokens.reduce((sum, token) => sum + token.bits, 0);

/** Where two sentences part: the first place at which their tokens differ. */
export function partsAt(first, second) {
  const place = first.findIndex((token, index) => token.token !== second[index]?.token);
  return place < 0 ? first.length : place;
}

function verdict([first, second]) {
  const difference = total(second) - total(first);
  if (Math.abs(difference) < TIE) return "The two sentences are equally probable.";
  const times = 2 ** Math.abs(difference), said = times < 1e6 ? Number(times.toPrecision(2)).toLocaleString("en") : `2 to the power of ${Math.abs(difference).toFixed(0)}`;
  return `The ${difference > 0 ? "first" : "second"} sentence wins, by ${Math.abs(difference).toFixed(2)} bits: it is ${said} times as probable.`;
}

function shown(read) {
  const parting = partsAt(...read), most = Math.max(...read.flat().map((token) => token.bits), 1);
  const after = read.map((tokens) => tokens[parting]?.token).map((token) => (token === undefined ? "its end" : `“${visible(token)}”`));
  return [
    ...read.map((tokens, which) => el("figure", { className: "live-sentence" },
      el("figcaption", { textContent: `${["First", "Second"][which]} sentence: ${total(tokens).toFixed(2)} bits in ${counted(tokens.length, "token")}` }),
      el("ol", {}, ...tokens.map((token, place) => el("li", { className: place < parting ? "live-same" : place === parting ? "live-parting" : "" },
        el("span", { className: "live-column", "aria-hidden": "true" }, el("span", { style: `height: ${(100 * token.bits) / most}%` })),
        el("code", { textContent: visible(token.token) }), el("span", { textContent: token.bits.toFixed(2) })))))),
    el("p", { className: "live-quiet", textContent: `They part at token ${parting + 1}: ${after[0]} against ${after[1]}. What stands before costs both the same. The number below a token is its surprisal in bits.` }),
  ];
}
