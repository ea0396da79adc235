/* The page that designs a SyntaxGym suite. Everything happens in the reader's browser; suite.js knows what a suite is.
 *
 * State is one object: meta, regions [{number, name}], conditions [name], predictions [text], and items
 * [{number, contents[condition][region]}]. Every change redraws the part it touches and checks the whole. */
(function () {
  "use strict";
  const root = document.getElementById("suite-designer");
  if (!root) return;
  const S = window.tseSuite;
  const schema = JSON.parse(document.getElementById("suite-schema").textContent);
  const DRAFT = "tse-suite-draft";
  const FIELDS = ["author", "reference", "circuit", "comment"];
  let state, shown = 0;

  /* Text only ever becomes text: no HTML is made from what a suite says. */
  function el(name, properties, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(properties || {})) {
      if (key === "on") for (const [event, run] of Object.entries(value)) node.addEventListener(event, run);
      else if (key in node && key !== "list") node[key] = value;
      else node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
  }
  const button = (text, run, properties) => el("button", Object.assign({ type: "button", textContent: text, on: { click: run } }, properties));
  const field = (label, control) => el("label", { className: "sgd-field" }, el("span", { textContent: label }), control);
  const part = (name) => root.querySelector("[data-part=" + name + "]");
  const labelOf = (control) => control.getAttribute("aria-label") || (control.closest("label") || control).textContent;

  /* New content for a part; who was on a control there stays on its successor. */
  function fill(name, ...nodes) {
    const box = part(name), before = box.contains(document.activeElement) ? labelOf(document.activeElement) : null;
    box.replaceChildren(...nodes);
    if (before === null) return;
    const controls = [...box.querySelectorAll("button, input, select, textarea")].filter((control) => !control.disabled);
    const next = controls.find((control) => labelOf(control) === before) || controls[0];
    if (next) next.focus();
  }

  function blank() {
    return {
      meta: { name: "my_suite", metric: "sum" },
      regions: [{ number: 1, name: "subject" }, { number: 2, name: "verb" }],
      conditions: ["match", "mismatch"],
      predictions: ["(2;%match%) < (2;%mismatch%)"],
      items: [{ number: 1, contents: [["", ""], ["", ""]] }],
    };
  }

  /* What the designer opens with: a suite that is well formed, and that the model in the page can run. */
  function example() {
    const verb = (subject, form) => [subject, "to the cabinet", form];
    const item = (number, one, many) => ({ number, contents: [verb(many, "are"), verb(many, "is"), verb(one, "is"), verb(one, "are")] });
    return {
      meta: { name: "my_suite", metric: "sum", comment: "An example to change: agreement across a prepositional phrase." },
      regions: [{ number: 1, name: "subject" }, { number: 2, name: "phrase" }, { number: 3, name: "verb" }],
      conditions: ["match_plural", "mismatch_plural", "match_singular", "mismatch_singular"],
      predictions: ["((3;%match_plural%) < (3;%mismatch_plural%)) & ((3;%match_singular%) < (3;%mismatch_singular%))"],
      items: [item(1, "The key", "The keys"), item(2, "The door", "The doors"), item(3, "The guest", "The guests")],
    };
  }

  function toData() {
    return S.tidied({
      meta: Object.assign({}, state.meta),
      region_meta: Object.fromEntries(state.regions.map((region) => [region.number, region.name])),
      predictions: state.predictions.map((formula) => ({ type: "formula", formula })),
      items: state.items.map((item) => ({
        item_number: item.number,
        conditions: state.conditions.map((name, c) => ({
          condition_name: name,
          regions: state.regions.map((region, r) => ({ region_number: region.number, content: item.contents[c][r] })),
        })),
      })),
    });
  }

  function fromData(data) {
    data = S.canonical(data);
    state = {
      meta: data.meta,
      regions: Object.entries(data.region_meta).map(([number, name]) => ({ number: Number(number), name })),
      conditions: data.items[0].conditions.map((condition) => condition.condition_name),
      predictions: data.predictions.map((prediction) => prediction.formula),
      items: data.items.map((item) => ({
        number: item.item_number,
        contents: item.conditions.map((condition) => condition.regions.map((region) => region.content)),
      })),
    };
    shown = 0;
  }

  /* ---- The parts of the page ---- */

  function drawMeta() {
    const input = (key) => el("input", { type: "text", value: String(state.meta[key] === undefined ? "" : state.meta[key]), name: key, on: { input: (e) => {
      if (e.target.value || key === "name" || key in original) state.meta[key] = e.target.value;
      else delete state.meta[key];
      changed();
    } } });
    const original = Object.assign({}, state.meta);
    const metric = el("select", { name: "metric", on: { change: (e) => { state.meta.metric = e.target.value; changed(); } } },
      ...schema.properties.meta.properties.metric.enum.map((name) => el("option", { value: name, textContent: name, selected: name === state.meta.metric })));
    const texts = FIELDS.filter((key) => ["string", "undefined"].includes(typeof state.meta[key]));
    fill("meta", field("Name", input("name")), field("Metric", metric),
      ...texts.map((key) => field(key[0].toUpperCase() + key.slice(1), input(key))));
  }

  function drawLists() {
    const regions = state.regions.map((region, index) => el("li", {},
      field("Region " + region.number, el("input", { type: "text", value: region.name, on: { input: (e) => { region.name = e.target.value; drawItem(); refreshPredictions(); changed(); } } })),
      button("Remove", () => removeRegion(index), { disabled: state.regions.length < 2, "aria-label": "Remove region " + region.number })));
    const conditions = state.conditions.map((name, index) => el("li", {},
      field("Condition " + (index + 1), el("input", { type: "text", value: name, on: {
        input: (e) => { state.conditions[index] = e.target.value; drawItem(); refreshPredictions(); changed(); },
        change: (e) => { renameInFormulas(name, e.target.value); name = e.target.value; } } })),
      button("Remove", () => removeCondition(index), { disabled: state.conditions.length < 2, "aria-label": "Remove condition " + (index + 1) })));
    fill("regions", ...regions);
    fill("conditions", ...conditions);
  }

  function drawPredictions() {
    const rows = state.predictions.map(function (text, index) {
      const note = "sgd-prediction-note-" + index;
      const area = el("textarea", { rows: 2, value: text, spellcheck: false, "aria-describedby": note, on: { input: (e) => { state.predictions[index] = e.target.value; changed(); } } });
      const region = el("select", { className: "sgd-regions", "aria-label": "Region to insert into prediction " + (index + 1) });
      const condition = el("select", { className: "sgd-conditions", "aria-label": "Condition to insert into prediction " + (index + 1) });
      const insert = (piece) => {
        const end = area.selectionStart + piece.length;
        area.value = area.value.slice(0, area.selectionStart) + piece + area.value.slice(area.selectionEnd);
        area.dispatchEvent(new Event("input"));
        area.focus();
        area.setSelectionRange(end, end);
      };
      return el("li", {}, field("Prediction " + (index + 1), area), el("p", { id: note, className: "sgd-note" }),
        el("div", { className: "sgd-row" }, region, condition, button("Insert this surprisal", () => insert("(" + region.value + ";%" + condition.value + "%)")),
          ...["+", "-", "<", ">", "=", "&", "|"].map((sign) =>
            button(sign, () => insert(" " + sign + " "), { "aria-label": "Insert " + sign + " into prediction " + (index + 1) })),
          button("Remove prediction", () => { state.predictions.splice(index, 1); drawPredictions(); changed(); }, { disabled: state.predictions.length < 2 })));
    });
    fill("predictions", ...rows);
    refreshPredictions();
  }

  /* The formulas and the names to choose from, without taking the cursor out of a text that is being typed. */
  function refreshPredictions() {
    const options = (select, list) => {
      const chosen = Math.max(0, select.selectedIndex);
      select.replaceChildren(...list.map(([value, text]) => el("option", { value, textContent: text })));
      select.selectedIndex = Math.min(chosen, list.length - 1);
    };
    [...part("predictions").children].forEach(function (row, index) {
      const area = row.querySelector("textarea");
      if (area.value !== state.predictions[index]) area.value = state.predictions[index];
      options(row.querySelector(".sgd-regions"), [...state.regions.map((one) => [one.number, one.number + " " + one.name]), ["*", "* all regions"]]);
      options(row.querySelector(".sgd-conditions"), state.conditions.map((name) => [name, name]));
    });
  }

  function drawItem() {
    shown = Math.max(0, Math.min(shown, state.items.length - 1));
    const item = state.items[shown];
    const choose = el("select", { "aria-label": "Item shown", on: { change: (e) => { shown = Number(e.target.value); drawItem(); } } },
      ...state.items.map((one, index) => el("option", { value: index, textContent: "Item " + one.number, selected: index === shown })));
    fill("item-choice",
      button("Previous", () => { shown -= 1; drawItem(); }, { disabled: shown === 0, "aria-label": "Previous item" }), choose,
      button("Next", () => { shown += 1; drawItem(); }, { disabled: shown === state.items.length - 1, "aria-label": "Next item" }),
      button("Add an empty item", () => addItem(state.conditions.map(() => state.regions.map(() => "")))),
      button("Copy this item", () => addItem(item.contents.map((row) => [...row]))),
      button("Remove this item", () => { state.items.splice(shown, 1); drawItem(); changed(); }, { disabled: state.items.length < 2 }));
    const head = el("tr", {}, el("th", { scope: "col", textContent: "Condition" }),
      ...state.regions.map((region) => el("th", { scope: "col", textContent: region.number + " " + region.name })));
    const rows = state.conditions.map((name, c) => el("tr", {}, el("th", { scope: "row", textContent: name }),
      ...state.regions.map((region, r) => el("td", {}, el("input", {
        type: "text", value: item.contents[c][r], "aria-label": "Item " + item.number + ", " + name + ", region " + region.number + " " + region.name,
        on: { input: (e) => { item.contents[c][r] = e.target.value; changed(); }, paste: (e) => pasteTable(e, item, c, r) } })))));
    fill("item", el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
  }

  function drawSentences(data) {
    const critical = new Set();
    for (const prediction of data.predictions) {
      try { S.atomsOf(S.parseFormula(prediction.formula)).forEach((atom) => critical.add(atom.region)); } catch { /* shown as a problem */ }
    }
    const rows = data.items.flatMap((item) => item.conditions.map(function (condition) {
      const sentence = el("td", {});
      condition.regions.filter((region) => region.content).forEach(function (region, index) {
        if (index) sentence.append(" ");
        sentence.append(critical.has(region.region_number) ? el("strong", { textContent: region.content }) : region.content);
      });
      return el("tr", {}, el("td", { textContent: item.item_number }), el("td", { textContent: condition.condition_name }), sentence);
    }));
    const head = el("tr", {}, ...["Item", "Condition", "Sentence"].map((text) => el("th", { scope: "col", textContent: text })));
    part("sentences").replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
  }

  /* ---- Changes ---- */

  function changed() {
    const data = toData(), found = S.problems(data, schema), duplicates = state.conditions.length - new Set(state.conditions.map(S.tidy)).size;
    if (duplicates) found.unshift("two conditions have the same name");
    drawSentences(data);
    state.predictions.forEach(function (text, index) {
      const note = document.getElementById("sgd-prediction-note-" + index);
      const problem = found.find((line) => line.startsWith("prediction " + (index + 1) + ": "));
      if (!note) return;
      note.textContent = problem ? problem.replace(/^prediction [0-9]+: /, "") : "Read as: " + readAs(text);
      note.classList.toggle("sgd-wrong", Boolean(problem));
    });
    const list = part("problems");
    list.replaceChildren(el("p", { textContent: found.length ? found.length + (found.length > 1 ? " things are" : " thing is") + " not right yet:" : "The suite is well formed: it can be saved." }),
      el("ul", {}, ...found.slice(0, 12).map((line) => el("li", { textContent: line }))));
    list.classList.toggle("sgd-wrong", found.length > 0);
    root.dispatchEvent(new Event("suite-changed"));
    try { localStorage.setItem(DRAFT, JSON.stringify(state)); } catch { /* a page without storage keeps no draft */ }
    return found;
  }
  function readAs(text) {
    try { return S.formulaText(S.parseFormula(text)); } catch { return text; }
  }
  function draw() { drawMeta(); drawLists(); drawPredictions(); drawItem(); changed(); }
  function addItem(contents) {
    state.items.push({ number: Math.max(...state.items.map((item) => item.number)) + 1, contents });
    shown = state.items.length - 1;
    drawItem();
    changed();
    part("item").querySelector("input").focus();
  }
  function addRegion() {
    state.regions.push({ number: Math.max(...state.regions.map((region) => region.number)) + 1, name: "" });
    state.items.forEach((item) => item.contents.forEach((row) => row.push("")));
    draw();
    part("regions").querySelector("li:last-child input").focus();
  }
  function removeRegion(index) {
    state.regions.splice(index, 1);
    state.items.forEach((item) => item.contents.forEach((row) => row.splice(index, 1)));
    draw();
  }
  function addCondition() {
    state.conditions.push("condition_" + (state.conditions.length + 1));
    state.items.forEach((item) => item.contents.push(state.regions.map(() => "")));
    draw();
    part("conditions").querySelector("li:last-child input").select();
  }
  function removeCondition(index) {
    state.conditions.splice(index, 1);
    state.items.forEach((item) => item.contents.splice(index, 1));
    draw();
  }
  function renameInFormulas(before, after) {
    const name = S.tidy(after);
    if (name && !name.includes("%")) state.predictions = state.predictions.map((text) => text.replace(/%([^%]*)%/g, (whole, one) => (one.trim() === S.tidy(before) ? "%" + name + "%" : whole)));
    refreshPredictions();
    changed();
  }
  /* Cells copied from a spreadsheet fill the table from the cell they are put into. */
  function pasteTable(event, item, c, r) {
    const rows = event.clipboardData.getData("text").replace(/\r?\n$/, "").split(/\r?\n/).map((line) => line.split("\t"));
    if (rows.length === 1 && rows[0].length === 1) return;
    event.preventDefault();
    rows.forEach((row, i) => row.forEach(function (text, j) {
      if (c + i < state.conditions.length && r + j < state.regions.length) item.contents[c + i][r + j] = text;
    }));
    drawItem();
    changed();
  }

  /* ---- Files ---- */

  const say = (text, wrong) => { part("status").textContent = text; part("status").classList.toggle("sgd-wrong", Boolean(wrong)); };
  function save(kind) {
    const found = changed();
    if (found.length) return say("Not saved: " + found[0], true);
    const data = toData(), name = S.tidy(state.meta.name).replace(/[^\w.-]+/g, "-") + "." + kind;
    const link = el("a", { href: URL.createObjectURL(new Blob([kind === "csv" ? S.toCsv(data) : S.toJson(data)], { type: kind === "csv" ? "text/csv" : "application/json" })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    return say("Saved as " + name + ". Evaluate it with: tse syntaxgym evaluate MODEL " + name);
  }
  async function open(event) {
    const file = event.target.files[0];
    if (!file) return;
    try {
      const text = await file.text();
      fromData(S.read(text, file.name, schema));
      draw();
      say("Opened " + file.name + (/"metric_value"\s*:/.test(text) ? "; its measured surprisals are left out." : "."));
    } catch (error) {
      if (!(error instanceof S.Problem)) throw error;
      say(file.name + " was not opened: " + error.message, true);
    }
    event.target.value = "";
  }

  function section(title, ...content) { return el("section", {}, el("h3", { textContent: title }), ...content); }
  const place = (name, tag, properties) => el(tag || "div", Object.assign({ "data-part": name }, properties));
  root.replaceChildren(
    el("div", { className: "sgd-row sgd-bar", role: "group", "aria-label": "File" },
      button("New", () => { state = blank(); shown = 0; draw(); say("A new suite."); }),
      el("label", { className: "sgd-open" }, el("span", { textContent: "Open a suite (JSON or CSV)" }), el("input", { type: "file", accept: ".json,.csv", on: { change: open } })),
      button("Save as JSON", () => save("json"), { className: "sgd-main" }), button("Save as CSV", () => save("csv"))),
    place("status", "p", { role: "status", className: "sgd-note" }),
    section("The suite", place("meta", "div", { className: "sgd-grid" })),
    section("Regions", place("regions", "ol", { className: "sgd-list" }), button("Add a region", addRegion)),
    section("Conditions", place("conditions", "ol", { className: "sgd-list" }), button("Add a condition", addCondition)),
    section("Predictions", place("predictions", "ol", { className: "sgd-list sgd-wide" }),
      button("Add a prediction", () => { state.predictions.push(""); drawPredictions(); changed(); part("predictions").querySelector("li:last-child textarea").focus(); })),
    section("Items", place("item-choice", "div", { className: "sgd-row" }), place("item", "div", { className: "sgd-scroll", tabIndex: 0, role: "region", "aria-label": "The item's regions" })),
    section("Is it right?", place("problems", "div", { "aria-live": "polite", className: "sgd-problems" })),
    section("The sentences", place("sentences", "div", { className: "sgd-scroll sgd-tall", tabIndex: 0, role: "region", "aria-label": "All sentences" })));

  window.tseDesigner = { data: toData, problems: changed }; // for the script that runs the suite
  try { state = JSON.parse(localStorage.getItem(DRAFT)) || example(); } catch { state = example(); }
  try { draw(); } catch { state = blank(); draw(); }
})();
