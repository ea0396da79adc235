/* The page that designs a SyntaxGym suite. Everything happens in the reader's browser; suite.js knows what a suite is.
 *
 * The state is the data of the suite's JSON, with conditions and regions in the same order in every item. What is typed
 * changes it; `changed` then checks the whole and redraws what follows from it. */
(function () {
  "use strict";
  const root = document.getElementById("suite-designer");
  const { button, el, field, menu, plain, save, statusLine, table } = window.tseCommon, S = window.tseSuite;
  const DRAFT = "tse-suite";
  const { line: status, say } = statusLine();
  let state, shown = 0;

  const part = (name) => root.querySelector(`[data-part=${name}]`);
  const labelOf = (control) => control.getAttribute("aria-label") || (control.closest("label") || control).textContent;
  const rows = () => state.items.flatMap((item) => item.conditions); // a row of regions each

  /* New content for a part; who was on a control there stays on its successor. */
  function fill(name, ...nodes) {
    const box = part(name), before = box.contains(document.activeElement) && labelOf(document.activeElement);
    box.replaceChildren(...nodes);
    if (before === false) return;
    const controls = [...box.querySelectorAll(":is(button, input, select, textarea):enabled")];
    (controls.find((control) => labelOf(control) === before) || controls[0])?.focus();
  }

  /* A suite from the names of its regions and, for each item, the texts of every condition. */
  function suiteOf(meta, regions, items, formula) {
    const texts = (contents) => contents.map((content, place) => ({ region_number: place + 1, content }));
    return {
      meta: { name: "my_suite", metric: "sum", ...meta },
      region_meta: Object.fromEntries(regions.map((name, place) => [place + 1, name])),
      predictions: [{ type: "formula", formula }],
      items: items.map((conditions, place) => ({
        item_number: place + 1,
        conditions: Object.entries(conditions).map(([name, contents]) =>
          ({ condition_name: name, regions: texts(contents) })),
      })),
    };
  }

  function blank() {
    const item = { match: ["", ""], mismatch: ["", ""] };
    return suiteOf({}, ["subject", "verb"], [item], "(2;%match%) < (2;%mismatch%)");
  }

  /* What the designer opens with: a suite that is well formed, and that the model in the page can run. */
  function example() {
    const item = (one, many) => ({
      match_plural: [many, "to the cabinet", "are"],
      mismatch_plural: [many, "to the cabinet", "is"],
      match_singular: [one, "to the cabinet", "is"],
      mismatch_singular: [one, "to the cabinet", "are"],
    });
    const items = [item("The key", "The keys"), item("The door", "The doors"), item("The guest", "The guests")];
    const comment = "An example to change: agreement across a prepositional phrase.";
    return suiteOf({ comment }, ["subject", "phrase", "verb"], items,
      "((3;%match_plural%) < (3;%mismatch_plural%)) & ((3;%match_singular%) < (3;%mismatch_singular%))");
  }

  /* ---- The parts of the page ---- */

  /* What is typed into a field changes the state, and the whole is checked; a button's change redraws the page. */
  const typing = (change) => ({ input: (event) => run(changed, change, event.target.value) });
  const input = (value, change, properties) => el("input", { type: "text", value, on: typing(change), ...properties });
  const act = (text, change, properties) => button(text, () => run(draw, change), properties);
  function run(then, change, value) {
    change(value);
    then();
  }

  function drawMeta() {
    const metrics = S.METRICS.map((name) => [name, name]);
    const set = (key) => (value) => {
      state.meta[key] = value;
      if (!value && key !== "name") delete state.meta[key];
    };
    const isText = (key) => typeof (state.meta[key] ?? "") === "string";
    const texts = ["author", "reference", "circuit", "comment"].filter(isText);
    fill("meta", field("Name", input(state.meta.name, set("name"))),
      field("Metric", menu(metrics, state.meta.metric, (name) => run(changed, set("metric"), name))),
      ...texts.map((key) => field(key[0].toUpperCase() + key.slice(1), input(state.meta[key] ?? "", set(key)))));
  }

  function drawNames() {
    const line = (label, control, remove, few) => el("li", {}, field(label, control),
      act("Remove", remove, { disabled: few, "aria-label": `Remove ${label.toLowerCase()}` }));
    const regions = S.regionsOf(state), conditions = S.conditionNames(state);
    fill("regions", ...regions.map((number, index) => {
      const rename = (name) => { state.region_meta[number] = name; };
      const remove = () => {
        delete state.region_meta[number];
        for (const row of rows()) row.regions.splice(index, 1);
      };
      return line(`Region ${number}`, input(state.region_meta[number], rename), remove, regions.length < 2);
    }));
    fill("conditions", ...conditions.map((name, index) => {
      let before = name;
      const rename = (after) => { for (const item of state.items) item.conditions[index].condition_name = after; };
      const remove = () => { for (const item of state.items) item.conditions.splice(index, 1); };
      const control = input(name, rename);
      control.addEventListener("change", () => {
        renameInFormulas(before, control.value);
        before = control.value;
      });
      return line(`Condition ${index + 1}`, control, remove, conditions.length < 2);
    }));
    for (const name of ["regions", "conditions"]) part(name).oninput = drawWithNames;
  }

  /* The parts in which names stand, but for the lists in which they are typed. */
  function drawWithNames() {
    drawItem();
    refreshPredictions();
  }

  function drawPredictions() {
    fill("predictions", ...state.predictions.map((prediction, index) => {
      const which = `prediction ${index + 1}`, note = `suite-note-${index}`;
      const on = typing((text) => { prediction.formula = text; });
      const area = el("textarea", { rows: 2, spellcheck: false, "aria-describedby": note, on });
      const region = el("select", { "aria-label": `Region to insert into ${which}` });
      const condition = el("select", { "aria-label": `Condition to insert into ${which}` });
      const insert = (text) => {
        area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
        area.dispatchEvent(new Event("input"));
        area.focus();
      };
      const signs = ["+", "-", "<", ">", "=", "&", "|"].map((sign) =>
        button(sign, () => insert(` ${sign} `), { "aria-label": `Insert ${sign} into ${which}` }));
      const few = { disabled: state.predictions.length < 2 };
      return el("li", {}, field(`Prediction ${index + 1}`, area), el("p", { id: note, className: "live-quiet" }),
        el("div", { className: "live-row" }, region, condition,
          button("Insert this surprisal", () => insert(`(${region.value};%${condition.value}%)`)), ...signs,
          act("Remove prediction", () => state.predictions.splice(index, 1), few)));
    }));
    refreshPredictions();
  }

  /* The formulas and the names to choose from, without taking the cursor out of a text that is being typed. */
  function refreshPredictions() {
    const regions = S.regionsOf(state).map((number) => [number, `${number} ${state.region_meta[number]}`]);
    const lists = [[...regions, ["*", "* all regions"]], S.conditionNames(state).map((name) => [name, name])];
    for (const [index, row] of [...part("predictions").children].entries()) {
      const area = row.querySelector("textarea"), { formula } = state.predictions[index];
      if (area.value !== formula) area.value = formula;
      for (const [place, select] of row.querySelectorAll("select").entries()) {
        const before = Math.max(0, select.selectedIndex);
        select.replaceChildren(...lists[place].map(([value, text]) => el("option", { value }, text)));
        select.selectedIndex = Math.min(before, select.length - 1);
      }
    }
  }

  function drawItem() {
    const last = state.items.length - 1;
    shown = Math.max(0, Math.min(shown, last));
    const item = state.items[shown], titles = Object.entries(state.region_meta).map((region) => region.join(" "));
    const show = (index) => { shown = Number(index); };
    const add = (copied) => addTo("item", () => {
      const copy = structuredClone(item);
      copy.item_number = Math.max(...state.items.map((one) => one.item_number)) + 1;
      if (!copied) for (const region of copy.conditions.flatMap(({ regions }) => regions)) region.content = "";
      show(state.items.push(copy) - 1);
    });
    const items = state.items.map((one, index) => [index, `Item ${one.item_number}`]);
    fill("item-choice",
      act("Previous", () => show(shown - 1), { disabled: shown === 0, "aria-label": "Previous item" }),
      menu(items, shown, (index) => run(drawItem, show, index), { "aria-label": "Item shown" }),
      act("Next", () => show(shown + 1), { disabled: shown === last, "aria-label": "Next item" }),
      button("Add an empty item", () => add(false)), button("Copy this item", () => add(true)),
      act("Remove this item", () => state.items.splice(shown, 1), { disabled: last === 0 }));
    const cell = (condition, c, r) => {
      const region = condition.regions[r];
      const label = `Item ${item.item_number}, ${condition.condition_name}, region ${titles[r]}`;
      const control = input(region.content, (text) => { region.content = text; }, { "aria-label": label });
      control.addEventListener("paste", (event) => pasteTable(event, item, c, r));
      return control;
    };
    fill("item", table("The item's regions", ["Condition", ...titles], item.conditions.map((condition, c) =>
      [condition.condition_name, ...titles.map((_, r) => cell(condition, c, r))])));
  }

  /* Every sentence; the regions that a prediction names are in bold. */
  function drawSentences() {
    const formulas = state.predictions.map(({ formula }) => parsed(formula)).filter(Boolean);
    const critical = new Set(formulas.flatMap(S.atomsOf).map((atom) => atom.region));
    const written = ({ region_number: number, content }, place) =>
      [place ? " " : "", critical.has(number) ? el("strong", {}, plain(content)) : plain(content)];
    const sentence = (regions) => el("span", {}, ...regions.filter(({ content }) => plain(content)).flatMap(written));
    const cells = state.items.flatMap((item) => item.conditions.map(({ condition_name: name, regions }) =>
      [String(item.item_number), name, sentence(regions)]));
    part("sentences").replaceChildren(table("All sentences", ["Item", "Condition", "Sentence"], cells));
  }

  /* ---- Changes ---- */

  function changed() {
    const found = S.problems(state);
    drawSentences();
    for (const [index, { formula }] of state.predictions.entries()) {
      const note = document.getElementById(`suite-note-${index}`), place = `prediction ${index + 1}: `;
      const problem = found.find((text) => text.startsWith(place)), node = parsed(formula);
      if (!note) continue;
      note.textContent = problem?.slice(place.length) ?? (node ? `Read as: ${S.formulaText(node)}` : "");
      note.classList.toggle("live-wrong", Boolean(problem));
    }
    const many = `${found.length} ${found.length > 1 ? "things are" : "thing is"} not right yet:`;
    part("problems").replaceChildren(el("p", {}, found.length ? many : "The suite is well formed: it can be saved."),
      el("ul", {}, ...found.slice(0, 12).map((text) => el("li", {}, text))));
    part("problems").classList.toggle("live-wrong", found.length > 0);
    root.dispatchEvent(new Event("suite-changed"));
    try {
      localStorage.setItem(DRAFT, JSON.stringify(state));
    } catch { /* a page without storage keeps no draft */ }
    return found;
  }

  function parsed(formula) {
    try {
      return S.parseFormula(formula);
    } catch { return null; } // shown as a problem
  }

  function draw() {
    drawMeta();
    drawNames();
    drawPredictions();
    drawItem();
    changed();
  }

  /* Something new in a part, with the cursor in it. */
  function addTo(name, change) {
    run(draw, change);
    part(name).querySelector("li:last-child :is(input, textarea), td input").select();
  }
  const addRegion = () => addTo("regions", () => {
    const number = Math.max(...S.regionsOf(state)) + 1;
    state.region_meta[number] = "";
    for (const row of rows()) row.regions.push({ region_number: number, content: "" });
  });
  const addCondition = () => addTo("conditions", () => {
    for (const { conditions } of state.items) {
      const regions = conditions[0].regions.map((region) => ({ ...region, content: "" }));
      conditions.push({ condition_name: `condition_${conditions.length + 1}`, regions });
    }
  });
  const addPrediction = () => addTo("predictions", () => state.predictions.push({ type: "formula", formula: "" }));

  function renameInFormulas(before, after) {
    const name = plain(after), renamed = (whole, one) => (one.trim() === plain(before) ? `%${name}%` : whole);
    if (!name || name.includes("%")) return;
    for (const prediction of state.predictions) prediction.formula = prediction.formula.replace(/%([^%]*)%/g, renamed);
    refreshPredictions();
    changed();
  }

  /* Cells copied from a spreadsheet fill the table from the cell they are put into. */
  function pasteTable(event, item, c, r) {
    const text = event.clipboardData.getData("text").replace(/\r?\n$/, "");
    const pasted = text.split(/\r?\n/).map((line) => line.split("\t"));
    if (pasted.flat().length === 1) return;
    event.preventDefault();
    for (const [i, texts] of pasted.entries()) {
      for (const [j, content] of texts.entries()) {
        const region = item.conditions[c + i]?.regions[r + j];
        if (region) region.content = content;
      }
    }
    drawItem();
    changed();
  }

  /* ---- Files ---- */

  function saveAs(kind, text, type) {
    const [wrong] = changed(), name = `${plain(state.meta.name).replace(/[^\w.-]+/g, "-")}.${kind}`;
    if (wrong) return say(`Not saved: ${wrong}`, true);
    save(name, text(state), type);
    return say(`Saved as ${name}. Evaluate it with: tse syntaxgym evaluate MODEL ${name}`);
  }

  async function open(event) {
    const [file] = event.target.files;
    if (!file) return;
    try {
      const text = await file.text();
      [state, shown] = [S.read(text, file.name), 0];
      draw();
      say(`Opened ${file.name}${/"metric_value"\s*:/.test(text) ? "; its measured surprisals are left out." : "."}`);
    } catch (error) {
      if (!(error instanceof S.Problem)) throw error;
      say(`${file.name} was not opened: ${error.message}`, true);
    }
    event.target.value = "";
  }

  function startAnew() {
    [state, shown] = [blank(), 0];
    draw();
    say("A new suite.");
  }

  const section = (title, ...content) => el("section", {}, el("h3", {}, title), ...content);
  const place = (name, tag, className, more) => el(tag, { "data-part": name, className, ...more });
  root.replaceChildren(
    el("div", { className: "live-bar live-row", role: "group", "aria-label": "File" },
      button("New", startAnew),
      el("label", { className: "live-row" }, "Open a suite (JSON or CSV)",
        el("input", { type: "file", accept: ".json,.csv", on: { change: open } })),
      button("Save as JSON", () => saveAs("json", S.toJson, "application/json"), { className: "live-main" }),
      button("Save as CSV", () => saveAs("csv", S.toCsv, "text/csv"))),
    status,
    section("The suite", place("meta", "div", "live-two")),
    section("Regions", place("regions", "ol", "suite-list"), button("Add a region", addRegion)),
    section("Conditions", place("conditions", "ol", "suite-list"), button("Add a condition", addCondition)),
    section("Predictions", place("predictions", "ol", "suite-list suite-wide"),
      button("Add a prediction", addPrediction)),
    section("Items", place("item-choice", "div", "live-row"), place("item", "div", "")),
    section("Is it right?", place("problems", "div", "", { "aria-live": "polite" })),
    section("The sentences", place("sentences", "div", "suite-tall")));

  // For the script that runs the suite.
  window.tseDesigner = { data: () => S.canonical(state), text: () => JSON.stringify(state), problems: changed };
  try {
    state = JSON.parse(localStorage.getItem(DRAFT)) || example();
    draw();
  } catch { // no storage, or no suite in it
    state = example();
    draw();
  }
})();
