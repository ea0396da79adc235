/* The gym's page: a suite and a model are chosen, and what the model did on the suite is shown.
 *
 * gym-data.js holds the results (tse_book/gym.py writes it). The address carries the choice, gym.html?suite=NAME&model=NAME,
 * so that a link shows one suite. All text goes into the page as text, never as HTML. */
(function () {
  "use strict";
  const place = document.querySelector("[data-gym]"), data = window.tseGym;
  if (!place || !data || !data.suites.length) return;
  const folder = document.currentScript.src.replace(/[^/]*$/, "");
  const asked = new URLSearchParams(location.search);

  function element(name, text, attributes) {
    const made = Object.assign(document.createElement(name), { textContent: text || "" });
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    return made;
  }

  /* Words between asterisks are examples and stand in italics. */
  function sentence(text) {
    const made = element("p");
    made.append(...text.replace(/`/g, "").split("*").map((part, place) => (place % 2 ? element("em", part) : part)));
    return made;
  }

  function menu(label, id) {
    const select = element("select", "", { id: id });
    const line = element("label", label + " ", { for: id });
    controls.append(line, select, " ");
    return select;
  }

  function table(caption, head, rows) {
    const made = element("table", "", { class: "table" }), scroll = element("div", "", { class: "live-scroll", tabindex: "0" });
    const line = (cells, name) => {
      const row = element("tr");
      row.append(...cells.map((cell) => element(name, cell, name === "th" ? { scope: "col" } : {})));
      return row;
    };
    const top = element("thead"), body = element("tbody");
    top.append(line(head, "th"));
    body.append(...rows.map((row) => line(row, "td")));
    made.append(element("caption", caption), top, body);
    scroll.append(made);
    return scroll;
  }

  const controls = element("p");
  const suites = menu("Suite", "gym-suite"), models = menu("Model", "gym-model");
  const shown = element("div", "", { "aria-live": "polite" });
  place.replaceChildren(controls, shown);

  for (const group of [...new Set(data.suites.map((suite) => suite.circuit))]) {
    const own = element("optgroup", "", { label: group || "Other suites" });
    own.append(...data.suites.filter((suite) => suite.circuit === group).map((suite) => element("option", suite.name)));
    suites.append(own);
  }
  const differing = data.suites.find((suite) => new Set(suite.accuracies.map((row) => row.accuracy)).size > 1);
  if (differing) suites.value = differing.name;
  if (data.suites.some((suite) => suite.name === asked.get("suite"))) suites.value = asked.get("suite");

  function chooseSuite() {
    const suite = data.suites.find((one) => one.name === suites.value), before = models.value || asked.get("model");
    models.replaceChildren(...Object.keys(suite.profiles).map((name) => element("option", name)));
    if (before in suite.profiles) models.value = before;
    show(suite);
  }

  function show(suite) {
    const model = models.value, share = (value) => (value === null ? "not judged" : value.toFixed(3));
    const parts = [element("h2", suite.name)];
    if (suite.question) parts.push(sentence(suite.question));
    parts.push(element("h3", suite.predictions.length > 1 ? "Predictions" : "Prediction"));
    const claims = element("ul");
    for (const formula of suite.predictions) {
      const item = element("li");
      item.append(element("code", formula));
      claims.append(item);
    }
    parts.push(claims);
    const texts = suite.example.map((row) => [row.condition, ...row.texts]);
    parts.push(table("The first of " + suite.items + " items", ["condition", ...suite.regions], texts));
    parts.push(element("h3", "Accuracy"));
    const measured = suite.accuracies.map((row) => [row.model, share(row.accuracy), row.correct + " of " + row.judged]);
    const recorded = Object.entries(suite.recorded).map(([name, value]) => [name + " (recorded by Hu et al. 2020)", share(value), ""]);
    parts.push(table("The share of items for which every prediction holds", ["model", "accuracy", "items"], [...measured, ...recorded]));
    const chart = element("div", "", { id: "gym-chart" });
    if (model) {
      parts.push(element("h3", "Surprisal by region"), chart);
      const outcomes = Object.entries(suite.outcomes[model]);
      const of = (kind) => outcomes.filter(([, outcome]) => outcome === kind).map(([item]) => item).join(", ") || "none";
      parts.push(table(model + ", item by item", ["the prediction", "items"], ["holds", "fails", "not judged"].map((kind) => [kind, of(kind)])));
      const line = element("p");
      line.append(element("a", "Every region's surprisal (CSV)", { href: folder + suite.file, download: suite.name + ".csv" }));
      parts.push(line);
    }
    shown.replaceChildren(...parts);
    if (model && data.chart) draw(chart, suite, model);
    const choice = new URLSearchParams({ suite: suite.name, model: model });
    try {
      history.replaceState(null, "", "?" + choice);
    } catch { /* a page read from a folder may not change its address */ }
  }

  function draw(chart, suite, model) {
    const rows = suite.profiles[model], order = suite.regions;
    const shaded = order.filter((label) => suite.critical.includes(parseInt(label, 10))).map((label) => ({ label: label }));
    const spec = JSON.parse(JSON.stringify(data.chart));
    spec.title = "Mean surprisal of each region, " + model;
    spec.description = "Line chart of mean surprisal in bits, a line for each condition of " + suite.name + ".";
    spec.data = { values: rows };
    spec.layer.unshift({
      data: { values: shaded },
      mark: { type: "bar", width: 44, opacity: 0.13, color: "#8a8f98" },
      encoding: { x: { field: "label", type: "nominal", sort: order }, y: { value: 0 }, y2: { value: "height" } },
    });
    for (const layer of spec.layer) {
      if (layer.encoding.x) layer.encoding.x.sort = order;
      for (const channel of [layer.encoding.color, layer.encoding.shape]) {
        if (channel && channel.scale) channel.scale.domain = [...new Set(rows.map((row) => row.condition))];
      }
    }
    window.vegaEmbed("#gym-chart", spec, { mode: "vega-lite" });
  }

  suites.addEventListener("change", chooseSuite);
  models.addEventListener("change", () => show(data.suites.find((one) => one.name === suites.value)));
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", chooseSuite);
  else chooseSuite();
})();
