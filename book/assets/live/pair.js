/* A minimal pair, token by token: the surprisal of each, where the sentences part, which one is the likelier. */

import { surprisals } from "./api.js";
import { asking, typed, words } from "./asking.js";
import { Problem } from "./model.js";
import * as state from "./state.js";
import { counted, visible } from "./text.js";

const { button, el, field } = window.tseCommon;
const TIE = 1e-6; // bits

export function pairPart({ model }) {
  const { a, b } = state.read();
  const first = words(a ?? "The keys to the cabinet are on the table.");
  const second = words(b ?? "The keys to the cabinet is on the table.");
  const swap = () => { [first.value, second.value] = [second.value, first.value]; };

  async function run({ say, results }) {
    const sentences = [first, second].map(typed), read = [];
    if (sentences[0] && sentences[0] === sentences[1]) {
      throw new Problem("The two sentences are the same: change one of them.");
    }
    for (const sentence of sentences) read.push(await surprisals(sentence));
    results.replaceChildren(...shown(read));
    say(verdict(read));
    state.write({ a: sentences[0], b: sentences[1] });
  }
  return asking({
    fields: [field("First sentence", first), field("Second sentence", second)],
    controls: [button("Swap them", swap)],
    model, label: "Compare",
    wanted: Boolean(a),
    run,
  }).node;
}

const total = (tokens) => tokens.reduce((sum, token) => sum + token.bits, 0);

function verdict([first, second]) {
  const difference = total(second) - total(first), bits = Math.abs(difference), times = 2 ** bits;
  if (bits < TIE) return "The two sentences are equally probable.";
  const round = Number(times.toPrecision(2)).toLocaleString("en");
  const said = times < 1e6 ? round : `2 to the power of ${bits.toFixed(0)}`;
  const winner = difference > 0 ? "first" : "second";
  return `The ${winner} sentence wins, by ${bits.toFixed(2)} bits: it is ${said} times as probable.`;
}

function shown(read) {
  const [first, second] = read, most = Math.max(...read.flat().map((token) => token.bits), 1);
  const differs = first.findIndex(({ token }, place) => token !== second[place]?.token);
  const parting = differs < 0 ? first.length : differs;
  const after = read.map((tokens) => (tokens[parting] ? `“${visible(tokens[parting].token)}”` : "its end"));
  const column = ({ token, bits }, place) =>
    el("li", { className: place < parting ? "live-same" : place === parting ? "live-parting" : "" },
      el("span", { className: "live-column", ariaHidden: "true" },
        el("span", { style: `height: ${100 * bits / most}%` })),
      el("code", {}, visible(token)), el("span", {}, bits.toFixed(2)));
  const sentence = (tokens, which) => el("figure", { className: "live-sentence" },
    el("figcaption", {}, `${which} sentence: ${total(tokens).toFixed(2)} bits in ${counted(tokens.length, "token")}`),
    el("ol", {}, ...tokens.map(column)));
  const parted = `They part at token ${parting + 1}: ${after[0]} against ${after[1]}. ` +
    "What stands before costs both the same. The number below a token is its surprisal in bits.";
  return [sentence(first, "First"), sentence(second, "Second"), el("p", { className: "live-quiet" }, parted)];
}
