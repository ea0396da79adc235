/* Movement: two contexts that differ in the number of the subject, and how far each verb moves from one to the other. */

import { distributionAfter } from "./api.js";
import { asking, typed, words } from "./asking.js";
import { Problem } from "./model.js";
import { KINDS_AND_ALL, equallyWeighted, forms, sensitivities } from "./scoring.js";
import { share } from "./text.js";

const { el, field, table } = window.tseCommon;
const SINGULAR = 0, PLURAL = 1;

/** `start`: the contexts that the form begins with, singular and plural. */
export function movementPart({ model, lemmas }, start) {
  const inputs = [start.singular, start.plural].map(words);

  async function run({ say, results, goOn }) {
    const [singular, plural] = inputs.map(typed);
    if (!singular || !plural) throw new Problem("Type a context with a singular subject and one with a plural subject.");
    if (singular === plural) throw new Problem("The two contexts are the same: change the subject's number in one.");
    const read = [];
    for (const [number, context] of [singular, plural].entries()) {
      read.push(await distributionAfter(context, number));
      goOn();
    }
    const rows = KINDS_AND_ALL.map(([kind, holds]) => row(kind, read, lemmas.filter(holds)));
    const heads = ["", "mean sensitivity (nats)", "move the right way", `EW after “${singular}”`, `EW after “${plural}”`];
    results.replaceChildren(table("By single tokens, as the model on this page reads them", heads, rows));
    const [never, also] = rows;
    say(`Mean sensitivity: never nouns ${never[1]}, also nouns ${also[1]} nats.`);
  }
  const titles = ["A context with a singular subject", "The same with a plural subject"];
  return asking({
    fields: [el("div", { className: "live-two" }, ...titles.map((title, place) => field(title, inputs[place])))],
    model, label: "Compare",
    run,
  }).node;
}

/* A row of the table: how far one kind of verb moves, and what it scores. */
function row(kind, [singular, plural], verbs) {
  const pairs = verbs.map((verb) => verb.ids), moved = sensitivities(singular, plural, pairs);
  const mean = moved.reduce((sum, move) => sum + move, 0) / moved.length;
  const right = moved.filter((move) => move > 0).length;
  return [
    `${verbs.length} verbs, ${kind}`,
    mean.toFixed(2),
    `${right} of ${moved.length}`,
    share(equallyWeighted(forms(singular, pairs, SINGULAR)), 2),
    share(equallyWeighted(forms(plural, pairs, PLURAL)), 2),
  ];
}
