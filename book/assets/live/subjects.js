/* Subjects: two contexts with a singular subject, and EW by kind of verb after each. */

import { distributionAfter } from "./api.js";
import { asking, typed, words } from "./asking.js";
import { Problem } from "./model.js";
import { KINDS_AND_ALL, equallyWeighted, forms } from "./scoring.js";
import { share } from "./text.js";

const { el, field, table } = window.tseCommon;
const SINGULAR = 0;

/** `start`: the contexts that the form begins with, first and second. */
export function subjectsPart({ model, lemmas }, start) {
  const inputs = [start.first, start.second].map(words);

  async function run({ say, results, goOn }) {
    const contexts = inputs.map(typed), read = [];
    if (!contexts.every(Boolean)) throw new Problem("Type two contexts, each with a singular subject.");
    for (const context of contexts) {
      read.push(await distributionAfter(context, SINGULAR));
      goOn();
    }
    const rows = KINDS_AND_ALL.map(([kind, holds]) => {
      const verbs = lemmas.filter(holds), pairs = verbs.map((verb) => verb.ids);
      const scores = read.map((distribution) => equallyWeighted(forms(distribution, pairs, SINGULAR)));
      return [`${verbs.length} verbs, ${kind}`, ...scores.map((score) => share(score, 2))];
    });
    const heads = ["", ...contexts.map((context) => `EW after “${context}”`)];
    results.replaceChildren(table("By single tokens, as the model on this page reads them", heads, rows));
    const [never, also] = rows;
    say(`EW after the first and the second context: never nouns ${never.slice(1).join(" and ")}, ` +
      `also nouns ${also.slice(1).join(" and ")}.`);
  }
  const titles = ["A context with a singular subject", "Another context with a singular subject"];
  return asking({
    fields: [el("div", { className: "live-two" }, ...titles.map((title, place) => field(title, inputs[place])))],
    model, label: "Compare",
    run,
  }).node;
}
