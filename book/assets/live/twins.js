/* Twins: two contexts that differ in the number of the subject alone, without an adverb and with one. EW by kind of
 * verb, and number sensitivity. */

import { distributionAfter } from "./api.js";
import { asking, typed, words } from "./asking.js";
import { Problem } from "./model.js";
import { KINDS, KINDS_AND_ALL, equallyWeighted, forms, numberSensitivity } from "./scoring.js";
import * as state from "./state.js";
import { share } from "./text.js";

const { el, field, table } = window.tseCommon;

export function twinsPart({ model, lemmas }) {
  const given = { singular: "The author", plural: "The authors", adverb: "often", ...state.read() };
  const inputs = [given.singular, given.plural, given.adverb].map(words);

  async function run({ say, results, goOn }) {
    const [singular, plural, adverb] = inputs.map(typed), read = [];
    if (!singular || !plural) {
      throw new Problem("Type a context with a singular subject and the same context with a plural one.");
    }
    if (singular === plural) {
      throw new Problem("The two contexts are the same: change the number of the subject in one of them.");
    }
    if (!adverb) throw new Problem("Type an adverb, such as often, always or probably.");
    for (const between of ["", ` ${adverb}`]) {
      const twins = [];
      for (const [number, context] of [singular, plural].entries()) {
        twins.push(await distributionAfter(context + between, number));
        goOn();
      }
      read.push(twins);
    }
    const rows = KINDS_AND_ALL.map(([kind, holds]) => changes(kind, read, lemmas.filter(holds)));
    const heads = ["", `EW after “${singular}”`, `EW after “${plural}”`, "number sensitivity"];
    results.replaceChildren(table(`Without an adverb → with “${adverb}”`, heads, rows));
    const said = rows.slice(0, 2).map(([, ew], place) => `${KINDS[place][0]} ${ew}`).join(", ");
    say(`EW after the singular subject, without → with “${adverb}”: ${said}.`);
    state.write({ singular, plural, adverb });
  }
  const titles = ["Singular subject", "The same context with a plural subject", "Adverb before the verb"];
  return asking({
    fields: [el("div", { className: "live-two" }, ...titles.map((title, place) => field(title, inputs[place])))],
    model, label: "Compare",
    wanted: "singular" in state.read(),
    run,
  }).node;
}

/* A row of the table: what one kind of verb scores without the adverb and with it. */
function changes(kind, read, verbs) {
  const pairs = verbs.map((verb) => verb.ids);
  const scored = read.map(([singular, plural]) => [
    equallyWeighted(forms(singular, pairs, 0)),
    equallyWeighted(forms(plural, pairs, 1)),
    numberSensitivity(singular, plural, pairs),
  ]);
  const [without, including] = scored;
  const cells = without.map((value, place) => `${share(value, 2)} → ${share(including[place], 2)}`);
  return [`${verbs.length} verbs, ${kind}`, ...cells];
}
