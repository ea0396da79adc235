/* A SyntaxGym suite in the browser: the JSON Schema, the prediction language, JSON and CSV. No page is needed here.
 *
 * What is written is what `tse` writes: the same canonical JSON and CSV, byte for byte. */
(function () {
  "use strict";

  class Problem extends Error {}

  const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
  const tidy = (text) => text.normalize("NFC").split(SPACES).filter((word) => word).join(" ");
  const short = (value) => {
    const text = JSON.stringify(value) || String(value);
    return text.length > 60 ? text.slice(0, 57) + "..." : text;
  };

  /* ---- The prediction language. Tightest: + -, then < > =, then & | of equal rank, all from the left. ---- */

  const LONGEST = 1000, DEEPEST = 50;
  const CLOSING = { "(": ")", "[": "]" };

  class FormulaProblem extends Problem {
    constructor(position, message) {
      super("formula, character " + position + ": " + message);
      this.position = position;
    }
  }

  function parseFormula(text) {
    let at = 0;
    const fail = (message, where) => { throw new FormulaProblem((where === undefined ? at : where) + 1, message); };
    const skip = () => { while (at < text.length && /[ \t\f\r\n]/.test(text[at])) at += 1; };
    const peek = () => { skip(); return text[at]; };
    const unexpected = (wanted) =>
      fail(at >= text.length ? "the formula ends too early; expected " + wanted : "unexpected '" + text[at] + "'; expected " + wanted);
    const expect = (sign) => { if (peek() !== sign) unexpected(sign); at += 1; };
    const deeper = (node, ...parts) => {
      node.depth = 1 + Math.max(...parts.map((part) => part.depth));
      if (node.depth > DEEPEST) fail("nested more than " + DEEPEST + " deep", parts[parts.length - 1].start);
      node.start = parts[0].start;
      return node;
    };
    const isClaim = (node) => node.kind === "comparison" || node.kind === "junction";
    const quantity = (node) => { if (isClaim(node)) unexpected("a surprisal or a number before it"); return node; };
    const claim = (node) => { if (!isClaim(node)) unexpected("<, > or ="); return node; };

    function number() {
      const found = /^(?:[0-9]{1,100}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})/.exec(text.slice(at));
      if (!found) return null;
      const node = { kind: "number", text: found[0], start: at, depth: 0 };
      at += found[0].length;
      return node;
    }
    function atom() {
      const open = peek();
      if (!(open in CLOSING)) return number() || unexpected("(, [, a number");
      at += 1;
      const before = at, next = peek(), start = at;
      const value = next === "*" ? ((at += 1), { text: "*" }) : number();
      if (value && peek() === ";") {
        if (value.text !== "*" && !/^[0-9]+$/.test(value.text)) unexpected("a whole number or * before it");
        at += 1;
        if (peek() !== "%") unexpected("%condition%");
        const end = text.indexOf("%", at + 1);
        if (end < 0) fail("unexpected '%'");
        const name = text.slice(at + 1, end).trim();
        if (!name) fail("a condition's name is missing between the % signs");
        at = end + 1;
        expect(CLOSING[open]);
        return { kind: "region", region: value.text === "*" ? null : Number(value.text), condition: name, start, depth: 0 };
      }
      if (next === "*") unexpected(";");
      at = before;
      const inner = junction();
      expect(CLOSING[open]);
      return inner;
    }
    function sum() {
      const first = atom(), pieces = [["+", first]];
      if (isClaim(first)) return first;
      while (peek() === "+" || peek() === "-") pieces.push([text[at++], quantity(atom())]);
      if (pieces.length === 1) return first;
      const terms = [];
      for (const [sign, piece] of pieces) {
        if (piece.kind === "sum" && sign === "+") terms.push(...piece.terms);
        else terms.push([sign, piece]);
      }
      return deeper({ kind: "sum", terms }, ...pieces.map(([, piece]) => piece));
    }
    function comparison() {
      const left = sum();
      if (isClaim(left) || !"<>=".includes(peek() || "?")) return left;
      const sign = text[at++], right = quantity(sum());
      return deeper({ kind: "comparison", sign, left, right }, left, right);
    }
    function junction() {
      let joined = comparison();
      while (isClaim(joined) && (peek() === "&" || peek() === "|")) {
        const sign = text[at++], piece = claim(comparison());
        if (joined.kind === "junction" && joined.sign === sign) {
          const depth = Math.max(joined.depth, piece.depth + 1);
          joined = { kind: "junction", sign, claims: [...joined.claims, piece], start: joined.start, depth };
        } else joined = deeper({ kind: "junction", sign, claims: [joined, piece] }, joined, piece);
      }
      return joined;
    }

    if (text.length > LONGEST) throw new FormulaProblem(LONGEST, "longer than " + LONGEST + " characters");
    let node;
    try {
      node = junction();
    } catch (error) {
      if (error instanceof RangeError) throw new FormulaProblem(1, "nested too deep");
      throw error;
    }
    if (peek() !== undefined) unexpected("the end");
    return claim(node);
  }

  function decimal(text) {
    const [whole, fraction] = (text + ".").split(".");
    const kept = fraction.replace(/0+$/, "");
    return (whole.replace(/^0+/, "") || "0") + (kept ? "." + kept : "");
  }

  function formulaText(node) {
    switch (node.kind) {
      case "number": return decimal(node.text);
      case "region": return "(" + (node.region === null ? "*" : node.region) + ";%" + node.condition + "%)";
      case "sum": return node.terms.map(([sign, term], index) =>
        (index ? " " + sign + " " : "") + (term.kind === "sum" ? "(" + formulaText(term) + ")" : formulaText(term))).join("");
      case "comparison": return formulaText(node.left) + " " + node.sign + " " + formulaText(node.right);
      default: return node.claims.map((part) => "(" + formulaText(part) + ")").join(" " + node.sign + " ");
    }
  }

  function atomsOf(node) {
    if (node.kind === "region") return [node];
    const parts = node.kind === "sum" ? node.terms.map(([, term]) => term)
      : node.kind === "comparison" ? [node.left, node.right] : node.claims || [];
    return parts.flatMap(atomsOf);
  }

  function checkFormula(text, regions, conditions) {
    const node = parseFormula(text);
    for (const atom of atomsOf(node)) {
      if (!conditions.includes(atom.condition)) {
        throw new FormulaProblem(atom.start + 1, "no condition '" + atom.condition + "'; there is: " + [...conditions].sort().join(", "));
      }
      if (atom.region !== null && !regions.includes(atom.region)) {
        throw new FormulaProblem(atom.start + 1, "no region " + atom.region + "; there is: " + regions.join(", "));
      }
    }
    return node;
  }

  /* ---- The schema: the keywords that the published one uses. ---- */

  const TYPES = {
    object: [(v) => typeof v === "object" && v !== null && !Array.isArray(v), "an object"],
    array: [Array.isArray, "a list"],
    string: [(v) => typeof v === "string", "a text"],
    integer: [Number.isInteger, "a whole number"],
    number: [(v) => typeof v === "number", "a number"],
  };

  function misshapen(value, schema, place, name) {
    const where = place.length ? place.join(", ") + ": " : "";
    const say = (message) => [where + (name ? name + " " : "") + message];
    if (schema.type && !TYPES[schema.type][0](value)) return say("must be " + TYPES[schema.type][1] + ", not " + short(value));
    if (schema.enum && !schema.enum.includes(value)) return say("must be one of " + schema.enum.join(", ") + ", not " + short(value));
    if ("const" in schema && value !== schema.const) return say("must be '" + schema.const + "', not " + short(value));
    if (schema.pattern && !new RegExp(schema.pattern).test(value)) return say(value.includes("%") ? "must have no %" : "must not be empty");
    if (Array.isArray(value)) {
      if (value.length < (schema.minItems || 0)) return say("is empty");
      return value.flatMap((element, index) => misshapen(element, schema.items || {}, place.concat([placeName(name, element, index)]), ""));
    }
    if (schema.type !== "object") return [];
    const keys = Object.keys(value), known = schema.properties || {};
    if (keys.length < (schema.minProperties || 0)) return say("is empty");
    const missing = (schema.required || []).filter((key) => !keys.includes(key));
    if (missing.length) return say("lacks " + missing.map((key) => "'" + key + "'").join(", "));
    return keys.flatMap(function (key) {
      if (schema.propertyNames && !new RegExp(schema.propertyNames.pattern).test(key)) {
        return say("has '" + key + "' where a region's number belongs");
      }
      if (key in known) return misshapen(value[key], known[key], place, key);
      if (schema.additionalProperties === false) return [where + "unknown key '" + key + "'; there is: " + Object.keys(known).join(", ")];
      return typeof schema.additionalProperties === "object" ? misshapen(value[key], schema.additionalProperties, place, key) : [];
    });
  }

  function placeName(list, element, index) {
    const of = (key) => (element && typeof element === "object" ? element[key] : undefined);
    if (list === "items") return "item " + (of("item_number") === undefined ? index + 1 : of("item_number"));
    if (list === "conditions") return "condition '" + of("condition_name") + "'";
    if (list === "regions") return "region " + of("region_number");
    return (list || "").replace(/s$/, "") + " " + (index + 1);
  }

  /* ---- What a schema cannot say. ---- */

  function inconsistent(data) {
    const found = [], regions = Object.keys(data.region_meta).map(Number).sort((a, b) => a - b);
    const conditions = data.items[0].conditions.map((condition) => condition.condition_name);
    const twice = (list) => [...new Set(list.filter((value, index) => list.indexOf(value) !== index))];
    for (const number of twice(data.items.map((item) => item.item_number))) found.push("item " + number + ": the number is used twice");
    for (const item of data.items) {
      const place = "item " + item.item_number, names = item.conditions.map((condition) => condition.condition_name);
      for (const name of conditions) if (!names.includes(name)) found.push(place + ": condition '" + name + "' is missing");
      for (const name of names) if (!conditions.includes(name)) found.push(place + ": unknown condition '" + name + "'");
      for (const name of twice(names)) found.push(place + ": condition '" + name + "' is there twice");
      for (const condition of item.conditions) {
        const here = place + ", condition '" + condition.condition_name + "'", numbers = condition.regions.map((r) => r.region_number);
        for (const number of numbers) if (!regions.includes(number)) found.push(here + ": no region " + number + " in region_meta");
        for (const number of twice(numbers)) found.push(here + ", region " + number + ": the number is used twice");
        for (const number of regions) if (!numbers.includes(number)) found.push(here + ": region " + number + " is missing");
        if (!condition.regions.some((region) => region.content)) found.push(here + ": every region is empty");
      }
    }
    data.predictions.forEach(function (prediction, index) {
      try {
        checkFormula(prediction.formula, regions, conditions);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        found.push("prediction " + (index + 1) + ": " + error.message);
      }
    });
    return found;
  }

  const problems = function (data, schema) {
    const shape = misshapen(data, schema, [], "");
    return shape.length ? shape : inconsistent(data);
  };

  /* ---- The canonical data, JSON and CSV. ---- */

  function tidied(data) {
    const texts = (object, ...keys) => Object.assign({}, object, ...keys.filter((key) => typeof object[key] === "string").map((key) => ({ [key]: tidy(object[key]) })));
    const each = (object, key, change) => (object && Array.isArray(object[key]) ? Object.assign({}, object, { [key]: object[key].map(change) }) : object);
    const whole = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
    if (!whole(data)) return data;
    data = each(data, "items", (item) => each(item, "conditions", (condition) =>
      each(whole(condition) ? texts(condition, "condition_name") : condition, "regions", (region) => (whole(region) ? texts(region, "content") : region))));
    if (whole(data.meta)) data = Object.assign({}, data, { meta: texts(data.meta, "name") });
    if (whole(data.region_meta)) data = Object.assign({}, data, { region_meta: texts(data.region_meta, ...Object.keys(data.region_meta)) });
    return data;
  }

  /* Regions by number, conditions in the first item's order, formulas in their canonical text, no measured values. */
  function canonical(data) {
    const numbers = Object.keys(data.region_meta).map(Number).sort((a, b) => a - b);
    const order = data.items[0].conditions.map((condition) => condition.condition_name);
    const named = (list, key, value) => list.find((element) => element[key] === value);
    return {
      meta: Object.assign({ name: data.meta.name, metric: data.meta.metric }, data.meta),
      region_meta: Object.fromEntries(numbers.map((number) => [number, data.region_meta[number]])),
      predictions: data.predictions.map((prediction) => ({ type: "formula", formula: formulaText(parseFormula(prediction.formula)) })),
      items: data.items.map((item) => ({
        item_number: item.item_number,
        conditions: order.map((name) => ({
          condition_name: name,
          regions: numbers.map((number) => ({
            region_number: number,
            content: named(named(item.conditions, "condition_name", name).regions, "region_number", number).content,
          })),
        })),
      })),
    };
  }

  const toJson = (data) => JSON.stringify(canonical(data), null, 2) + "\n";

  function toCsv(data) {
    data = canonical(data);
    const cell = (value) => (/[",\r\n]/.test(value) ? '"' + String(value).replace(/"/g, '""') + '"' : String(value));
    const plain = (value) => (typeof value === "string" && !value.startsWith("json:") ? value : "json:" + JSON.stringify(value));
    const rows = Object.entries(data.meta).map(([key, value]) => ["#meta", key, plain(value)]);
    rows.push(...data.predictions.map((prediction) => ["#prediction", prediction.formula]));
    rows.push(["item_number", "condition_name", ...Object.entries(data.region_meta).map(([number, name]) => number + ": " + name)]);
    for (const item of data.items) {
      for (const condition of item.conditions) {
        rows.push([item.item_number, condition.condition_name, ...condition.regions.map((region) => region.content)]);
      }
    }
    return rows.map((row) => row.map(cell).join(",") + "\r\n").join("");
  }

  function csvRows(text) {
    const separator = (/^\s*"?[#\w]+"?\s*([,;\t])/.exec(text) || [null, ","])[1], rows = [[""]];
    for (let i = 0, quoted = false; i < text.length; i += 1) {
      const row = rows[rows.length - 1], c = text[i];
      if (quoted && c === '"' && text[i + 1] === '"') row[row.length - 1] += text[++i];
      else if (c === '"' && (quoted || row[row.length - 1] === "")) quoted = !quoted;
      else if (quoted) row[row.length - 1] += c;
      else if (c === separator) row.push("");
      else if (c === "\n" || c === "\r") { if (c === "\r" && text[i + 1] === "\n") i += 1; rows.push([""]); }
      else row[row.length - 1] += c;
    }
    return rows;
  }

  function fromCsv(text) {
    const data = { meta: {}, region_meta: {}, predictions: [], items: [] };
    let regions = null;
    csvRows(text).forEach(function (row, index) {
      const fail = (message) => { throw new Problem("row " + (index + 1) + ": " + message); };
      const first = row[0].trim();
      if (!row.some((cell) => cell.trim())) return;
      if (regions) {
        if (row.slice(2 + regions.length).some((cell) => cell.trim())) fail("more cells than the header has regions");
        if (!/^\s*[+-]?[0-9]+\s*$/.test(row[0])) fail("item_number must be a whole number, not '" + row[0] + "'");
        const number = Number(row[0]);
        let item = data.items.find((one) => one.item_number === number);
        if (!item) data.items.push((item = { item_number: number, conditions: [] }));
        item.conditions.push({
          condition_name: row[1] || "",
          regions: regions.map((region, column) => ({ region_number: region, content: row[2 + column] || "" })),
        });
      } else if (first === "#meta" && row.length > 2) {
        try {
          data.meta[row[1]] = row[2].startsWith("json:") ? JSON.parse(row[2].slice(5)) : row[2];
        } catch { fail("the value of '" + row[1] + "' is not JSON after 'json:'"); }
      } else if (first === "#prediction" && row.length > 1) {
        data.predictions.push({ type: "formula", formula: row[1].trim() });
      } else if (first === "item_number" && (row[1] || "").trim() === "condition_name") {
        const heads = row.slice(2).map((cell) => cell.trim());
        while (heads.length && !heads[heads.length - 1]) heads.pop();
        regions = heads.map(function (head) {
          const found = /^([0-9]+)(?::\s*([^]*))?$/.exec(head);
          if (!found) fail("a region's column is headed by its number and name, '3: verb', not '" + head + "'");
          if (found[1] in data.region_meta) fail("two columns have the same region number");
          data.region_meta[found[1]] = found[2] || "";
          return Number(found[1]);
        });
      } else fail("the row must start with #meta, #prediction or item_number, not '" + first + "'");
    });
    if (!regions) throw new Problem("no row starts with item_number,condition_name and the regions");
    return data;
  }

  /* The data of a file, checked; throws a Problem with the first thing that is wrong. */
  function read(text, name, schema) {
    text = text.replace(/^\ufeff/, "");
    let data;
    try {
      data = /\.csv$/i.test(name) ? fromCsv(text) : JSON.parse(text);
    } catch (error) {
      throw error instanceof SyntaxError ? new Problem("not JSON: " + error.message) : error;
    }
    data = tidied(data);
    const found = problems(data, schema);
    if (found.length) throw new Problem(found[0] + (found.length > 1 ? " (and " + (found.length - 1) + " more)" : ""));
    return data;
  }

  window.tseSuite = { Problem, FormulaProblem, parseFormula, formulaText, atomsOf, checkFormula, problems, tidy, tidied, canonical, toJson, toCsv, read };
})();
