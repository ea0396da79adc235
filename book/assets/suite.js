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
   * values; other keys are kept. Throws a TypeError where the data are no suite. */
  const shaped = ({ meta, region_meta: names, predictions, items, ...extra }) => ({
    meta: { name: "", metric: meta.metric, ...meta, name: plain(meta.name) },
    region_meta: Object.fromEntries(Object.entries(names).map(([number, name]) => [number, plain(name)])),
    predictions: predictions.map(({ type: _, formula, ...more }) =>
      ({ type: "formula", formula: plain(formula), ...more })),
    items: items.map(({ item_number, conditions, ...more }) =>
      ({ item_number, conditions: conditions.map(shapedCondition), ...more })),
    ...extra,
  });
  const shapedCondition = ({ condition_name: name, regions, ...more }) =>
    ({ condition_name: plain(name), regions: regions.map(shapedRegion), ...more });
  const shapedRegion = ({ region_number, content, metric_value: _, oovs: __, ...more }) =>
    ({ region_number, content: plain(content), ...more });

  /* The parts of a suite that may have keys of their own: the part, what leads to it, and the keys that are known. */
  function* partsOf(data) {
    yield [data, ["suite"], ["meta", "region_meta", "predictions", "items"]];
    for (const [index, prediction] of data.predictions.entries()) {
      yield [prediction, ["prediction", index], ["type", "formula"]];
    }
    for (const item of data.items) {
      const place = ["item", item.item_number];
      yield [item, place, ["item_number", "conditions"]];
      for (const condition of item.conditions) {
        const inside = [...place, condition.condition_name];
        yield [condition, inside, ["condition_name", "regions"]];
        for (const region of condition.regions) {
          yield [region, [...inside, region.region_number], ["region_number", "content"]];
        }
      }
    }
  }

  /* The keys of a suite that mean nothing here, by the part in which they stand. */
  function extraOf(data) {
    const extra = {};
    for (const [part, place, known] of partsOf(data)) {
      const more = Object.entries(part).filter(([key]) => !known.includes(key));
      if (more.length) extra[JSON.stringify(place)] = Object.fromEntries(more);
    }
    return extra;
  }

  /* The data with such keys in those of their parts that it has. */
  function withExtra(data, extra) {
    for (const [part, place] of partsOf(data)) Object.assign(part, extra[JSON.stringify(place)]);
    return data;
  }

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
      return ["not the data of a suite; the schema of a suite is below"];
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
    return checked(data);
  }

  function checked(data) {
    const [first, ...more] = problems(data);
    if (first) throw new Problem(first + (more.length ? ` (and ${more.length} more)` : ""));
    return canonical(data);
  }

  /* ---- A suite as a spreadsheet (tse_core.syntaxgym.suites says how) ---- */

  /* The numbers of the regions in the order of the sentences. Throws a Problem where they have several orders. */
  function orderOf({ items }) {
    const orders = items.flatMap(({ conditions }) =>
      conditions.map(({ regions }) => regions.map(({ region_number: number }) => number)));
    if (orders.some((order) => order.join() !== orders[0].join())) {
      throw new Problem("its conditions list regions in different orders, which no table can show");
    }
    return orders[0];
  }

  /* The text of a CSV file; keys of the JSON that it cannot hold are left out. Throws a Problem as `orderOf` does. */
  function toCsv(given) {
    const { meta, region_meta: names, predictions, items } = canonical(given);
    const texts = Object.entries(meta).filter(([, value]) => typeof value === "string");
    const heads = orderOf({ items }).map((number) => `${number}: ${names[number]}`);
    const rows = [
      ...texts.map((entry) => ["#meta", ...entry]),
      ...predictions.map(({ formula }) => ["#prediction", formula]),
      ["item_number", "condition_name", ...heads],
      ...items.flatMap(({ item_number: item, conditions }) => conditions.map(({ condition_name: name, regions }) =>
        [String(item), name, ...regions.map(({ content }) => content)])),
    ];
    const quoted = (cell) => (/[",\r\n]|^ | $/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
    // By the mark at the beginning Excel knows that the text is UTF-8.
    return "\ufeff" + rows.map((row) => row.map(quoted).join(",") + "\n").join("");
  }

  /* The rows of a CSV file, each a list of cells. Throws a Problem for a quotation mark that is not closed. */
  function rowsOf(text) {
    const [, separator = ","] = /^\s*"?[#\w]+"?\s*([,;\t])/.exec(text) ?? [];
    const cell = new RegExp(`(?:"((?:[^"]|"")*)"|((?!")[^${separator}\r\n]*))(${separator}|\r?\n|\r|$)`, "y");
    const rows = [[]];
    for (let end = null; end !== "";) {
      const match = cell.exec(text);
      if (!match) throw new Problem(`row ${rows.length}: a quotation mark inside a cell must be written twice`);
      end = match[3];
      rows.at(-1).push(match[1]?.replaceAll('""', '"') ?? match[2]);
      if (end !== separator && end !== "") rows.push([]);
    }
    return rows.filter((row) => row.some(Boolean));
  }

  /* The data of a CSV file's text, checked and canonical; throws a Problem. */
  function readCsv(text) {
    const rows = rowsOf(text.replace(/^\ufeff?\s*(sep=.\s*\n)?/, "")), kindOf = ([first]) => first.trim();
    const of = (kind) => rows.filter((row) => kindOf(row) === kind);
    const heads = of("item_number").flatMap((row) => row.slice(2)).filter(Boolean);
    const regions = heads.map((head) => {
      const match = /^\s*([0-9]+)\s*(?::\s*([^]*))?$/.exec(head);
      if (!match) throw new Problem(`'${head}' is no head of a region, such as 3: verb`);
      return [String(Number(match[1])), match[2] ?? ""];
    });
    const sentences = rows.filter((row) => !["#meta", "#prediction", "item_number"].includes(kindOf(row)));
    const condition = ([item, name = "", ...contents]) => {
      if (contents.slice(regions.length).some(Boolean)) {
        throw new Problem(`item ${item}, '${name}' has more cells than there are regions above it`);
      }
      return {
        condition_name: name,
        regions: regions.map(([number], place) => ({ region_number: Number(number), content: contents[place] ?? "" })),
      };
    };
    return checked({
      meta: Object.fromEntries(of("#meta").map(([, key, value = ""]) => [key, value])),
      region_meta: Object.fromEntries(regions),
      predictions: of("#prediction").map(([, formula = ""]) => ({ type: "formula", formula })),
      items: [...Map.groupBy(sentences, kindOf)].map(([item, conditions]) =>
        ({ item_number: Number(item), conditions: conditions.map(condition) })),
    });
  }

  /* ---- A suite under a model, as the package computes it (tse_core.syntaxgym) ---- */

  /* The sentence of one condition: its regions that are not empty, joined by one space. */
  const sentenceOf = (regions) => regions.map(({ content }) => content).filter(Boolean).join(" ");

  /* A condition with the bits of each region; a token belongs to the region of its first character that is no space. */
  function measured({ condition_name, regions, ...more }, tokens, metric) {
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
    return { condition_name, regions: regions.map(values), ...more };
  }

  /* The item with its results, as an evaluated suite's file holds them, and whether each prediction holds. `read` gives
   * the tokens {start, end, bits} of a sentence; it is asked sentence by sentence, so that a run can be stopped. */
  async function evaluateItem({ item_number, conditions, ...more }, { meta: { metric }, predictions }, read) {
    const found = [];
    for (const one of conditions) found.push(measured(one, await read(sentenceOf(one.regions)), metric));
    const bits = (number, name) => {
      const { regions } = found.find((one) => one.condition_name === name);
      const asked = regions.filter((region) => number === null || region.region_number === number);
      return sum(asked.map((region) => region.metric_value[metric]));
    };
    const holds = predictions.map(({ formula }) => parseFormula(formula).value(bits));
    return { item: { item_number, conditions: found, ...more }, holds };
  }

  window.tseSuite = {
    METRICS, Problem, parseFormula, problems, canonical, extraOf, withExtra, orderOf, toJson, toCsv, read, readCsv,
    evaluateItem,
  };
})();
