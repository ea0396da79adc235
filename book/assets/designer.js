/* The page that designs a SyntaxGym suite: its items are a table in plain text, typed here or out of a spreadsheet.
 * Everything happens in the reader's browser; suite.js knows what a suite is. */
(function () {
  "use strict";
  const root = document.getElementById("suite-designer");
  const { button, el, field, menu, plain, save, statusLine, table } = window.tseCommon, S = window.tseSuite;
  const NO_ITEM = "there is no item yet: the first row is “item | condition | 1 subject | 2 verb”, with the numbers " +
    "and names of your regions; every other row is one condition of an item";
  const DRAFT = "tse-suite-text";
  const EXAMPLE = {
    name: "my_suite",
    metric: "sum",
    predictions: "((3;%match_plural%) < (3;%mismatch_plural%)) & ((3;%match_singular%) < (3;%mismatch_singular%))",
    items: `item | condition | 1 subject | 2 phrase | 3 verb
      1 | match_plural | The keys | to the cabinet | are
      1 | mismatch_plural | The keys | to the cabinet | is
      1 | match_singular | The key | to the cabinet | is
      1 | mismatch_singular | The key | to the cabinet | are
      2 | match_plural | The doors | to the cabinet | are
      2 | mismatch_plural | The doors | to the cabinet | is
      2 | match_singular | The door | to the cabinet | is
      2 | mismatch_singular | The door | to the cabinet | are`,
  };
  const { line: status, say } = statusLine();
  const controls = {
    name: el("input", { type: "text" }),
    metric: menu(Object.keys(S.METRICS).map((name) => [name, name]), "sum", () => {}),
    predictions: el("textarea", { rows: 3, spellcheck: false }),
    items: el("textarea", { rows: 12, wrap: "off", spellcheck: false, on: { change: tidy } }),
  };
  const right = el("div", { "aria-live": "polite" }), sentences = el("div", { className: "tse-tall" });
  const section = (title, ...content) => el("section", {}, el("h3", {}, title), ...content);
  const allSentences = section("The sentences", sentences);
  let meta = {}, extra = {}; // what a file says besides name and metric, and in keys that mean nothing here

  /* ---- Between the text and the data of the suite's JSON ---- */

  const linesOf = (control) => control.value.split("\n").filter((line) => line.trim());
  const cellsOf = (line) => line.split(/[|\t]/).map(plain);
  const whole = (cell) => (/^[0-9]+$/.test(cell) ? Number(cell) : cell);

  /* The data that is typed, which may be wrong. Throws a Problem for a row with more cells than there are regions. */
  function data() {
    const [[, , ...heads] = [], ...rows] = linesOf(controls.items).map(cellsOf);
    if (!rows.length) throw new S.Problem(NO_ITEM);
    const regions = heads.map((head) => (/^([0-9]+) ?(.*)$/.exec(head) ?? ["", head, ""]).slice(1));
    const condition = ([item, name = "", ...contents]) => {
      if (contents.length > regions.length) throw new S.Problem(`item ${item}, '${name}': more cells than regions`);
      return {
        condition_name: name,
        regions: regions.map(([number], place) => ({ region_number: Number(number), content: contents[place] ?? "" })),
      };
    };
    return S.withExtra({
      meta: { ...meta, name: controls.name.value, metric: controls.metric.value },
      region_meta: Object.fromEntries(regions),
      predictions: linesOf(controls.predictions).map((formula) => ({ type: "formula", formula })),
      items: [...Map.groupBy(rows, ([item]) => item)].map(([item, conditions]) =>
        ({ item_number: whole(item), conditions: conditions.map(condition) })),
    }, extra);
  }

  /* The columns of the items below each other. */
  function tidy() {
    const rows = linesOf(controls.items).map(cellsOf);
    const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
    const line = (row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ").trimEnd();
    controls.items.value = rows.map(line).join("\n");
  }

  function fill(texts, more = {}, keys = {}) {
    meta = more;
    extra = keys;
    for (const [name, control] of Object.entries(controls)) control.value = texts[name];
    tidy();
    changed();
  }

  /* Show a suite's data. Throws a Problem for what the text cannot hold. */
  function show(suite) {
    const heads = ["item", "condition", ...S.orderOf(suite).map((number) => `${number} ${suite.region_meta[number]}`)];
    const rows = suite.items.flatMap(({ item_number: item, conditions }) => conditions.map((condition) =>
      [item, condition.condition_name, ...condition.regions.map(({ content }) => content)]));
    const formulas = suite.predictions.map(({ formula }) => formula).join("\n");
    if ([heads, ...rows].flat().join().includes("|")) throw new S.Problem("its words contain |, which separates cells");
    const items = [heads, ...rows].map((row) => row.join(" | ")).join("\n");
    fill({ ...suite.meta, predictions: formulas, items }, suite.meta, S.extraOf(suite));
  }

  /* ---- What follows from it ---- */

  function problems() {
    try {
      return S.problems(data());
    } catch (error) {
      if (!(error instanceof S.Problem)) throw error;
      return [error.message];
    }
  }

  function changed() {
    const found = problems(), suite = found.length ? null : S.canonical(data());
    const many = `${found.length} ${found.length > 1 ? "things are" : "thing is"} not right yet:`;
    const lines = suite?.predictions.map(({ formula }) => `Read as: ${formula}`) ?? found.slice(0, 12);
    right.replaceChildren(el("p", {}, suite ? "The suite is well formed: it can be saved." : many),
      el("ul", {}, ...lines.map((line) => el("li", {}, line))));
    right.classList.toggle("live-wrong", !suite);
    sentences.replaceChildren(...(suite ? [sentenceTable(suite)] : []));
    allSentences.hidden = !suite;
    say(""); // what was said of the suite before
    root.dispatchEvent(new Event("suite-changed"));
    try {
      const texts = Object.fromEntries(Object.entries(controls).map(([name, { value }]) => [name, value]));
      localStorage.setItem(DRAFT, JSON.stringify([texts, meta, extra]));
    } catch { /* a page without storage keeps no draft */ }
  }

  /* Every sentence; the regions that a prediction names are in bold. */
  function sentenceTable({ items, predictions }) {
    const atoms = predictions.flatMap(({ formula }) => S.parseFormula(formula).atoms);
    const critical = new Set(atoms.map(({ region }) => region));
    const word = ({ region_number: number, content }) =>
      [critical.has(number) ? el("strong", {}, content) : content, " "];
    const sentence = (regions) => el("span", {}, ...regions.filter(({ content }) => content).flatMap(word));
    return table("All sentences", ["Item", "Condition", "Sentence"], items.flatMap((item) => item.conditions.map(
      ({ condition_name: name, regions }) => [String(item.item_number), name, sentence(regions)])));
  }

  /* ---- Files ---- */

  function saveFile(ending, type, toText) {
    const [wrong] = problems(), name = `${plain(controls.name.value).replace(/[^\w.-]+/g, "-")}.${ending}`;
    if (wrong) return say(`Not saved: ${wrong}`, true);
    const suite = data(), left = [...Object.entries(suite.meta), ...Object.entries(S.extraOf(suite))];
    save(name, toText(suite), type);
    const loses = ending === "csv" && left.some(([, value]) => typeof value !== "string");
    const lost = loses ? " Notes in the JSON that have no place in a table are left out." : "";
    return say(`Saved as ${name}.${lost} Evaluate it with: tse syntaxgym evaluate MODEL ${name}`);
  }

  async function open(event) {
    const [file] = event.target.files;
    if (!file) return;
    const given = await file.text(), measured = /"metric_value"\s*:/.test(given);
    try {
      show(/\.csv$/i.test(file.name) ? S.readCsv(given) : S.read(given));
      say(`Opened ${file.name}${measured ? "; its measured surprisals are left out." : "."}`);
    } catch (error) {
      if (!(error instanceof S.Problem)) throw error;
      say(`${file.name} was not opened: ${error.message}`, true);
    }
    event.target.value = "";
  }

  root.replaceChildren(
    el("div", { className: "live-bar live-row", role: "group", "aria-label": "File" },
      button("Begin with the example", () => fill(EXAMPLE)),
      el("label", { className: "live-row" }, "Open a suite (JSON or CSV)",
        el("input", { type: "file", accept: ".json,.csv", on: { change: open } })),
      button("Save as JSON", () => saveFile("json", "application/json", S.toJson), { className: "live-main" }),
      button("Save as CSV", () => saveFile("csv", "text/csv", S.toCsv))),
    status,
    el("div", { className: "live-form", on: { input: changed } },
      el("div", { className: "live-two" }, field("Name", controls.name), field("Metric", controls.metric)),
      field("Predictions, one per line", controls.predictions),
      field("Items: a row for each condition, with | or tabs between the cells", controls.items)),
    section("Is the suite right?", right), allSentences);

  // For the script that runs the suite.
  window.tseDesigner = { problems, data: () => S.canonical(data()) };
  try {
    const [texts, ...more] = JSON.parse(localStorage.getItem(DRAFT));
    if (!texts.items.trim()) throw new S.Problem(NO_ITEM);
    fill(texts, ...more);
  } catch { // no storage, or no items in it
    fill(EXAMPLE);
  }
})();
