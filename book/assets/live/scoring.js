/* TSE, EW and MW of one distribution, as the package's metrics compute them; plain arithmetic, no page and no model.
 *
 * `probabilities` is the whole distribution (one number an entry), `pairs` the verbs as [singular entry, plural entry],
 * `number` that of the subject: 0 singular, 1 plural. A tie is wrong. */

/** Each verb's probabilities and whether it agrees: P(correct) > P(wrong) (Newman et al. 2021, Eq. 1). */
export function forms(probabilities, pairs, number) {
  return pairs.map((ids) => {
    const correct = probabilities[ids[number]], wrong = probabilities[ids[1 - number]];
    return { correct, wrong, agrees: correct > wrong };
  });
}

/** The two kinds of verb whose EW the page tells apart: a name, and whether a verb is of the kind. */
export const KINDS = [["never nouns", (verb) => !verb.noun], ["also nouns", (verb) => verb.noun]];
export const KINDS_AND_ALL = [...KINDS, ["all", () => true]];

/** EW: the share of verbs that agree. */
export const equallyWeighted = (verbs) => verbs.filter((verb) => verb.agrees).length / verbs.length;

/** MW: the share of the verbs' probability that is on correct forms (Eq. 2). */
export function modelWeighted(verbs) {
  const correct = sum(verbs.map((verb) => verb.correct)), wrong = sum(verbs.map((verb) => verb.wrong));
  return correct / (correct + wrong);
}

/** How far each verb moves between two twin distributions (nats): half of what the log-odds of its singular form against
 * its plural one gain from the plural subject to the singular one. */
export function sensitivities(singular, plural, pairs) {
  const odds = (probabilities, [one, many]) => Math.log(probabilities[one]) - Math.log(probabilities[many]);
  return pairs.map((ids) => (odds(singular, ids) - odds(plural, ids)) / 2);
}

/** Number sensitivity: the share of verbs that move the right way. A tie counts as not sensitive. */
export function numberSensitivity(singular, plural, pairs) {
  return sensitivities(singular, plural, pairs).filter((move) => move > 0).length / pairs.length;
}

/** EW, MW and coverage at every cut-off: {top, bottom}, lists of {cutoff, ew, mw, coverage}; null where undefined. */
export function cutoffScores(probabilities, pairs, number, { top, bottom }) {
  const order = sorted(probabilities), verbs = forms(probabilities, pairs, number);
  const at = (cutoff, place) => ({ cutoff, ...mixed(place(order, cutoff), cutoff >= 1, verbs) });
  return { top: top.map((cutoff) => at(cutoff, headAt)), bottom: bottom.map((cutoff) => at(cutoff, tailAt)) };
}

/* A verb counts when its likelier form is inside: at the top for EW then, while a form counts for MW by itself; at the
 * bottom for both, since both its forms are inside. */
function scoresInside(verbs, inside) {
  const counted = verbs.filter((verb) => inside(Math.max(verb.correct, verb.wrong)));
  const mass = (form) => sum(counted.map((verb) => verb[form]).filter(inside));
  const correct = mass("correct"), wrong = mass("wrong");
  return {
    ew: counted.length ? equallyWeighted(counted) : null,
    mw: correct + wrong > 0 ? correct / (correct + wrong) : null,
    coverage: sum(counted.map((verb) => verb.correct + verb.wrong)),
  };
}

/* The entry on which the cut-off falls counts in part: the scores without and with it are mixed by its share inside. */
function mixed({ edge, share, above }, everything, verbs) {
  if (everything) return scoresInside(verbs, () => true);
  const without = scoresInside(verbs, (p) => (above ? p > edge : p < edge));
  const including = scoresInside(verbs, (p) => (above ? p >= edge : p <= edge));
  const mix = (a, b) => (a === null ? b : b === null ? a : (1 - share) * a + share * b);
  return Object.fromEntries(Object.keys(without).map((key) => [key, mix(without[key], including[key])]));
}

/* The probabilities from the smallest, and their running sum. */
function sorted(probabilities) {
  const rising = Float32Array.from(probabilities).sort(), running = new Float64Array(rising.length);
  let total = 0;
  for (let place = 0; place < rising.length; place += 1) running[place] = total += rising[place];
  return { rising, running, total };
}

function headAt(order, cutoff) {
  const { edge, below, upTo } = group(order, (mass) => mass > order.total - cutoff);
  return { edge, above: true, share: part(cutoff, order.total - upTo, order.total - below) };
}

function tailAt(order, cutoff) {
  const { edge, below, upTo } = group(order, (mass) => mass >= cutoff);
  return { edge, above: false, share: part(cutoff, below, upTo) };
}

/* The first entry, or else the last, whose running sum is as asked, with all of equal probability: the mass below and up
 * to them. */
function group({ rising, running }, asked) {
  const edge = rising.at(running.findIndex(asked));
  return { edge, below: running[rising.indexOf(edge) - 1] ?? 0, upTo: running[rising.lastIndexOf(edge)] };
}

function part(cutoff, before, after) {
  return after > before ? Math.min(1, Math.max(0, (cutoff - before) / (after - before))) : 1;
}
const sum = (values) => values.reduce((total, value) => total + value, 0);
