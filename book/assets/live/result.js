/* What the model makes of one context: EW and MW at a cut-off, their curves, its continuations, one verb, and the verbs
 * it gets wrong. */

import { NUMBERS, cutName, percent, share, visible } from "./text.js";

const { el, table } = window.tseCommon;
const WRONG_SHOWN = 12;

/** One context's results; `cut` is {side, cutoff}, `verb` a verb, {message} or null. */
export function card(scored, cut, verb) {
  const { left, number, top, rated, sums } = scored;
  const at = scored.curves[cut.side].find(({ cutoff }) => cutoff === cut.cutoff);
  const score = (name, key) => el("span", {}, `${name} `, el("strong", { "data-value": key }, share(at[key])));
  const counts = `${cutName(cut)}; the verbs that count hold ${percent(at.coverage)} of the probability`;
  const continuations = top.map((one) => [el("code", {}, visible(one.token)), percent(one.p), mark(one)]);
  const divided = `Of all probability, ${percent(sums.correct)} is on correct forms, ` +
    `${percent(sums.wrong)} on wrong ones, ${percent(sums.past)} on past forms, which no score counts, ` +
    `and ${percent(sums.other)} on everything else.`;
  return el("article", { className: "live-card" },
    el("h4", {}, `${left} … `, el("small", {}, `${NUMBERS[number]} subject`)),
    el("p", { className: "live-numbers" }, score("EW", "ew"), score("MW", "mw"),
      el("span", { className: "live-quiet" }, counts)),
    curves(scored.curves, { ...cut, ...at }),
    verb ? verbLine(scored, verb) : "",
    table("The likeliest continuations", ["Token", "Probability", "It is"], continuations),
    el("p", { className: "live-quiet" }, divided),
    ...wrongVerbs(rated, number));
}

function mark({ form, lemma }) {
  const looks = { correct: "good", wrong: "bad" }[form] ?? "live-quiet";
  return el("span", { className: looks }, form === "other" ? "other" : `${form} (${lemma})`);
}

function verbLine({ distribution, number }, verb) {
  if (verb.message) return el("p", { className: "live-wrong" }, `TSE: ${verb.message}`);
  const words = [verb.singular, verb.plural];
  const [correct, wrong] = [number, 1 - number].map((one) => distribution[verb.ids[one]]);
  const agrees = correct > wrong;
  return el("p", {}, `TSE with “${verb.lemma}” is `,
    el("strong", { className: agrees ? "good" : "bad", "data-value": "tse" }, agrees ? "1" : "0"), ": ",
    el("em", {}, words[number]), ` has ${percent(correct)}, `, el("em", {}, words[1 - number]), ` ${percent(wrong)}.`);
}

function wrongVerbs(rated, number) {
  const wrong = rated.filter((verb) => !verb.agrees).sort((a, b) => b.wrong - a.wrong), more = wrong.slice(WRONG_SHOWN);
  const form = (word, p) => el("span", {}, `${word} `, el("span", { className: "live-quiet" }, percent(p)));
  const listed = (caption, verbs) => table(caption, ["Wrong form", "Correct form"], verbs.map((verb) => {
    const words = [verb.singular, verb.plural];
    return [form(words[1 - number], verb.wrong), form(words[number], verb.correct)];
  }));
  if (!wrong.length) return [el("p", {}, `All ${rated.length} verbs are right for a ${NUMBERS[number]} subject.`)];
  return [
    el("p", {}, el("strong", {}, `${wrong.length} of ${rated.length} verbs are wrong`),
      ` for a ${NUMBERS[number]} subject, likely ones first.`),
    listed("Verbs whose wrong form is the likelier one", wrong.slice(0, WRONG_SHOWN)),
    more.length ? el("details", {}, el("summary", {}, `The other ${more.length}`), listed("The others", more)) : "",
  ];
}

/* EW and MW against the cut-off: the head of the distribution on the left, its tail on the right. */

const WIDTH = 360, HEIGHT = 190, LEFT = 30, HEAD_END = 187, TAIL = 205, RIGHT = 352, TOP = 26, BOTTOM = 156;
const METRICS = [["ew", "EW"], ["mw", "MW"]];

function curves(scores, cut) {
  const said = `EW and MW against the cut-off; at ${cutName(cut)} EW is ${share(cut.ew)} and MW ${share(cut.mw)}.`;
  const label = (text, x, base, anchor = "start") => svg("text", { x, y: base, "text-anchor": anchor }, text);
  const line = (x1, x2, y1, y2, looks) => svg("line", { x1, x2, y1, y2, class: looks });
  const grid = [0, 0.5, 1].flatMap((value) => [
    line(LEFT, HEAD_END, y(value), y(value), "live-grid"),
    line(TAIL, RIGHT, y(value), y(value), "live-grid"),
    label(value.toFixed(1), LEFT - 5, y(value) + 4, "end"),
  ]);
  const drawn = ["top", "bottom"].flatMap((side) => METRICS.flatMap(([key, name]) => {
    const places = scores[side].filter((one) => one[key] !== null).map((one) => [x(side, one.cutoff), y(one[key])]);
    const looks = { class: `live-line live-${key}`, "data-metric": name };
    return [svg("polyline", { points: places.join(" "), ...looks }), ...places.map(([px, py]) => dot(key, px, py))];
  }));
  const foot = BOTTOM + 16, at = x(cut.side, cut.cutoff);
  const ends = [
    label("top 10 %", LEFT, foot), label("100 %", HEAD_END, foot, "end"),
    label("bottom 50 %", TAIL, foot), label("0.0001 %", RIGHT, foot, "end"),
  ];
  const legend = METRICS.flatMap(([key, name], place) => [
    dot(key, 34 + 46 * place, 9), label(name, 44 + 46 * place, 13),
  ]);
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "live-chart", role: "img", "aria-label": said },
    ...grid, line(at, at, TOP - 6, BOTTOM, "live-cut"), ...drawn, ...ends, ...legend);
}

/* The head on a straight scale, the tail on a logarithmic one, both towards rarer words on the right. */
function x(side, cutoff) {
  if (side === "top") return LEFT + (HEAD_END - LEFT) * ((cutoff - 0.1) / 0.9);
  return TAIL + (RIGHT - TAIL) * (Math.log10(0.5 / cutoff) / Math.log10(0.5 / 1e-6));
}
const y = (value) => BOTTOM - (BOTTOM - TOP) * value;

/* A circle for EW, a diamond for MW, as in every chart of the book. */
function dot(key, px, py) {
  if (key === "ew") return svg("circle", { cx: px, cy: py, r: 3.2, class: "live-dot live-ew" });
  return svg("path", { d: `M${px} ${py - 4.4}l4.4 4.4-4.4 4.4-4.4-4.4Z`, class: "live-dot live-mw" });
}

function svg(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
