/* A SyntaxGym suite in the browser: the prediction language, its data, JSON and CSV. No page is needed here.
 *
 * What is written is what `tse` reads, and the JSON is what it writes, byte for byte. */
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
  const NUMBER = "[0-9]{1,100}(?:\\.[0-9]{0,100})?|\\.[0-9]{1,100}", CONDITION = "%[^%]*[^%\\s][^%]*%";
  const KINDS = `(?<number>${NUMBER})|(?<condition>${CONDITION})|(?<sign>[()[\\];*+<>=&|-])|$`;
  const TOKEN = new RegExp(`[ \\t\\f\\r\\n]*(?:${KINDS})`, "y");

  /* Tokens {kind, text, start}; a sign is its own kind. The last one is "end", or "wrong" where nothing can be read. */
  function tokensOf(text) {
    const tokens = [];
    for (let end = 0; ;) {
      TOKEN.lastIndex = end;
      const found = TOKEN.exec(text);
      if (!found) return [...tokens, { kind: "wrong", start: end + /^[ \t\f\r\n]*/.exec(text.slice(end))[0].length }];
      const [kind, token] = Object.entries(found.groups).find(([, part]) => part !== undefined) ?? ["end", ""];
      end = TOKEN.lastIndex;
      tokens.push({ kind: kind === "sign" ? token : kind, text: token, start: end - token.length });
      if (kind === "end") return tokens;
    }
  }

  const isClaim = (node) => "<>=&|".includes(node.kind);

  /* A formula as nodes: "number" with text, "region" with region (null for all), condition and place, "+" with parts
   * [sign, node], and "<", ">", "=", "&", "|" with parts. Throws a Problem. */
  function parseFormula(text) {
    if (text.length > LONGEST) throw new Problem(`longer than ${LONGEST} characters`, LONGEST);
    const tokens = tokensOf(text);
    let at = 0;
    const next = (...kinds) => kinds.includes(tokens[at].kind);
    const unexpected = (wanted) => {
      const { start } = tokens[at], what = next("end") ? "the formula ends too early" : `unexpected '${text[start]}'`;
      throw new Problem(`${what}; expected ${wanted}`, start + 1);
    };
    const take = (wanted, ...kinds) => (next(...kinds) ? tokens[at++] : unexpected(wanted));
    const quantity = (node) => (isClaim(node) ? unexpected("a surprisal or a number before it") : node);
    const claim = (node) => (isClaim(node) ? node : unexpected("<, > or ="));

    function atom() {
      const { kind, text: value } = take("(, [ or a number", "number", "(", "[");
      if (kind === "number") return { kind, text: value };
      const node = next("*") || tokens[at + 1]?.kind === ";" ? region() : junction();
      const closing = kind === "(" ? ")" : "]";
      take(closing, closing);
      return node;
    }
    function region() {
      const which = take("a region's number or *", "*", "number");
      if (which.text.includes(".")) unexpected("a whole number before it");
      take(";", ";");
      const condition = take("%condition%", "condition").text.slice(1, -1).trim();
      return { kind: "region", region: which.kind === "*" ? null : Number(which.text), condition, start: which.start };
    }
    function sum() {
      const first = atom();
      if (isClaim(first) || !next("+", "-")) return first;
      const terms = (sign, node) => (node.kind === sign ? node.parts : [[sign, node]]);
      const parts = terms("+", first);
      while (next("+", "-")) parts.push(...terms(tokens[at++].kind, quantity(atom())));
      return { kind: "+", parts };
    }
    function comparison() {
      const left = sum();
      if (isClaim(left) || !next("<", ">", "=")) return left;
      return { kind: tokens[at++].kind, parts: [left, quantity(sum())] };
    }
    function junction() {
      let whole = comparison();
      while (isClaim(whole) && next("&", "|")) {
        const sign = tokens[at++].kind, claims = whole.kind === sign ? whole.parts : [whole];
        whole = { kind: sign, parts: [...claims, claim(comparison())] };
      }
      return whole;
    }

    const whole = junction();
    return next("end") ? claim(whole) : unexpected("the end");
  }

  function decimal(text) {
    const [whole, fraction = ""] = text.split("."), digits = fraction.replace(/0+$/, "");
    return (whole.replace(/^0+/, "") || "0") + (digits && `.${digits}`);
  }

  /* The canonical text of a formula: round brackets, single spaces. */
  function formulaText(node) {
    const bracketed = (part, needed) => (needed ? `(${formulaText(part)})` : formulaText(part));
    if (node.kind === "number") return decimal(node.text);
    if (node.kind === "region") return `(${node.region ?? "*"};%${node.condition}%)`;
    if (node.kind === "+") {
      const term = ([sign, part], place) => (place ? ` ${sign} ` : "") + bracketed(part, part.kind === "+");
      return node.parts.map(term).join("");
    }
    return node.parts.map((part) => bracketed(part, "&|".includes(node.kind))).join(` ${node.kind} `);
  }

  function atomsOf(node) {
    if (node.kind === "region") return [node];
    return (node.parts ?? []).flatMap((part) => atomsOf(node.kind === "+" ? part[1] : part));
  }

  function checkFormula(text, regions, conditions) {
    for (const { start, region, condition } of atomsOf(parseFormula(text))) {
      const fail = (what, names) => {
        throw new Problem(`no ${what}; there is: ${names.join(", ")}`, start + 1);
      };
      if (!conditions.includes(condition)) fail(`condition '${condition}'`, conditions);
      if (region !== null && !regions.includes(region)) fail(`region ${region}`, regions);
    }
  }

  /* ---- The data of a suite's JSON, and what is wrong with it ---- */

  const METRICS = ["sum", "mean", "median", "range", "max", "min"];
  const regionsOf = (data) => Object.keys(data.region_meta).map(Number).sort((a, b) => a - b);
  const conditionNames = (data) => data.items[0].conditions.map((condition) => condition.condition_name);

  /* A copy in plain spelling of what the published schema (data/syntaxgym/suite.schema.json) asks for, without measured
   * values. Throws a Problem that names the place where something else is. */
  function shaped(data) {
    const right = (value, holds, place, wanted) => {
      if (holds) return value;
      throw new Problem(`${place} must be ${wanted}, not ${(JSON.stringify(value) ?? "missing").slice(0, 60)}`);
    };
    const object = (value, place) => right(value, value instanceof Object && !Array.isArray(value), place, "an object");
    const list = (value, place) => right(value, Array.isArray(value) && value.length, place, "a list of something");
    const whole = (value, place) => right(value, Number.isInteger(value), place, "a whole number");
    const text = (value, place) => plain(right(value, typeof value === "string", place, "a text"));
    const named = (value, place) =>
      right(text(value, place), plain(value) && !value.includes("%"), place, "a name without %");

    const { meta, region_meta: names, predictions, items } = object(data, "the suite");
    const { metric } = object(meta, "meta"), numbers = Object.keys(object(names, "region_meta"));
    right(metric, METRICS.includes(metric), "meta.metric", `one of ${METRICS.join(", ")}`);
    const numbered = numbers.length && numbers.every((number) => /^[1-9][0-9]{0,5}$/.test(number));
    right(names, numbered, "region_meta", "names by number");
    const region = (place) => ({ region_number: number, content }) => ({
      region_number: whole(number, `${place}, a region's number`),
      content: text(content, `${place}, region ${number}`),
    });
    const condition = (place) => ({ condition_name: name, regions }) => ({
      condition_name: named(name, `${place}, a condition`),
      regions: list(regions, `${place}, condition '${name}', regions`).map(region(`${place}, condition '${name}'`)),
    });
    return {
      meta: { name: "", metric, ...meta, name: text(meta.name, "meta.name") },
      region_meta: Object.fromEntries(numbers.map((number) => [number, text(names[number], `region ${number}`)])),
      predictions: list(predictions, "predictions").map(({ formula }, index) =>
        ({ type: "formula", formula: text(formula, `prediction ${index + 1}`) })),
      items: list(items, "items").map(({ item_number: number, conditions }) => ({
        item_number: whole(number, "an item's number"),
        conditions: list(conditions, `item ${number}, conditions`).map(condition(`item ${number}`)),
      })),
    };
  }

  /* A line for each name that is not there once, or is there and not wanted. */
  function miscounted(names, wanted, what) {
    const count = (name) => names.filter((one) => one === name).length;
    const wrong = [...new Set([...names, ...wanted])].filter((name) => count(name) !== Number(wanted.includes(name)));
    const each = `wanted once each: ${wanted.join(", ")}`;
    return wrong.map((name) => `${what} ${JSON.stringify(name)} is there ${count(name)} times; ${each}`);
  }

  /* Everything that is wrong with the data, a line each; the first thing where it is no suite at all. */
  function problems(given) {
    let data;
    try {
      data = shaped(given);
    } catch (error) {
      return [error.message];
    }
    const regions = regionsOf(data), conditions = [...new Set(conditionNames(data))];
    const numbers = data.items.map((item) => item.item_number);
    const found = miscounted(numbers, [...new Set(numbers)], "item");
    for (const item of data.items) {
      const place = `item ${item.item_number}`, names = item.conditions.map((condition) => condition.condition_name);
      found.push(...miscounted(names, conditions, `${place}: condition`));
      for (const condition of item.conditions) {
        const here = `${place}, condition '${condition.condition_name}'`;
        found.push(...miscounted(condition.regions.map((region) => region.region_number), regions, `${here}: region`));
        if (!condition.regions.some((region) => region.content)) found.push(`${here}: every region is empty`);
      }
    }
    for (const [index, { formula }] of data.predictions.entries()) {
      try {
        checkFormula(formula, regions, conditions);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        found.push(`prediction ${index + 1}: ${error.message}`);
      }
    }
    return found;
  }

  /* The data of a suite without problems: conditions in the first item's order, formulas in their canonical text. */
  function canonical(given) {
    const data = shaped(given), place = new Map(conditionNames(data).map((name, index) => [name, index]));
    for (const prediction of data.predictions) prediction.formula = formulaText(parseFormula(prediction.formula));
    for (const { conditions } of data.items) {
      conditions.sort((a, b) => place.get(a.condition_name) - place.get(b.condition_name));
      for (const { regions } of conditions) regions.sort((a, b) => a.region_number - b.region_number);
    }
    return data;
  }

  const toJson = (data) => JSON.stringify(canonical(data), null, 2) + "\n";

  function toCsv(given) {
    const data = canonical(given);
    const cell = (value) => (/[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value);
    const rows = [
      ...Object.entries(data.meta).map(([key, value]) => ["#meta", key, value]),
      ...data.predictions.map(({ formula }) => ["#prediction", formula]),
      ["item_number", "condition_name", ...Object.entries(data.region_meta).map((region) => region.join(": "))],
      ...data.items.flatMap((item) => item.conditions.map((condition) =>
        [item.item_number, condition.condition_name, ...condition.regions.map((region) => region.content)])),
    ];
    return rows.map((row) => row.map(cell).join(",") + "\r\n").join("");
  }

  function csvRows(text) {
    const separator = /^\s*"?[#\w]+"?\s*([,;\t])/.exec(text)?.[1] ?? ",", rows = [[""]];
    let quoted = false;
    for (let place = 0; place < text.length; place += 1) {
      const row = rows.at(-1), sign = text[place];
      if (quoted && sign === '"' && text[place + 1] === '"') row[row.length - 1] += text[++place];
      else if (sign === '"' && (quoted || row.at(-1) === "")) quoted = !quoted;
      else if (quoted) row[row.length - 1] += sign;
      else if (sign === separator) row.push("");
      else if (sign === "\n") rows.push([""]);
      else if (sign !== "\r") row[row.length - 1] += sign;
    }
    return rows.filter((row) => row.some((cell) => cell.trim()));
  }

  function fromCsv(text) {
    const data = { meta: {}, region_meta: {}, predictions: [], items: [] }, regions = [];
    for (const [first, name = "", ...cells] of csvRows(text)) {
      const kind = first.trim(), fail = (message) => { throw new Problem(`${kind} ${name}: ${message}`); };
      if (kind === "#meta") data.meta[name] = cells[0] ?? "";
      else if (kind === "#prediction") data.predictions.push({ type: "formula", formula: name.trim() });
      else if (kind === "item_number") {
        for (const head of cells.filter((cell) => cell.trim())) {
          const [, number, title] = /^\s*([0-9]+)\s*(?::\s*([^]*))?$/.exec(head) ??
            fail(`a region's column is headed by its number and name, '3: verb', not '${head}'`);
          data.region_meta[number] = title ?? "";
          regions.push(Number(number));
        }
      } else if (/^[0-9]+$/.test(kind)) {
        if (cells.slice(regions.length).some((cell) => cell.trim())) fail("more cells than there are regions above");
        let item = data.items.find((one) => one.item_number === Number(kind));
        if (!item) data.items.push((item = { item_number: Number(kind), conditions: [] }));
        const contents = regions.map((number, column) => ({ region_number: number, content: cells[column] ?? "" }));
        item.conditions.push({ condition_name: name, regions: contents });
      } else fail("a row begins with #meta, #prediction, item_number or an item's number");
    }
    return data;
  }

  /* The data of a file, checked and canonical; throws a Problem with the first thing that is wrong. */
  function read(text, name) {
    let data;
    try {
      data = /\.csv$/i.test(name) ? fromCsv(text.replace(/^\ufeff/, "")) : JSON.parse(text.replace(/^\ufeff/, ""));
    } catch (error) {
      throw error instanceof SyntaxError ? new Problem(`not JSON: ${error.message}`) : error;
    }
    const [first, ...more] = problems(data);
    if (first) throw new Problem(first + (more.length ? ` (and ${more.length} more)` : ""));
    return canonical(data);
  }

  window.tseSuite = {
    METRICS, Problem, parseFormula, formulaText, atomsOf, regionsOf, conditionNames,
    problems, canonical, toJson, toCsv, read,
  };
})();
