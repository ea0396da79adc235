/* The self-check: contexts that the package scored when the book was built, scored again here, and the differences. */

import { score } from "./api.js";
import { asking } from "./asking.js";
import { counted, share } from "./text.js";

const { el, table } = window.tseCommon;
const HEADS = ["Context", "EW, package", "page", "MW, package", "page", "Same verbs"];

export function checkPart({ contexts }) {
  async function run({ say, results, goOn }) {
    const rows = [], began = performance.now(), seconds = () => (performance.now() - began) / 1000;
    try {
      for (const context of contexts) {
        say(`Context ${rows.length + 1} of ${contexts.length}.`);
        const { ew, mw, lemmas } = await score(context);
        const same = lemmas.filter((verb, place) => verb.agrees === (context.agrees[place] === "1")).length;
        rows.push({ context, ew, mw, same: same / lemmas.length });
        goOn();
      }
    } finally {
      if (rows.length) results.replaceChildren(summary(rows, seconds() / rows.length), differences(rows));
    }
    say(`Scored ${counted(rows.length, "context")} in ${seconds().toFixed(1)} s.`);
  }
  return asking({ label: () => `Score ${contexts.length} contexts and compare`, run }).node;
}

function summary(rows, seconds) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const off = (key) => rows.map((row) => Math.abs(row[key] - row.context[key])), same = rows.map((row) => row.same);
  const [ew, mw] = [off("ew"), off("mw")];
  const found = {
    contexts: rows.length, seconds,
    ew_mean: mean(ew), ew_max: Math.max(...ew), mw_mean: mean(mw), mw_max: Math.max(...mw),
    same_mean: mean(same), same_min: Math.min(...same),
  };
  const lines = [
    ["difference of EW", share(found.ew_mean), share(found.ew_max)],
    ["difference of MW", share(found.mw_mean), share(found.mw_max)],
    ["share of verbs with the same outcome", inPercent(found.same_mean), inPercent(found.same_min)],
  ];
  const shown = table("Page against package", ["Measure", "Mean", "Worst context"], lines);
  return el("div", { "data-summary": JSON.stringify(found) }, shown);
}

function differences(rows) {
  const cells = rows.map(({ context, ew, mw, same }) => [
    context.left, share(context.ew), signed(ew - context.ew), share(context.mw), signed(mw - context.mw),
    inPercent(same),
  ]);
  return table("The package's values, and what the page adds to them", HEADS, cells);
}

const inPercent = (part) => `${(100 * part).toFixed(1)} %`;
const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;
