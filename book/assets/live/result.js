/* What the model makes of one context: EW and MW at a cut-off, its continuations, one verb, and the verbs it gets wrong. */

import { curves } from "./chart.js";
import { el, percent, share, table, visible } from "./dom.js";

const WRONG_SHOWN = 12;

export const cutName = ({ side, cutoff }) => (side === "top" && cutoff === 1 ? "all verbs" : `${side} ${Number((100 * cutoff).toPrecision(3))} %`);

/** One context's results; `cut` is {side, place, cutoff}, `verb` a verb, {message} or null. */
export function card(scored, cut, verb) {
  const { left, number, top, rated, sums } = scored, at = scored.curves[cut.side][cut.place];
  const numbers = el("p", { className: "live-numbers" },
    el("span", {}, "EW ", el("strong", { textContent: share(at.ew), "data-value": "ew" })),
    el("span", {}, "MW ", el("strong", { textContent: share(at.mw), "data-value": "mw" })),
    el("span", { className: "live-quiet", textContent: `${cutName(cut)}; the verbs that count hold ${percent(at.coverage)} of the probability` }));
  return el("article", { className: "live-card" },
    el("h4", {}, `${left} `, el("span", { className: "live-slot", textContent: "…" }), el("small", { textContent: ` ${["singular", "plural"][number]} subject` })),
    numbers, curves(scored.curves, cut),
    verb ? verbLine(scored, verb) : "",
    table("The likeliest continuations", ["Token", "Probability", "It is"], top.map(({ token, p, form, lemma }) => [el("code", { textContent: visible(token) }), percent(p), mark(form, lemma)])),
    el("p", { className: "live-quiet", textContent: divided(sums) }),
    wrongVerbs(rated, number));
}

function mark(form, lemma) {
  const looks = { correct: "good", wrong: "bad" }[form] ?? "live-quiet";
  return el("span", { className: looks, textContent: form === "other" ? "other" : `${form} (${lemma})` });
}

const divided = ({ correct, wrong, past, other }) =>
  `Of all probability, ${percent(correct)} is on correct forms, ${percent(wrong)} on wrong ones, ` +
  `${percent(past)} on past forms, which no score counts, and ${percent(other)} on everything else.`;

function verbLine({ distribution, number }, verb) {
  if (verb.message) return el("p", { className: "live-wrong", textContent: `TSE: ${verb.message}` });
  const words = number ? [verb.plural, verb.singular] : [verb.singular, verb.plural];
  const correct = distribution[verb.ids[number]], wrong = distribution[verb.ids[1 - number]];
  const agrees = correct > wrong;
  return el("p", {}, `TSE with “${verb.lemma}” is `, el("strong", { className: agrees ? "good" : "bad", textContent: agrees ? "1" : "0", "data-value": "tse" }),
    ": ", el("em", { textContent: words[0] }), ` has ${percent(correct)}, `, el("em", { textContent: words[1] }), ` ${percent(wrong)}.`);
}

function wrongVerbs(rated, number) {
  const wrong = rated.filter((verb) => !verb.agrees).sort((a, b) => b.wrong - a.wrong), more = wrong.slice(WRONG_SHOWN);
  const form = (word, p) => el("span", {}, `${word} `, el("span", { className: "live-quiet", textContent: percent(p) }));
  const listed = (caption, verbs) => table(caption, ["Wrong form", "Correct form"], verbs.map((verb) => {
    const words = [verb.plural, verb.singular];
    return [form(words[number], verb.wrong), form(words[1 - number], verb.correct)];
  }));
  const parts = [el("p", {}, el("strong", { textContent: wrong.length ? `${wrong.length} of ${rated.length} verbs are wrong` : `All ${rated.length} verbs are right` }), ` for a ${["singular", "plural"][number]} subject${wrong.length ? ", likely ones first" : ""}.`)];
  if (wrong.length) parts.push(listed("Verbs whose wrong form is the likelier one", wrong.slice(0, WRONG_SHOWN)));
  if (more.length) parts.push(el("details", {}, el("summary", { textContent: `The other ${more.length}` }), listed("The other wrong verbs", more)));
  return el("div", {}, ...parts);
}
