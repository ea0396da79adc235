/* Twins: two contexts that differ in the number of the subject alone, without an adverb and with one. EW by kind of verb,
 * and number sensitivity. */

import { distributionAfter } from "./api.js";
import { button, el, field, share, statusLine, table } from "./dom.js";
import { events, load, status, stop, unlessStopped } from "./engine.js";
import { megabytes } from "./facts.js";
import { Problem } from "./problems.js";
import { equallyWeighted, forms, numberSensitivity } from "./scoring.js";
import { typed } from "./spelling.js";

const KINDS = [["never nouns", (verb) => !verb.noun], ["also nouns", (verb) => verb.noun], ["all", () => true]];

/** `start`: the contexts and the adverb that the form begins with. */
export function twinsPart({ model, lemmas }, start = {}) {
  const text = (value) => el("input", { type: "text", value, spellcheck: false, autocomplete: "off" });
  const subjects = [text(start.singular ?? "The author"), text(start.plural ?? "The authors")], adverb = text(start.adverb ?? "often");
  const { line, say } = statusLine(), results = el("div", {}), go = el("button", { type: "submit", className: "live-main" }), halt = button("Stop", stop, { hidden: true });

  async function compare(event) {
    event.preventDefault();
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
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      say(problem.message, !problem.stopped);
    }
    go.disabled = false;
    if (document.activeElement === halt) go.focus();
    halt.hidden = true;
  }

  const label = () => { go.textContent = status.state === "ready" ? "Compare" : `Load the model (${megabytes(model.bytes)} MB) and compare`; };
  events.addEventListener("state", label);
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
  const nouns = lemmas.filter((verb) => verb.noun), [without, including] = read.map((twins) => scored(twins, nouns));
  const gained = including.singular - without.singular;
  if (Math.abs(gained) < 0.005) return `With “${word}” the singular subject keeps the same share of the verbs that are also nouns.`;
  return `After the singular subject, “${word}” ${gained > 0 ? "raises" : "lowers"} EW of the verbs that are also nouns by ${share(Math.abs(gained), 2)}.`;
}
