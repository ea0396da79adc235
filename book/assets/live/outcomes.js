/* A suite under the model: the surprisal of every region, and whether each prediction holds. The arithmetic of the
 * package's syntaxgym room; suite.js beside the designer reads the formulas. */

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
export const sentenceOf = (regions) => regions.map((region) => region.content).filter((content) => content).join(" ");

/** The bits of each region, by its number; a token belongs to the region of its first character that is no space. */
export function regionBits(regions, tokens, metric) {
  const sentence = sentenceOf(regions), owners = new Map(regions.map((region) => [region.region_number, []])), ends = [];
  let end = 0;
  for (const { region_number: number, content } of regions) {
    if (!content) continue;
    end += (end ? 1 : 0) + content.length;
    ends.push([end, number]);
  }
  for (const { start, end: stop, bits } of tokens) {
    let place = start;
    while (place < sentence.length && (place < stop || start === stop) && /\s/.test(sentence[place])) place += 1;
    const owner = ends.find(([last]) => place < last) ?? ends.at(-1);
    owners.get(owner[1]).push(bits);
  }
  return new Map([...owners].map(([number, bits]) => [number, bits.length ? METRICS[metric](bits) : 0]));
}

/** Whether a formula, as the designer's parser reads it, is true of `bits(region, condition)`; region null is all. */
export function holds(node, bits) {
  switch (node.kind) {
    case "number": return Number(node.text);
    case "region": return bits(node.region, node.condition);
    case "sum": return node.terms.reduce((total, [sign, term]) => total + (sign === "-" ? -1 : 1) * holds(term, bits), 0);
    case "comparison": return compared(node.sign, holds(node.left, bits), holds(node.right, bits));
    default: {
      const claims = node.claims.map((claim) => holds(claim, bits));
      return node.sign === "&" ? claims.every(Boolean) : claims.some(Boolean);
    }
  }
}

function compared(sign, left, right) {
  if (sign === "<") return left < right;
  if (sign === ">") return left > right;
  return Math.abs(left - right) <= ABSOLUTE + RELATIVE * Math.abs(right);
}

/** One item: {number, bits: condition -> region -> bits, holds: [whether each prediction holds]}.
 *
 * `read` gives the tokens of a sentence; it is asked sentence by sentence, so that a run can be stopped. */
export async function evaluateItem(item, data, read) {
  const bits = new Map();
  for (const condition of item.conditions) {
    bits.set(condition.condition_name, regionBits(condition.regions, await read(sentenceOf(condition.regions)), data.meta.metric));
  }
  const look = (region, condition) => (region === null ? sum([...bits.get(condition).values()]) : bits.get(condition).get(region));
  const claims = data.predictions.map(({ formula }) => window.tseSuite.parseFormula(formula));
  return { number: item.item_number, bits, holds: claims.map((claim) => holds(claim, look)) };
}

/** The suite with its results, as an evaluated suite's file holds them. */
export function withResults(data, results, signature) {
  const found = new Map(results.map((result) => [result.number, result.bits]));
  const items = data.items.filter((item) => found.has(item.item_number)).map((item) => ({
    ...item,
    conditions: item.conditions.map((condition) => ({
      ...condition,
      regions: condition.regions.map((region) => ({
        ...region,
        metric_value: { [data.meta.metric]: found.get(item.item_number).get(condition.condition_name).get(region.region_number) },
        oovs: [],
      })),
    })),
  }));
  return { ...data, meta: { ...data.meta, evaluated: signature }, items };
}
