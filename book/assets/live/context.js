/* One or two contexts, side by side: what they are, and what the model makes of them. */

import { distributionAfter, likeliest } from "./api.js";
import { asking, typed, words } from "./asking.js";
import { load } from "./engine.js";
import { Problem } from "./model.js";
import { card, curves } from "./result.js";
import { KINDS, cutoffScores, forms } from "./scoring.js";
import * as state from "./state.js";
import { NUMBERS, cutName } from "./text.js";

const { el, field, menu, plain } = window.tseCommon;
const SHOWN = 10;
const GAP = /_{2,}|\[mask\]|<mask>|\*\*\*/i; // a mark for the verb, which the page does not read

export function contextPart(facts) {
  const asked = state.read();
  const first = entry("The context", asked.left ?? "The keys to the cabinet", asked.number ?? "plural", "number");
  const second = entry("A second context (optional)", asked.left2 ?? "", asked.number2 ?? "singular", "number2");
  const entries = () => [first.read(), second.read()].filter((one, place) => place === 0 || one.left);
  const verb = words(asked.verb ?? "be");
  const cuts = ["top", "bottom"].flatMap((side) => facts.cutoffs[side].map((cutoff) => ({ side, cutoff })));
  const keyOf = ({ side, cutoff }) => `${side}-${cutoff}`, keys = cuts.map(keyOf), whole = keys.indexOf("top-1");
  const value = keys.includes(asked.cut) ? keys.indexOf(asked.cut) : whole;
  const slider = el("input", { type: "range", min: 0, max: cuts.length - 1, step: 1, value, on: { input: draw } });
  const cutLabel = el("output");
  let scored = [];

  async function run({ say, results }) {
    const contexts = entries(), found = [];
    scored = [];
    if (contexts.some(({ left }) => GAP.test(left))) {
      throw new Problem("Type only the words before the verb: leave out the gap and what follows it.");
    }
    if (contexts[0].left) await load();
    const began = performance.now();
    for (const context of contexts) found.push(await scores(facts, context));
    scored = found;
    draw();
    const [one, two] = contexts;
    state.write({ left: one.left, number: NUMBERS[one.number], left2: two?.left, number2: two && NUMBERS[two.number] });
    say(`Done in ${((performance.now() - began) / 1000).toFixed(2)} s.`);
  }

  function draw() {
    const cut = cuts[slider.value], word = plain(verb.value);
    const known = facts.lemmas.find(({ lemma, singular, plural }) => [lemma, singular, plural].includes(word));
    cutLabel.textContent = cutName(cut);
    slider.setAttribute("aria-valuetext", cutName(cut));
    if (!scored.length) return;
    part.results.replaceChildren(...scored.map((one) => card(one, cut, known ?? word)));
    state.write({ verb: word, cut: Number(slider.value) === whole ? "" : keyOf(cut) });
  }

  const offered = facts.contexts.map(({ left, construction }, place) => [place, `${left} (${construction})`]);
  const choose = (place) => {
    if (place === "") return;
    first.write(facts.contexts[place]);
    part.ask();
  };
  verb.addEventListener("change", draw);
  const part = asking({
    fields: [
      field("Pick one of the paper's contexts", menu([["", "…"], ...offered], "", choose)),
      el("div", { className: "live-two" }, first.box, second.box),
      el("div", { className: "live-two" }, field("A verb from the list, for TSE", verb),
        field("Cut-off", el("span", { className: "live-row" }, slider, cutLabel))),
    ],
    model: facts.model, label: "Score",
    wanted: Boolean(asked.left),
    run,
  });
  draw();
  return part.node;
}

/* The fields of one context. */
function entry(title, left, number, group) {
  const text = words(left);
  const choices = NUMBERS.map((value) => el("input", { type: "radio", name: group, value, checked: value === number }));
  const box = el("fieldset", {}, el("legend", {}, title), field("The words before the verb", text),
    el("span", { className: "live-row" }, "Its subject is",
      ...choices.map((choice) => el("label", {}, choice, ` ${choice.value}`))));
  return {
    box,
    read: () => ({ left: typed(text), number: choices[1].checked ? 1 : 0 }),
    write: (context) => {
      text.value = context.left;
      choices[context.number].checked = true;
    },
  };
}

/* What a context's card shows: the distribution, its likeliest entries, where the probability lies, and the scores. */
async function scores(facts, { left, number }) {
  const distribution = await distributionAfter(left, number);
  const known = marks(facts, number), pairs = facts.lemmas.map(({ ids }) => ids);
  const top = (await likeliest(distribution, SHOWN)).map((one) => ({ form: "other", ...one, ...known.get(one.id) }));
  const sums = { correct: 0, wrong: 0, past: 0 };
  for (const [id, { form }] of known) sums[form] += distribution[id];
  sums.other = 1 - sums.correct - sums.wrong - sums.past;
  const rated = forms(distribution, pairs, number).map((form, place) => ({ ...form, ...facts.lemmas[place] }));
  const atCutoffs = cutoffScores(distribution, pairs, number, facts.cutoffs);
  const kinds = KINDS.map(([kind, holds]) => {
    const own = facts.lemmas.filter(holds).map(({ ids }) => ids);
    return { kind, verbs: own.length, atCutoffs: cutoffScores(distribution, own, number, facts.cutoffs) };
  });
  return { left, number, distribution, top, sums, rated, atCutoffs, kinds, chart: curves(atCutoffs) };
}

/* Vocabulary entry -> {form, lemma} for those that are a form of a verb; correct goes before wrong before past. */
function marks({ lemmas, past }, number) {
  const found = new Map(past.map(([entry, lemma]) => [entry, { form: "past", lemma }]));
  for (const { lemma, ids } of lemmas) found.set(ids[1 - number], { form: "wrong", lemma });
  for (const { lemma, ids } of lemmas) found.set(ids[number], { form: "correct", lemma });
  return found;
}
