/* The designer's suite, run on the model in the page: progress, stop, outcomes, and a file that holds the results. */

import { surprisals } from "./api.js";
import { button, counted, el, statusLine, table } from "./dom.js";
import { load, status, stop } from "./engine.js";
import { facts } from "./facts.js";
import { loadingBar } from "./loading.js";
import { Problem, obstacle } from "./problems.js";
import { evaluateItem, withResults } from "./outcomes.js";

export async function begin(root) {
  const notice = root.querySelector(".live-notice");
  try {
    const known = await facts(), why = obstacle();
    if (why) throw new Problem(`${why} ${root.dataset.instead}`);
    if (!known.model.file) throw new Problem("This copy of the book was built without the model; the command line below evaluates a suite.");
    root.append(await loadingBar(known), runPart(known));
    notice.remove();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    notice.textContent = problem.message;
  }
}

function runPart({ model, engine, bos_token: bos }) {
  const { line, say } = statusLine(), results = el("div", {}), progress = el("progress", { max: 1, value: 0, hidden: true, "aria-label": "Running the suite" });
  const go = button("Run on SmolLM2 in this page", run, { className: "live-main" }), halt = button("Stop", () => { stopped = true; stop(); }, { hidden: true });
  const keep = button("Save with results", save, { hidden: true });
  const signature = `${model.name}@${model.sha256.slice(0, 8)} ${model.quantisation} | bos:${bos || "none"} | ${engine.name} ${engine.version} in a page, not the package`;
  let stopped = false, suite = null, ran = "", done = [];

  async function run() {
    const designer = window.tseDesigner, wrong = designer.problems();
    if (wrong.length) return say(`Not run: ${wrong[0]}`, true);
    suite = window.tseSuite.canonical(designer.data());
    ran = JSON.stringify(designer.data());
    [stopped, done] = [false, []];
    const total = suite.items.length * suite.items[0].conditions.length;
    let read = 0;
    const reading = async (sentence) => {
      read += 1;
      say(`Sentence ${read} of ${total}.`);
      progress.value = (read - 1) / total;
      return surprisals(sentence);
    };
    busy(true);
    try {
      if (status.state !== "ready") say("The model is being loaded; then the suite runs.");
      await load();
      for (const item of suite.items) done.push(await evaluateItem(item, suite, reading));
      say(suite.items.length === 1 ? "The item is done." : `All ${suite.items.length} items are done.`);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      say(stopped ? `Stopped after ${done.length} of ${counted(suite.items.length, "item")}.` : `Item ${suite.items[done.length].item_number}: ${problem.message}`, !stopped);
    }
    busy(false);
    draw();
  }

  function busy(yes) {
    go.disabled = yes;
    halt.hidden = progress.hidden = !yes;
    if (yes) halt.focus();
    else go.focus();
  }

  function draw() {
    keep.hidden = !done.length;
    if (!done.length) return results.replaceChildren();
    const count = (index) => done.filter((result) => (index === null ? result.holds.every(Boolean) : result.holds[index])).length;
    const lines = suite.predictions.map(({ formula }, index) => [`${index + 1}: ${formula}`, `${count(index)} of ${counted(done.length, "item")}`]);
    if (lines.length > 1) lines.push(["every prediction", `${count(null)} of ${counted(done.length, "item")}`]);
    const mark = (yes) => el("span", { className: yes ? "good" : "bad", textContent: yes ? "holds" : "fails" });
    const choose = el("select", { "aria-label": "Item whose regions are shown", on: { change: () => regions.replaceChildren(regionTable(Number(choose.value))) } },
      ...done.map((result, place) => el("option", { value: place, textContent: `Item ${result.number}` })));
    const regions = el("div", {}, regionTable(0));
    return results.replaceChildren(
      table("How often each prediction holds", ["Prediction", "Holds for"], lines),
      table("Item by item", ["Item", ...suite.predictions.map((_, index) => `Prediction ${index + 1}`)], done.map((result) => [String(result.number), ...result.holds.map(mark)])),
      el("div", { className: "live-row" }, choose), regions);
  }

  function regionTable(place) {
    const names = Object.entries(suite.region_meta), item = suite.items[place];
    return table(`Item ${item.item_number}: bits, region by region (${suite.meta.metric} over its tokens)`, ["Condition", ...names.map(([number, name]) => `${number} ${name}`)],
      item.conditions.map(({ condition_name: condition, regions }) => [condition, ...names.map(([number]) => {
        const { content } = regions.find((region) => region.region_number === Number(number));
        return el("span", {}, `${content} `, el("strong", { textContent: done[place].bits.get(condition).get(Number(number)).toFixed(2) }));
      })]));
  }

  function save() {
    const text = JSON.stringify(withResults(suite, done, signature), null, 2) + "\n";
    const name = `${window.tseSuite.tidy(suite.meta.name).replace(/[^\w.-]+/g, "-")}.evaluated.json`;
    const link = el("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    say(`Saved as ${name}. The package's own values: tse syntaxgym evaluate ${model.name} ${name}`);
  }

  document.getElementById("suite-designer").addEventListener("suite-changed", () => {
    if (done.length && JSON.stringify(window.tseDesigner.data()) !== ran) say("The suite has changed since it was run; the results below are of the earlier one.");
  });
  return el("div", {}, el("div", { className: "live-row" }, go, halt, keep), progress, line, results);
}
