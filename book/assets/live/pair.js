/* A minimal pair, token by token: the surprisal of each, where the sentences part, which one is the likelier. */

import { surprisals } from "./api.js";
import { asking, typed, words } from "./asking.js";
import { Problem } from "./model.js";
import * as state from "./state.js";
import { counted, visible } from "./text.js";

const { button, el, field, table } = window.tseCommon;
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

/* The tokens of both sentences side by side, with their bits; those that differ are in bold from the first on. */
function shown(read) {
  const [first, second] = read, differs = first.findIndex(({ token }, place) => token !== second[place]?.token);
  const parting = differs < 0 ? first.length : differs, most = Math.max(...read.flat().map((token) => token.bits), 1);
  const after = read.map((tokens) => (tokens[parting] ? `“${visible(tokens[parting].token)}”` : "its end"));
  const cells = (token, place) => (token ? [
    el(place < parting ? "span" : "strong", {}, el("code", {}, visible(token.token))),
    el("span", {}, el("meter", { max: most, value: token.bits, ariaHidden: "true" }), ` ${token.bits.toFixed(2)}`),
  ] : ["", ""]);
  const rows = Array.from({ length: Math.max(first.length, second.length) }, (_, place) =>
    [String(place + 1), ...cells(first[place], place), ...cells(second[place], place)]);
  const heads = read.flatMap((tokens, place) =>
    [["First", "Second"][place], `${total(tokens).toFixed(2)} bits in ${counted(tokens.length, "token")}`]);
  return [
    el("p", {}, `They differ from token ${parting + 1} on: ${after[0]} against ${after[1]}. ` +
      "What comes before has the same surprisal in both."),
    table("The surprisal of every token, in bits", ["Token", ...heads], rows),
  ];
}
