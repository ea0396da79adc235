/* A SyntaxGym suite in the browser: the prediction language, the data of its JSON, and what is wrong with either.
 * What is written is what `tse` writes, byte for byte. */
(function () {
  "use strict";
  const { plain } = window.tseCommon;

  /* `position`: the character of a formula that it is about, from 1. */
  class Problem extends Error {
    constructor(message, position) {
      super(position ? `formula, character ${position}: ${message}` : message);
      this.position = position;
    }
  }

  /* ---- The prediction language. Tightest: + -, then < > =, then & | of equal rank, all from the left. ---- */

  const LONGEST = 1000; // characters
  /* A sign before a number is read with the formula: "1-1" is a difference. */
  const NUMBER = "(?:[0-9]{1,200}(?:\\.[0-9]{0,200})?|\\.[0-9]{1,200})(?:[eE][+-]?[0-9]{1,2})?";
  const CONDITION = "%[^%]*[^%\\s][^%]*%";
  const KINDS = `(?<number>${NUMBER})|(?<condition>${CONDITION})|(?<sign>[()[\\];*+<>=&|-])|(?<end>$)|(?<wrong>[^])`;
  const TOKEN = new RegExp(`[ \\t\\f\\r\\n]*(?:${KINDS})`, "g");
  const ABSOLUTE = 1e-3, RELATIVE = 1e-5; // what the sign = allows
  const MEANING = {
    "+": (left, right) => left + right,
    "-": (left, right) => left - right,
    "<": (left, right) => left < right,
    ">": (left, right) => left > right,
    "=": (left, right) => Math.abs(left - right) <= ABSOLUTE + RELATIVE * Math.abs(right),
    "&": (left, right) => left && right,
    "|": (left, right) => left || right,
  };

  /* Tokens {kind, text, start}; a sign is its own kind, and the last one is "end". */
  const tokensOf = (formula) => [...formula.matchAll(TOKEN)].map(({ 0: found, index, groups }) => {
    const [kind, text] = Object.entries(groups).find(([, part]) => part !== undefined);
    return { kind: kind === "sign" ? text : kind, text, start: index + found.length - text.length };
  });

  /* A formula as {text, atoms, value}: its canonical text (round brackets, single spaces), its regions {region,
   * condition, start} (region null for all), and what it says of `bits(region, condition)`. Throws a Problem. */
  function parseFormula(formula) {
    if (formula.length > LONGEST) throw new Problem(`longer than ${LONGEST} characters`, LONGEST);
    const tokens = tokensOf(formula);
    const next = (...kinds) => kinds.includes(tokens[0].kind);
    const unexpected = (wanted) => {
      const { start } = tokens[0];
      const what = next("end") ? "the formula ends too early" : `unexpected '${formula[start]}'`;
      throw new Problem(`${what}; expected ${wanted}`, start + 1);
    };
    const take = (wanted, ...kinds) => (next(...kinds) ? tokens.shift() : unexpected(wanted));
    const isClaim = ({ kind }) => ["<", ">", "=", "&", "|"].includes(kind);
    const quantity = (node) => (isClaim(node) ? unexpected("a surprisal or a number before it") : node);
    const claim = (node) => (isClaim(node) ? node : unexpected("<, > or ="));
    const joined = (kind, left, right, text) => ({
      kind, text, atoms: [...left.atoms, ...right.atoms],
      value: (bits) => MEANING[kind](left.value(bits), right.value(bits)),
    });

    function atom() {
      const isSigned = next("+", "-") && tokens[1].kind === "number" && tokens[1].start === tokens[0].start + 1;
      const sign = isSigned ? tokens.shift().kind : "";
      const { kind, text } = take("(, [ or a number", "number", "(", "[");
      if (kind === "number") {
        return { kind, text: decimal(sign + text), atoms: [], value: () => Number(sign + text) };
      }
      const node = next("*") || tokens[1]?.kind === ";" ? surprisal() : junction();
      const closing = kind === "(" ? ")" : "]";
      take(closing, closing);
      return node;
    }
    function surprisal() {
      const { text, start } = take("a region's number or *", "*", "number");
      if (/[^0-9*]/.test(text)) unexpected("a whole number before it");
      take(";", ";");
      const condition = take("%condition%", "condition").text.slice(1, -1).trim();
      const region = text === "*" ? null : Number(text);
      const value = (bits) => bits(region, condition);
      return { text: `(${region ?? "*"};%${condition}%)`, atoms: [{ region, condition, start }], value };
    }
    function total() {
      const first = atom();
      if (isClaim(first) || !next("+", "-")) return first;
      const termsOf = (sign, node) => (sign === "+" && node.terms) || [[sign, node]], terms = [...termsOf("+", first)];
      while (next("+", "-")) terms.push(...termsOf(tokens.shift().kind, quantity(atom())));
      const text = ([sign, node], place) => (place ? ` ${sign} ` : "") + (node.terms ? `(${node.text})` : node.text);
      return {
        terms, text: terms.map(text).join(""), atoms: terms.flatMap(([, node]) => node.atoms),
        value: (bits) => terms.reduce((value, [sign, node]) => MEANING[sign](value, node.value(bits)), 0),
      };
    }
    function comparison() {
      const left = total();
      if (isClaim(left) || !next("<", ">", "=")) return left;
      const sign = tokens.shift().kind, right = quantity(total());
      return joined(sign, left, right, `${left.text} ${sign} ${right.text}`);
    }
    function junction() {
      let whole = comparison();
      while (isClaim(whole) && next("&", "|")) {
        const sign = tokens.shift().kind, right = claim(comparison());
        const left = whole.kind === sign ? whole.text : `(${whole.text})`;
        whole = joined(sign, whole, right, `${left} ${sign} (${right.text})`);
      }
      return whole;
    }

    const whole = junction();
    return next("end") ? claim(whole) : unexpected("the end");
  }

  /* A number without an exponent, and without zeros that say nothing. */
  function decimal(text) {
    const [, sign, whole, fraction, exponent = "0"] = /^([+-]?)([0-9]*)\.?([0-9]*)(?:e(.*))?$/i.exec(text);
    const point = whole.length + Number(exponent); // in the digits of both
    const digits = ("0".repeat(Math.max(0, -point)) + whole + fraction).padEnd(point, "0");
    const before = digits.slice(0, Math.max(0, point)).replace(/^0+/, "");
    const after = digits.slice(Math.max(0, point)).replace(/0+$/, "");
    if (!before && !after) return "0";
    return (sign === "-" ? "-" : "") + (before || "0") + (after && `.${after}`);
  }

  function checkFormula(text, regions, conditions) {
    for (const { start, region, condition } of parseFormula(text).atoms) {
      const fail = (what, names) => {
        throw new Problem(`no ${what}; there is: ${names.join(", ")}`, start + 1);
      };
      if (!conditions.includes(condition)) fail(`condition '${condition}'`, conditions);
      if (region !== null && !regions.includes(region)) fail(`region ${region}`, regions);
    }
  }

  /* ---- The data of a suite's JSON, and what is wrong with it ---- */

  /* Over the surprisals of a region's tokens. */
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
  const regionsOf = (data) => Object.keys(data.region_meta).map(Number).sort((a, b) => a - b);
  const conditionNames = (data) => data.items[0].conditions.map((condition) => condition.condition_name);

  /* A copy in plain spelling of what the published schema (data/syntaxgym/suite.schema.json) asks for, without measured
   * values. Throws a TypeError where the data are no suite. */
  const shaped = ({ meta, region_meta: names, predictions, items }) => ({
    meta: { name: "", metric: meta.metric, ...meta, name: plain(meta.name) },
    region_meta: Object.fromEntries(Object.entries(names).map(([number, name]) => [number, plain(name)])),
    predictions: predictions.map(({ formula }) => ({ type: "formula", formula: plain(formula) })),
    items: items.map(({ item_number, conditions }) => ({
      item_number,
      conditions: conditions.map(({ condition_name: name, regions }) => ({
        condition_name: plain(name),
        regions: regions.map(({ region_number, content }) => ({ region_number, content: plain(content) })),
      })),
    })),
  });

  /* A line for each name that is not there once, or is there and not wanted. */
  function miscounted(names, wanted, what) {
    const count = (name) => names.filter((one) => one === name).length;
    const wrong = [...new Set([...names, ...wanted])].filter((name) => count(name) !== Number(wanted.includes(name)));
    const each = `wanted once each: ${wanted.join(", ")}`;
    return wrong.map((name) => `${what} ${JSON.stringify(name)} is there ${count(name)} times; ${each}`);
  }

  /* Everything that is wrong with the data, a line each. */
  function problems(given) {
    let data, conditions;
    try {
      data = shaped(given);
      conditions = [...new Set(conditionNames(data))];
    } catch {
      return ["not the data of a suite, whose schema is below"];
    }
    const regions = regionsOf(data), numbers = data.items.map((item) => item.item_number), { metric } = data.meta;
    const found = miscounted(numbers, [...new Set(numbers)], "item");
    const demand = (holds, message) => { if (!holds) found.push(message); };
    demand(Object.hasOwn(METRICS, metric), `the metric is one of ${Object.keys(METRICS).join(", ")}, not ${metric}`);
    for (const number of Object.keys(data.region_meta)) {
      demand(/^[1-9][0-9]{0,5}$/.test(number), `regions have a number and a name, not '${number}'`);
    }
    const parts = { region: regions, condition: conditions, prediction: data.predictions };
    for (const [name, { length }] of Object.entries(parts)) demand(length, `there is no ${name}`);
    for (const item of data.items) {
      const place = `item ${item.item_number}`, names = item.conditions.map((condition) => condition.condition_name);
      demand(Number.isInteger(item.item_number), `${place}: items have whole numbers`);
      found.push(...miscounted(names, conditions, `${place}: condition`));
      for (const condition of item.conditions) {
        const here = `${place}, condition '${condition.condition_name}'`;
        demand(/^[^%]+$/.test(condition.condition_name), `${here}: a condition has a name without %`);
        found.push(...miscounted(condition.regions.map((region) => region.region_number), regions, `${here}: region`));
        demand(condition.regions.some((region) => region.content), `${here}: every region is empty`);
      }
    }
    for (const [index, { formula }] of data.predictions.entries()) {
      try {
        checkFormula(formula, regions, conditions);
      } catch (error) {
        found.push(`prediction ${index + 1}: ${error.message}`);
      }
    }
    return found;
  }

  /* The data of a suite without problems: conditions in the first item's order, regions as they are
   * listed, formulas in their canonical text. */
  function canonical(given) {
    const data = shaped(given), place = new Map(conditionNames(data).map((name, index) => [name, index]));
    for (const prediction of data.predictions) prediction.formula = parseFormula(prediction.formula).text;
    for (const { conditions } of data.items) {
      conditions.sort((a, b) => place.get(a.condition_name) - place.get(b.condition_name));
    }
    return data;
  }

  const toJson = (data) => JSON.stringify(canonical(data), null, 2) + "\n";

  /* The data of a file's text, checked and canonical; throws a Problem with the first thing that is wrong. */
  function read(text) {
    let data;
    try {
      data = JSON.parse(text);
    } catch (error) {
      throw new Problem(`not JSON: ${error.message}`);
    }
    const [first, ...more] = problems(data);
    if (first) throw new Problem(first + (more.length ? ` (and ${more.length} more)` : ""));
    return canonical(data);
  }

  /* ---- A suite under a model, as the package computes it (tse_core.syntaxgym) ---- */

  /* The sentence of one condition: its regions that are not empty, joined by one space. */
  const sentenceOf = (regions) => regions.map(({ content }) => content).filter(Boolean).join(" ");

  /* A condition with the bits of each region; a token belongs to the region of its first character that is no space. */
  function measured({ condition_name, regions }, tokens, metric) {
    const sentence = sentenceOf(regions), owned = regions.map(() => []);
    let last = -1;
    const ends = regions.map(({ content }) => (content ? (last += content.length + 1) : -1));
    for (const { start, end, bits } of tokens) {
      const place = start + sentence.slice(start, start < end ? end : undefined).search(/\S|$/);
      const owner = ends.findIndex((after) => place < after);
      owned[owner < 0 ? ends.lastIndexOf(last) : owner].push(bits);
    }
    const value = (bits) => ({ [metric]: bits.length ? METRICS[metric](bits) : 0 });
    const values = (region, place) => ({ ...region, metric_value: value(owned[place]), oovs: [] });
    return { condition_name, regions: regions.map(values) };
  }

  /* The item with its results, as an evaluated suite's file holds them, and whether each prediction holds. `read` gives
   * the tokens {start, end, bits} of a sentence; it is asked sentence by sentence, so that a run can be stopped. */
  async function evaluateItem({ item_number, conditions }, { meta: { metric }, predictions }, read) {
    const found = [];
    for (const one of conditions) found.push(measured(one, await read(sentenceOf(one.regions)), metric));
    const bits = (number, name) => {
      const { regions } = found.find((one) => one.condition_name === name);
      const asked = regions.filter((region) => number === null || region.region_number === number);
      return sum(asked.map((region) => region.metric_value[metric]));
    };
    const holds = predictions.map(({ formula }) => parseFormula(formula).value(bits));
    return { item: { item_number, conditions: found }, holds };
  }

  window.tseSuite = { METRICS, Problem, parseFormula, problems, canonical, toJson, read, evaluateItem };
})();
