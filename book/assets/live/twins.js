/* Twins: two contexts that differ in the number of the subject alone, without an adverb and with one. EW by kind of verb,
 * and number sensitivity. */

import { distributionAfter } from "./api.js";
import { button, el, field, share, statusLine, table } from "./dom.js";
import { events, load, status, stop, unlessStopped } from "./engine.js";
import { megabytes } from "./facts.js";
import { Problem } from "./problems.js";
import { equallyWeighted, forms, numberSensitivity } from "./scoring.js";
import { typed } from "./spelling.js";
import * as state from "./state.js";

const KINDS = [["never nouns", (verb) => !verb.noun], ["also nouns", (verb) => verb.noun], ["all", () => true]];

/** `start`: the contexts and the adverb that the form begins with. */
export function twinsPart({ model, lemmas }, start = {}) {
  const given = { ...start, ...state.read() };
  const text = (value) => el("input", { type: "text", value, spellcheck: false, autocomplete: "off" });
  const subjects = [text(given.singular ?? "The author"), text(given.plural ?? "The authors")], adverb = text(given.adverb ?? "often");
  const { line, say } = statusLine(), results = el("div", {}), go = el("button", { type: "submit", className: "live-main" }), halt = button("Stop", stop, { hidden: true });

  async function compare(event) {
    event?.preventDefault();
    const contexts = subjects.map(typed), word = typed(adverb);
    if (status.state !== "ready") say("The model is being loaded; then it reads.");
    go.disabled = true;
    try {
      if (contexts.some((context) => !context)) throw new Problem("Type a context with a singular subject and the same with a plural one.");
      if (contexts[0] === contexts[1]) throw new Problem("The two contexts are the same: change the number of the subject in one of them.");
      if (!word) throw new Problem("Type an adverb, such as often, always or probably.");
      await load();
      halt.hidden = false;
      const goOn = unlessStopped(), read = [];
      for (const between of ["", ` ${word}`]) {
        const twins = [];
        for (const number of [0, 1]) {
          say(`The model reads “${contexts[number]}${between}”.`);
          twins.push((await distributionAfter({ left: contexts[number] + between, number })).distribution);
          goOn();
        }
        read.push(twins);
      }
      results.replaceChildren(shown(read, lemmas, contexts, word));
      say(verdict(read, lemmas, word));
      state.write({ singular: contexts[0], plural: contexts[1], adverb: word });
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      results.replaceChildren();
      say(problem.message, !problem.stopped);
    }
    go.disabled = false;
    if (document.activeElement === halt) go.focus();
    halt.hidden = true;
  }

  const label = () => { go.textContent = status.state === "ready" ? "Compare" : `Load the model (${megabytes(model.bytes)} MB) and compare`; };
  events.addEventListener("state", () => {
    label();
    if (status.state === "ready" && state.read().singular && !results.childElementCount) compare();
  });
  label();
  const form = el("form", { className: "live-form", on: { submit: compare } },
    el("div", { className: "live-two" }, field("Singular subject", subjects[0]), field("The same with a plural subject", subjects[1]), field("Adverb before the verb", adverb)),
    el("div", { className: "live-row" }, go, halt));
  return el("div", {}, form, line, results);
}

/** What one group of verbs scores in two twin distributions: {singular, plural, sensitivity}. */
export function scored([singular, plural], verbs) {
  const pairs = verbs.map((verb) => verb.ids);
  return {
    singular: equallyWeighted(forms(singular, pairs, 0)),
    plural: equallyWeighted(forms(plural, pairs, 1)),
    sensitivity: numberSensitivity(singular, plural, pairs),
  };
}

function shown(read, lemmas, contexts, word) {
  const rows = KINDS.map(([kind, holds]) => {
    const verbs = lemmas.filter(holds), [without, including] = read.map((twins) => scored(twins, verbs));
    const change = (name) => `${share(without[name], 2)} → ${share(including[name], 2)}`;
    return [`${verbs.length} verbs, ${kind}`, change("singular"), change("plural"), change("sensitivity")];
  });
  return table(`Without an adverb → with “${word}”`, ["", `EW after “${contexts[0]}”`, `EW after “${contexts[1]}”`, "number sensitivity"], rows);
}

function verdict(read, lemmas, word) {
  const parts = KINDS.slice(0, 2).map(([kind, holds]) => {
    const verbs = lemmas.filter(holds), [without, including] = read.map((twins) => scored(twins, verbs));
    return `${kind} ${share(without.singular, 2)} → ${share(including.singular, 2)}`;
  });
  return `EW after the singular subject, without → with “${word}”: ${parts.join(", ")}.`;
}
