/* A suite under the model: the surprisal of every region, and whether each prediction holds. The arithmetic of the
 * package's (tse_core.syntaxgym); suite.js beside the designer reads the formulas. */

const ABSOLUTE = 1e-3, RELATIVE = 1e-5; // what the sign = of a formula allows
const sum = (values) => values.reduce((total, value) => total + value, 0);
const METRICS = {
  sum,
  mean: (values) => sum(values) / values.length,
  median: (values) => {
    const rising = [...values].sort((a, b) => a - b), middle = rising.length >> 1;
    return rising.length % 2 ? rising[middle] : (rising[middle - 1] + rising[middle]) / 2;
  },
  range: (values) => Math.max(...values) - Math.min(...values),
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
};

/** The sentence of one condition: its regions that are not empty, joined by one space. */
const sentenceOf = (regions) => regions.map(({ content }) => content).filter(Boolean).join(" ");

/* The bits of each region, by its number; a token belongs to the region of its first character that is no space. */
function regionBits(regions, tokens, metric) {
  const sentence = sentenceOf(regions), owned = new Map(regions.map((region) => [region.region_number, []])), ends = [];
  for (const { region_number: number, content } of regions) {
    const begin = ends.length ? ends.at(-1).end + 1 : 0;
    if (content) ends.push({ end: begin + content.length, number });
  }
  for (const { start, end, bits } of tokens) {
    let place = start;
    while (place < sentence.length && (place < end || start === end) && /\s/.test(sentence[place])) place += 1;
    const owner = ends.find((region) => place < region.end) ?? ends.at(-1);
    owned.get(owner.number).push(bits);
  }
  return new Map([...owned].map(([number, bits]) => [number, bits.length ? METRICS[metric](bits) : 0]));
}

/* The value of a formula's node (suite.js), bits or truth, from `bits(region, condition)`; region null is all. */
function valueOf(node, bits) {
  if (node.kind === "number") return Number(node.text);
  if (node.kind === "region") return bits(node.region, node.condition);
  if (node.kind === "+") return sum(node.parts.map(([sign, term]) => (sign === "-" ? -1 : 1) * valueOf(term, bits)));
  const values = node.parts.map((part) => valueOf(part, bits)), [left, right] = values;
  if (node.kind === "&") return values.every(Boolean);
  if (node.kind === "|") return values.some(Boolean);
  if (node.kind === "=") return Math.abs(left - right) <= ABSOLUTE + RELATIVE * Math.abs(right);
  return node.kind === "<" ? left < right : left > right;
}

/** One item: {number, bits: condition -> region -> bits, holds: [whether each prediction holds]}.
 *
 * `read` gives the tokens of a sentence; it is asked sentence by sentence, so that a run can be stopped. */
export async function evaluateItem(item, { meta, predictions }, read) {
  const bits = new Map();
  for (const { condition_name: name, regions } of item.conditions) {
    bits.set(name, regionBits(regions, await read(sentenceOf(regions)), meta.metric));
  }
  const look = (region, name) => (region === null ? sum([...bits.get(name).values()]) : bits.get(name).get(region));
  const holds = predictions.map(({ formula }) => valueOf(window.tseSuite.parseFormula(formula), look));
  return { number: item.item_number, bits, holds };
}

/** The items that were run, with their results, as an evaluated suite's file holds them. */
export function withResults(suite, results, signature) {
  const items = results.map(({ number, bits }) => {
    const item = suite.items.find((one) => one.item_number === number);
    const measured = (name, region) => (
      { ...region, metric_value: { [suite.meta.metric]: bits.get(name).get(region.region_number) }, oovs: [] });
    const conditions = item.conditions.map(({ condition_name: name, regions }) => (
      { condition_name: name, regions: regions.map((region) => measured(name, region)) }));
    return { ...item, conditions };
  });
  return { ...suite, meta: { ...suite.meta, evaluated: signature }, items };
}
