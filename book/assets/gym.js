/* The gym, on the page of the designer: a suite and a model are chosen, and what the model did on the suite is shown.
 *
 * gym-data.js holds the results (tse_book/gym.py writes it). The address carries the choice, so that a link shows one
 * suite: designer.html?suite=NAME&model=NAME. */
(function () {
  "use strict";
  const { el, keepInAddress, table } = window.tseCommon;
  const place = document.querySelector("[data-gym]"), { suites, chart, models: shownNames, opens } = window.tseGym;
  if (!suites.length) return;
  const folder = document.currentScript.src.replace(/[^/]*$/, "");
  const asked = new URLSearchParams(location.search);
  const suiteMenu = el("select", { id: "gym-suite", on: { change: show } });
  const modelMenu = el("select", { id: "gym-model", on: { change: show } });
  const shown = el("div", { "aria-live": "polite" });
  const menus = [el("label", {}, "Suite ", suiteMenu), " ", el("label", {}, "Model ", modelMenu)];
  place.replaceChildren(el("p", {}, ...menus), shown);

  for (const [circuit, group] of Map.groupBy(suites, (suite) => suite.circuit)) {
    const options = group.map(({ name }) => el("option", {}, name));
    suiteMenu.append(el("optgroup", { label: circuit || "Other suites" }, ...options));
  }
  const named = (wanted) => suites.find(({ name }) => name === wanted);
  const [favourite] = Object.keys(shownNames); // a suite that the first model was evaluated on
  const usual = suites.find(({ profiles }) => Object.hasOwn(profiles, favourite));
  suiteMenu.value = (named(asked.get("suite")) ?? named(opens) ?? usual ?? suites[0]).name;

  function show() {
    const suite = suites.find(({ name }) => name === suiteMenu.value);
    const models = Object.keys(suite.profiles), before = modelMenu.value || asked.get("model");
    modelMenu.replaceChildren(...models.map((name) =>
      el("option", { value: name, selected: name === before }, shownNames[name])));
    const model = modelMenu.value;
    shown.replaceChildren(...about(suite), ...(model ? measured(suite, model) : []));
    if (model && chart) draw(suite, model);
    keepInAddress(new URLSearchParams({ suite: suite.name, model }));
  }

  function about({ name, question, predictions, items, regions, example, accuracies, recorded }) {
    const share = (value) => (value === null ? "not judged" : value.toFixed(3));
    const rows = accuracies.map((row) =>
      [shownNames[row.model], share(row.accuracy), `${row.correct} of ${row.judged}`]);
    const others = Object.entries(recorded).map(([model, value]) => [model, share(value)]);
    const counted = predictions.length > 1 ? "the first prediction" : "the prediction"; // they count no other
    const texts = example.map((row) => [row.condition, ...row.texts]);
    const absent = el("p", {}, "This build does not have the suite's sentences. ",
      el("code", {}, "tse data fetch syntaxgym"), " downloads them, and the next ", el("code", {}, "make book"),
      " shows the first item here and evaluates the suite on the models of ", el("code", {}, "data/gym.yaml"), ".");
    // Words between asterisks are examples and stand in italics.
    const parts = (question ?? "").replaceAll("`", "").split("*");
    const words = parts.map((part, index) => (index % 2 ? el("em", {}, part) : part));
    return [
      el("h3", {}, name),
      ...(question ? [el("p", {}, ...words)] : []),
      el("h4", {}, predictions.length > 1 ? "Predictions" : "Prediction"),
      el("ul", {}, ...predictions.map((formula) => el("li", {}, el("code", {}, formula)))),
      texts.length ? table(`The first of ${items} items`, ["condition", ...regions], texts) : absent,
      el("h4", {}, "Accuracy"),
      table("The share of items for which every prediction holds", ["model", "accuracy", "items"], rows),
      ...(others.length ? [el("details", {}, el("summary", {}, `${others.length} models recorded by Hu et al. (2020)`),
        table(`The share of items for which ${counted} holds`, ["model", "accuracy"], others))] : []),
    ];
  }

  function measured({ name, outcomes, file }, model) {
    const held = Object.entries(outcomes[model]);
    const items = (kind) => held.filter(([, outcome]) => outcome === kind).map(([item]) => item).join(", ") || "none";
    const rows = ["holds", "fails", "not judged"].map((kind) => [kind, items(kind)]);
    const link = el("a", { href: folder + file, download: `${name}.csv` }, "Every region's surprisal (CSV)");
    return [
      el("h4", {}, "Surprisal by region"), el("div", { id: "gym-chart" }),
      table(`${shownNames[model]}, item by item`, ["the prediction", "items"], rows), el("p", {}, link),
    ];
  }

  function draw({ name, profiles, regions, critical }, model) {
    const rows = profiles[model], spec = structuredClone(chart);
    const shaded = regions.filter((label) => critical.includes(parseInt(label, 10))).map((label) => ({ label }));
    Object.assign(spec, {
      title: `Mean surprisal of each region, ${shownNames[model]}`,
      description: `Line chart of mean surprisal in bits, a line for each condition of ${name}.`,
      data: { values: rows },
    });
    spec.layer.unshift({
      data: { values: shaded },
      mark: { type: "bar", width: 44, opacity: 0.13, color: "#8a8f98" },
      encoding: { x: { field: "label", type: "nominal" }, y: { value: 0 }, y2: { value: "height" } },
    });
    const conditions = [...new Set(rows.map((row) => row.condition))];
    for (const { encoding: { x, color, shape } } of spec.layer) {
      if (x) x.sort = regions;
      for (const channel of [color, shape]) if (channel?.scale) channel.scale.domain = conditions;
    }
    window.vegaEmbed("#gym-chart", spec, { mode: "vega-lite" });
  }

  show();
})();
