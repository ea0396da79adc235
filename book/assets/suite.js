/* A SyntaxGym suite in the browser: the prediction language, the JSON Schema, JSON and CSV. No page is needed here.
 *
 * What is written is what `tse` reads, and the JSON is what it writes, byte for byte. */
(function () {
  "use strict";
  const { plain } = window.tseCommon;

  class Problem extends Error {}

  /* ---- The prediction language. Tightest: + -, then < > =, then & | of equal rank, all from the left. ---- */

  const LONGEST = 1000; // characters
  const NUMBER = "[0-9]{1,100}(?:\\.[0-9]{0,100})?|\\.[0-9]{1,100}", CONDITION = "%[^%]*[^%\\s][^%]*%";
  const TOKEN = new RegExp(`[ \\t\\f\\r\\n]*(?:(?<number>${NUMBER})|(?<condition>${CONDITION})|(?<sign>[()[\\];*+<>=&|-])|$)`, "y");

  class FormulaProblem extends Problem {
    constructor(position, message) {
      super(`formula, character ${position}: ${message}`);
      this.position = position;
    }
  }

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
   * [sign, node], and "<", ">", "=", "&", "|" with parts. Throws a FormulaProblem. */
  function parseFormula(text) {
    if (text.length > LONGEST) throw new FormulaProblem(LONGEST, `longer than ${LONGEST} characters`);
    const tokens = tokensOf(text);
    let at = 0;
    const next = (...kinds) => kinds.includes(tokens[at].kind);
    const unexpected = (wanted) => {
      const { start } = tokens[at], what = next("end") ? "the formula ends too early" : `unexpected '${text[start]}'`;
      throw new FormulaProblem(start + 1, `${what}; expected ${wanted}`);
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
      const fail = (what, names) => { throw new FormulaProblem(start + 1, `no ${what}; there is: ${names.join(", ")}`); };
      if (!conditions.includes(condition)) fail(`condition '${condition}'`, conditions);
      if (region !== null && !regions.includes(region)) fail(`region ${region}`, regions);
    }
  }

  /* ---- What is wrong with the data of a suite: by the schema, and what a schema cannot say. ---- */

  const TYPES = {
    object: [(value) => typeof value === "object" && value !== null && !Array.isArray(value), "an object"],
    array: [Array.isArray, "a list"],
    string: [(value) => typeof value === "string", "a text"],
    integer: [Number.isInteger, "a whole number"],
    number: [(value) => typeof value === "number", "a number"],
  };
  const short = (value) => (JSON.stringify(value) ?? String(value)).slice(0, 60);

  /* The keywords that the published schema uses, no others. */
  function misshapen(value, schema, place) {
    const say = (message) => [`${place ? `${place}: ` : ""}${message}`];
    const { type, properties = {}, additionalProperties: others } = schema;
    if (type && !TYPES[type][0](value)) return say(`must be ${TYPES[type][1]}, not ${short(value)}`);
    const allowed = schema.enum ?? ("const" in schema ? [schema.const] : [value]);
    if (!allowed.includes(value)) return say(`must be one of ${allowed.join(", ")}, not ${short(value)}`);
    if (schema.pattern && !new RegExp(schema.pattern).test(value)) return say(`must have a letter and no %, not ${short(value)}`);
    if (type === "array") {
      if (value.length < schema.minItems) return say("is empty");
      return value.flatMap((element, index) => misshapen(element, schema.items, `${place}[${index}]`));
    }
    if (type !== "object") return [];
    const keys = Object.keys(value), missing = (schema.required ?? []).filter((key) => !keys.includes(key));
    if (keys.length < schema.minProperties) return say("is empty");
    if (missing.length) return say(`lacks ${missing.join(", ")}`);
    return keys.flatMap((key) => {
      if (schema.propertyNames && !new RegExp(schema.propertyNames.pattern).test(key)) {
        return say(`has '${key}' where a region's number belongs`);
      }
      if (!(key in properties) && others === false) {
        return say(`unknown key '${key}'; there is: ${Object.keys(properties).join(", ")}`);
      }
      return misshapen(value[key], properties[key] ?? others ?? {}, place ? `${place}.${key}` : key);
    });
  }

  /* A line for each name that is not there once, or is there and not wanted. */
  function miscounted(names, wanted, what) {
    const count = (name) => names.filter((one) => one === name).length;
    const wrong = [...new Set([...names, ...wanted])].filter((name) => count(name) !== Number(wanted.includes(name)));
    return wrong.map((name) => `${what} ${short(name)} is there ${count(name)} times; wanted once each: ${wanted.join(", ")}`);
  }

  function inconsistent(data) {
    const regions = regionsOf(data), conditions = [...new Set(conditionsOf(data))];
    const numbers = data.items.map((item) => item.item_number), found = miscounted(numbers, [...new Set(numbers)], "item");
    for (const item of data.items) {
      const place = `item ${item.item_number}`, names = item.conditions.map((condition) => condition.condition_name);
      found.push(...miscounted(names, conditions, `${place}: condition`));
      for (const condition of item.conditions) {
        const here = `${place}, condition '${condition.condition_name}'`;
        found.push(...miscounted(condition.regions.map((region) => region.region_number), regions, `${here}: region`));
        if (!condition.regions.some((region) => region.content)) found.push(`${here}: every region is empty`);
      }
    }
    for (const [index, prediction] of data.predictions.entries()) {
      try {
        checkFormula(prediction.formula, regions, conditions);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        found.push(`prediction ${index + 1}: ${error.message}`);
      }
    }
    return found;
  }

  /* Everything that is wrong with the data of a suite's JSON, a line each. */
  function problems(data, schema) {
    const shape = misshapen(data, schema, "");
    return shape.length ? shape : inconsistent(tidied(data));
  }

  /* ---- The canonical data, JSON and CSV. ---- */

  const regionsOf = (data) => Object.keys(data.region_meta).map(Number).sort((a, b) => a - b);
  const conditionsOf = (data) => data.items[0].conditions.map((condition) => condition.condition_name);

  /* A copy with names and contents in plain spelling. */
  function tidied(data) {
    const spelled = (part) => {
      if (typeof part === "string") return plain(part);
      if (Array.isArray(part)) return part.map(spelled);
      if (typeof part !== "object" || part === null) return part;
      return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, spelled(value)]));
    };
    const meta = { ...data.meta, name: plain(data.meta.name) };
    return { ...data, meta, region_meta: spelled(data.region_meta), items: spelled(data.items) };
  }

  /* Regions by number, conditions in the first item's order, formulas in their canonical text, no measured values. */
  function canonical(given) {
    const data = tidied(given), regions = regionsOf(data), conditions = conditionsOf(data);
    const named = (list, key, value) => list.find((element) => element[key] === value);
    const contents = (condition) => regions.map((number) => {
      const { content } = named(condition.regions, "region_number", number);
      return { region_number: number, content };
    });
    return {
      meta: { name: data.meta.name, metric: data.meta.metric, ...data.meta },
      region_meta: Object.fromEntries(regions.map((number) => [number, data.region_meta[number]])),
      predictions: data.predictions.map(({ formula }) => ({ type: "formula", formula: formulaText(parseFormula(formula)) })),
      items: data.items.map((item) => ({
        item_number: item.item_number,
        conditions: conditions.map((name) => (
          { condition_name: name, regions: contents(named(item.conditions, "condition_name", name)) })),
      })),
    };
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
  function read(text, name, schema) {
    let data;
    try {
      data = /\.csv$/i.test(name) ? fromCsv(text.replace(/^\ufeff/, "")) : JSON.parse(text.replace(/^\ufeff/, ""));
    } catch (error) {
      throw error instanceof SyntaxError ? new Problem(`not JSON: ${error.message}`) : error;
    }
    const [first, ...more] = problems(data, schema);
    if (first) throw new Problem(first + (more.length ? ` (and ${more.length} more)` : ""));
    return canonical(data);
  }

  window.tseSuite = {
    Problem, parseFormula, formulaText, atomsOf, problems, regionsOf, conditionsOf, canonical, toJson, toCsv, read,
  };
})();
