/* The designer's suite, run on the model in the page: progress, outcomes, and a file that holds the results. */

import { surprisals } from "./api.js";
import { asking } from "./asking.js";
import { Problem } from "./model.js";
import { counted } from "./text.js";

const { button, el, plain, save, table } = window.tseCommon;

export function suitePart({ model, engine, bos_token: bos }) {
  const keep = button("Save with results", saveResults, { hidden: true });
  let suite = null, done = [];

  async function run({ say, results, goOn }) {
    const designer = window.tseDesigner, [wrong] = designer.problems();
    done = [];
    keep.hidden = true;
    if (wrong) throw new Problem(`Not run: ${wrong}`);
    suite = designer.data();
    const total = suite.items.length * suite.items[0].conditions.length;
    let read = 0;
    const reading = (sentence) => {
      goOn();
      read += 1;
      say(`Sentence ${read} of ${total}.`);
      return surprisals(sentence);
    };
    try {
      for (const item of suite.items) done.push(await window.tseSuite.evaluateItem(item, suite, reading));
      say(done.length === 1 ? "The item is done." : `All ${done.length} items are done.`);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      const stopped = `Stopped after ${done.length} of ${counted(suite.items.length, "item")}.`;
      const at = `Item ${suite.items[done.length].item_number}: ${problem.message}`;
      say(problem.stopped ? stopped : at, !problem.stopped);
    }
    keep.hidden = !done.length;
    results.replaceChildren(...(done.length ? outcomes(suite, done) : []));
  }

  function saveResults() {
    const evaluated = `${model.name}@${model.sha256.slice(0, 8)} ${model.quantisation} | bos:${bos} | ` +
      `${engine.name} ${engine.version} in a page, not the package`;
    const name = `${plain(suite.meta.name).replace(/[^\w.-]+/g, "-")}.evaluated.json`;
    const whole = { ...suite, meta: { ...suite.meta, evaluated }, items: done.map(({ item }) => item) };
    save(name, JSON.stringify(whole, null, 2) + "\n", "application/json");
    part.say(`Saved as ${name}. The package's own values: tse syntaxgym evaluate ${model.name} ${name}`);
  }

  document.getElementById("suite-designer").addEventListener("suite-changed", () => {
    const changed = "The suite has changed since it was run; the results below are of the earlier one.";
    part.say(done.length ? changed : "");
  });
  const part = asking({ model, label: "Run on SmolLM2 in this page", controls: [keep], run });
  return part.node;
}

/* How often each prediction holds, for which items, and the bits of each region. */
function outcomes({ meta, predictions, region_meta: names }, done) {
  const count = (holds) => `${done.filter(holds).length} of ${counted(done.length, "item")}`;
  const lines = predictions.map(({ formula }, index) =>
    [`${index + 1}: ${formula}`, count(({ holds }) => holds[index])]);
  if (lines.length > 1) lines.push(["every prediction", count(({ holds }) => holds.every(Boolean))]);
  const mark = (holds) => el("span", { className: holds ? "good" : "bad" }, holds ? "holds" : "fails");
  const heads = predictions.map((_, index) => `Prediction ${index + 1}`);
  const byNumber = (one, other) => one.region_number - other.region_number;
  const cell = ({ content, metric_value: bits }) =>
    el("span", {}, `${content} `, el("strong", {}, bits[meta.metric].toFixed(2)));
  return [
    table("How often each prediction holds", ["Prediction", "Holds for"], lines),
    table("Item by item", ["Item", ...heads],
      done.map(({ item, holds }) => [String(item.item_number), ...holds.map(mark)])),
    table(`Bits, region by region (${meta.metric} over its tokens)`,
      ["Item", "Condition", ...Object.entries(names).map((region) => region.join(" "))],
      done.flatMap(({ item }) => item.conditions.map(({ condition_name: name, regions }) =>
        [String(item.item_number), name, ...regions.toSorted(byNumber).map(cell)]))),
  ];
}
