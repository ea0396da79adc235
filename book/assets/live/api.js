/* The calls that the page offers to scripts, and uses itself: window.tse.ready, .score, .surprisals. */

import { counted } from "./dom.js";
import { ask, load, unlessStopped } from "./engine.js";
import { facts } from "./facts.js";
import { Problem } from "./problems.js";
import { equallyWeighted, forms, modelWeighted } from "./scoring.js";
import { plain } from "./spelling.js";
import { shown, tokens } from "./text.js";

const TOP = 20;

/** Load the model; resolves once it can be asked. */
export const ready = () => load();

/** The scores of one context: {ew, mw, top: [{token, p}], lemmas: [{lemma, correct, wrong, agrees}]}.
 *
 * The context is read in plain spelling. number: that of the subject, 0 singular or 1 plural. bos: the id of the token before the text, null for none.
 * lemmas: names from the package's list, or {lemma, singular, plural}. Both default to the package's. */
export async function score({ left, number, bos, lemmas } = {}) {
  const { distribution, verbs } = await distributionAfter({ left, number, bos, lemmas });
  const rated = forms(distribution, verbs.map((verb) => verb.ids), number);
  return {
    ew: equallyWeighted(rated),
    mw: modelWeighted(rated),
    top: await likeliest(distribution, TOP),
    lemmas: rated.map((form, place) => ({ lemma: verbs[place].lemma, ...form })),
  };
}

/** The whole distribution after a context, a Float32Array, and the verbs with their entries. */
export async function distributionAfter({ left, number, bos, lemmas }) {
  if (number !== 0 && number !== 1) throw new Problem("The number must be 0 (singular) or 1 (plural).");
  await load();
  const read = await tokens(plain(String(left ?? "")), "The context");
  const verbs = await listed(lemmas);
  const distribution = await ask("distribution", { ids: [...(await before(bos)), ...read.map((token) => token.id)] });
  return { distribution, verbs };
}

/** The most probable entries, {id, token, p}. */
export async function likeliest(distribution, count) {
  const ids = Array.from(distribution.keys()).sort((a, b) => distribution[b] - distribution[a] || a - b).slice(0, count);
  const pieces = await ask("pieces", { ids });
  return ids.map((id, place) => ({ id, token: shown(pieces[place]), p: distribution[id] }));
}

/** The surprisal of every token of a sentence in plain spelling: [{token, bits, start, end}]. With no BOS token the first has 0 bits. */
export async function surprisals(sentence, { bos } = {}) {
  const goOn = unlessStopped();
  await load();
  const read = await tokens(plain(String(sentence ?? "")), "The sentence"), first = await before(bos);
  goOn();
  const bits = await ask("surprisals", { ids: [...first, ...read.map((token) => token.id)] });
  const all = first.length ? bits : [0, ...bits];
  return read.map(({ text, start, end }, place) => ({ token: text, bits: all[place], start, end }));
}

async function before(bos) {
  const { bos: own, vocabulary } = await facts(), id = bos === undefined ? own : bos;
  if (id === null) return [];
  if (!Number.isInteger(id) || id < 0 || id >= vocabulary) throw new Problem(`The BOS token must be an entry of the vocabulary, 0 to ${vocabulary - 1}, or null.`);
  return [id];
}

async function listed(lemmas) {
  const { lemmas: own } = await facts();
  if (lemmas === undefined) return own;
  if (!Array.isArray(lemmas) || !lemmas.length) throw new Problem("The lemmas must be a list of verbs.");
  return Promise.all(lemmas.map((one) => (typeof one === "string" ? named(one, own) : own.find((verb) => verb.singular === one?.singular && verb.plural === one?.plural) || entered(one ?? {}))));
}

/** A verb of the list, by its lemma or one of its two forms. */
export function named(word, verbs) {
  const found = verbs.find((verb) => [verb.lemma, verb.singular, verb.plural].includes(plain(word)));
  if (!found) throw new Problem(`“${word}” is none of the ${verbs.length} verbs; give both forms, as in “sings/sing”.`);
  return found;
}

/** A verb given by its two forms, each of which must be one entry of the vocabulary. */
export async function entered({ lemma, singular, plural }) {
  if (`${plural ?? ""}`.endsWith("s") && !`${singular ?? ""}`.endsWith("s")) throw new Problem(`The form for a singular subject comes first: “${plural}/${singular}”.`);
  const ids = [];
  for (const form of [singular, plural]) {
    const read = await tokens(` ${plain(String(form ?? ""))}`, "A form of the verb");
    if (read.length !== 1) throw new Problem(`“${form}” is ${counted(read.length, "token")}; the measure compares forms that are single entries of the vocabulary.`);
    ids.push(read[0].id);
  }
  return { lemma: lemma ?? plural, singular, plural, ids };
}
