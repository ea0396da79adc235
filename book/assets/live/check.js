/* The self-check: contexts that the package scored when the book was built, scored again here, and the differences. */

import { score } from "./api.js";
import { button, counted, el, share, statusLine, table } from "./dom.js";
import { Problem } from "./problems.js";

export function checkPart({ contexts }) {
  const { line, say } = statusLine(), results = el("div", {}), go = button(`Score ${contexts.length} contexts and compare`, check, { className: "live-main" });
  const stop = button("Stop", () => { stopped = true; }, { hidden: true });
  let stopped = false;

  async function check() {
    stopped = false;
    go.disabled = true;
    stop.hidden = false;
    const rows = [], began = performance.now();
    try {
      for (const context of contexts) {
        if (stopped) break;
        say(`Context ${rows.length + 1} of ${contexts.length}.`);
        rows.push(compared(context, await score(context)));
      }
      results.replaceChildren(...(rows.length ? [summary(rows, (performance.now() - began) / 1000), differences(rows)] : []));
      say(`${stopped ? "Stopped after" : "Scored"} ${counted(rows.length, "context")} in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      say(problem.message, true);
    }
    go.disabled = false;
    stop.hidden = true;
  }
  return el("div", {}, el("div", { className: "live-row" }, go, stop), line, results);
}

/** One context: the package's values, the page's, and the share of verbs on which both agree. */
function compared(context, { ew, mw, lemmas }) {
  const same = lemmas.filter((verb, place) => verb.agrees === (context.agrees[place] === "1")).length;
  return { context, ew, mw, same: same / lemmas.length };
}

function summary(rows, seconds) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const off = (key) => rows.map((row) => Math.abs(row[key] - row.context[key])), same = rows.map((row) => row.same);
  const found = {
    contexts: rows.length, seconds: seconds / rows.length,
    ew_mean: mean(off("ew")), ew_max: Math.max(...off("ew")),
    mw_mean: mean(off("mw")), mw_max: Math.max(...off("mw")),
    same_mean: mean(same), same_min: Math.min(...same),
  };
  const said = [
    `EW differs by ${found.ew_mean.toFixed(3)} on average and ${found.ew_max.toFixed(3)} at most,`,
    `MW by ${found.mw_mean.toFixed(3)} and ${found.mw_max.toFixed(3)}.`,
    `Page and package say the same of ${(100 * found.same_mean).toFixed(1)} % of the verbs,`,
    `and of ${(100 * found.same_min).toFixed(1)} % in the worst context.`,
  ];
  return el("p", { "data-summary": JSON.stringify(found), textContent: said.join(" ") });
}

const differences = (rows) => table("The package's values, and what the page adds to them", ["Context", "EW, package", "page", "MW, package", "page", "Same verbs"],
  rows.map(({ context, ew, mw, same }) => [context.left, share(context.ew), signed(ew - context.ew), share(context.mw), signed(mw - context.mw), `${(100 * same).toFixed(1)} %`]));

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;
