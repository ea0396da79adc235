/* The calls that the page offers to scripts, and uses itself: window.tse.ready, .score, .surprisals. */

import { facts, load, unlessStopped } from "./engine.js";
import * as model from "./model.js";
import { equallyWeighted, forms, modelWeighted } from "./scoring.js";
import { counted, decoded } from "./text.js";

const { Problem, WINDOW } = model;

const { trimmed } = window.tseCommon;
const TOP = 20;

/** Load the model; resolves once it can be asked. */
export const ready = load;

/** The scores of one context: {ew, mw, top: [{token, p}], lemmas: [{lemma, correct, wrong, agrees}]}.
 * number: that of the subject, 0 singular or 1 plural. */
export async function score({ left, number } = {}) {
  const distribution = await distributionAfter(left, number), { lemmas } = await facts();
  const rated = forms(distribution, lemmas.map((verb) => verb.ids), number);
  return {
    ew: equallyWeighted(rated),
    mw: modelWeighted(rated),
    top: await likeliest(distribution, TOP),
    lemmas: rated.map((form, place) => ({ lemma: lemmas[place].lemma, ...form })),
  };
}

/** The whole distribution after a context, a Float32Array. */
export async function distributionAfter(left, number) {
  if (number !== 0 && number !== 1) throw new Problem("The number must be 0 (singular) or 1 (plural).");
  const read = await tokens(left, "The context"), { bos } = await facts();
  return model.distribution([bos, ...read.map((token) => token.id)]);
}

/** The most probable entries, {id, token, p}. */
export async function likeliest(distribution, count) {
  const order = Array.from(distribution.keys()).sort((a, b) => distribution[b] - distribution[a] || a - b);
  const ids = order.slice(0, count), texts = await model.textsOf(ids);
  return ids.map((id, place) => ({ id, token: texts[place], p: distribution[id] }));
}

/** The surprisal of every token of a sentence: [{token, bits, start, end}]. */
export async function surprisals(sentence) {
  const goOn = unlessStopped(), read = await tokens(sentence, "The sentence"), { bos } = await facts();
  const bits = await model.surprisals([bos, ...read.map((token) => token.id)], goOn);
  return read.map(({ token, start, end }, place) => ({ token, bits: bits[place], start, end }));
}

/* The tokens of a text: [{id, token, start, end}], the places counted in characters of the text without white
 * space at its ends. */
async function tokens(given, what) {
  const text = trimmed(String(given ?? ""));
  if (!text) throw new Problem(`${what} is empty: type at least one word.`);
  if (!text.isWellFormed()) throw new Problem(`${what} holds half of a character; type it again.`);
  const mark = (await facts()).marks.find((one) => text.includes(one));
  if (mark) throw new Problem(`${what} holds ${mark}, which the tokenizer keeps for its own use; leave it out.`);
  await load();
  const { ids, pieces } = await model.encode(text);
  if (ids.length >= WINDOW) {
    throw new Problem(`${what} is ${counted(ids.length, "token")} long; the page reads up to ${WINDOW - 1}.`);
  }
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let end = 0;
  const found = ids.map((id, place) => {
    const start = end;
    end += decoder.decode(pieces[place], { stream: true }).length;
    return { id, token: decoded(pieces[place]), start, end };
  });
  if (end !== text.length) {
    throw new Problem(`The tokenizer does not read ${what.toLowerCase()} as it is written; type it again.`);
  }
  return found;
}
