/* What the model makes of one context: EW and MW at a cut-off, EW by kind of verb, their curves, its continuations, one
 * verb, and the verbs it gets wrong. */

import { NUMBERS, cutName, percent, share, visible } from "./text.js";

const { el, table } = window.tseCommon;

/** One context's results; `cut` is {side, cutoff}, `verb` one of the list, or the word that is none. */
export function card(scored, cut, verb) {
  const { left, number, top, rated, sums } = scored;
  const at = scoresAt(scored, cut);
  const score = (name, key) => el("span", {}, `${name} `, el("strong", { "data-value": key }, share(at[key])));
  const counts = `${cutName(cut)}; the verbs that count have ${percent(at.coverage)} of the probability`;
  const continuations = top.map((one) => [el("code", {}, visible(one.token)), percent(one.p), mark(one)]);
  const divided = `Of all the probability, ${percent(sums.correct)} is on correct forms, ` +
    `${percent(sums.wrong)} on wrong ones, ${percent(sums.past)} on past forms, which no score counts, ` +
    `and ${percent(sums.other)} on everything else.`;
  return el("article", { className: "live-card" },
    el("h4", {}, `${left} … `, el("small", {}, `${NUMBERS[number]} subject`)),
    el("p", { className: "live-numbers" }, score("EW", "ew"), score("MW", "mw"),
      el("span", { className: "live-quiet" }, counts)),
    el("p", {}, "EW by kind of verb: ", ...kindsLine(scored, cut)),
    scored.chart,
    verb ? verbLine(scored, verb) : "",
    table("The likeliest continuations", ["Token", "Probability", "Marked as"], continuations),
    el("p", { className: "live-quiet" }, divided),
    ...wrongVerbs(rated, number));
}

const scoresAt = ({ atCutoffs }, { side, cutoff }) => atCutoffs[side].find((one) => one.cutoff === cutoff);

/* EW by kind of verb: "never nouns (294) 0.759, also nouns (668) 0.268". */
function kindsLine({ kinds }, cut) {
  const parts = kinds.map((one) => [
    `${one.kind} (${one.verbs}) `,
    el("strong", { "data-value": `ew ${one.kind}` }, share(scoresAt(one, cut).ew)),
  ]);
  return parts.flatMap((part, place) => (place ? [", ", ...part] : part));
}

function mark({ form, lemma }) {
  const looks = { correct: "good", wrong: "bad" }[form] ?? "live-quiet";
  return el("span", { className: looks }, form === "other" ? "other" : `${form} (${lemma})`);
}

function verbLine({ distribution, number, rated }, verb) {
  if (typeof verb === "string") {
    return el("p", { className: "live-wrong" }, `TSE: “${verb}” is not one of the ${rated.length} verbs.`);
  }
  const words = [verb.singular, verb.plural];
  const [correct, wrong] = [number, 1 - number].map((one) => distribution[verb.ids[one]]);
  const agrees = correct > wrong;
  return el("p", {}, `TSE with “${verb.lemma}” is `,
    el("strong", { className: agrees ? "good" : "bad", "data-value": "tse" }, agrees ? "1" : "0"), ": ",
    el("em", {}, words[number]), ` has ${percent(correct)}, `, el("em", {}, words[1 - number]), ` ${percent(wrong)}.`);
}

function wrongVerbs(rated, number) {
  const wrong = rated.filter((verb) => !verb.agrees).sort((a, b) => b.wrong - a.wrong);
  const form = (word, p) => el("span", {}, `${word} `, el("span", { className: "live-quiet" }, percent(p)));
  const rows = wrong.map((verb) => {
    const words = [verb.singular, verb.plural];
    return [form(words[1 - number], verb.wrong), form(words[number], verb.correct)];
  });
  if (!wrong.length) return [el("p", {}, `All ${rated.length} verbs are right for a ${NUMBERS[number]} subject.`)];
  return [
    el("p", {}, el("strong", {}, `${wrong.length} of ${rated.length} verbs are wrong`),
      ` for a ${NUMBERS[number]} subject, the most likely ones first.`),
    el("div", { className: "tse-tall", tabIndex: 0, role: "region", "aria-label": "Wrong verbs" },
      table("Verbs whose wrong form is more likely", ["Wrong form", "Correct form"], rows)),
  ];
}

/** EW and MW against the cut-off: the head of the distribution on the left, its tail on the right. */
export function curves(scores) {
  const names = { ew: "EW", mw: "MW" }, place = el("div", { className: "live-chart" });
  const points = (side) => scores[side].flatMap((one) => Object.entries(names)
    .filter(([key]) => one[key] !== null)
    .map(([key, metric]) => ({ cutoff: one.cutoff, metric, score: one[key] })));
  const panel = (side, title, scale) => ({
    width: 105, height: 120, data: { values: points(side) }, mark: { type: "line", point: true },
    encoding: {
      x: { field: "cutoff", type: "quantitative", title, scale, axis: { format: "~p", tickCount: 3, grid: false } },
      y: { field: "score", type: "quantitative", title: null, scale: { domain: [0, 1] }, axis: { tickCount: 2 } },
      color: { field: "metric", title: null, scale: { range: ["#0072b2", "#b3578f"] }, legend: { orient: "top" } },
      shape: { field: "metric", title: null, legend: null, scale: { range: ["circle", "diamond"] } },
    },
  });
  window.vegaEmbed(place, {
    description: "EW and MW at every cut-off, from the likeliest entries to the least likely ones",
    hconcat: [
      panel("top", "top", { domain: [0.1, 1] }),
      panel("bottom", "bottom", { type: "log", reverse: true }),
    ],
  }, { mode: "vega-lite" });
  return place;
}
