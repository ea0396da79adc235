/* The calls that the page offers to scripts, and uses itself: window.tse.ready, .score, .surprisals. */

import { facts, load, unlessStopped } from "./engine.js";
import * as model from "./model.js";
import { equallyWeighted, forms, modelWeighted } from "./scoring.js";
import { counted, decoded } from "./text.js";

const { Problem, WINDOW } = model;

const { plain } = window.tseCommon;
const TOP = 20;
const LONGEST = 20_000; // characters; far more than the window holds

/** Load the model; resolves once it can be asked. */
export const ready = load;

/** The scores of one context: {ew, mw, top: [{token, p}], lemmas: [{lemma, correct, wrong, agrees}]}.
 *
 * The context is read in plain spelling. number: that of the subject, 0 singular or 1 plural. bos: the id of the token
 * before the text, null for none. lemmas: names from the package's list, or {lemma, singular, plural}. Both default to
 * the package's. */
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
  const read = await tokens(left, "The context"), verbs = await listed(lemmas);
  const distribution = await model.distribution([...(await before(bos)), ...read.map((token) => token.id)]);
  return { distribution, verbs };
}

/** The most probable entries, {id, token, p}. */
export async function likeliest(distribution, count) {
  const order = Array.from(distribution.keys()).sort((a, b) => distribution[b] - distribution[a] || a - b);
  const ids = order.slice(0, count), texts = await model.textsOf(ids);
  return ids.map((id, place) => ({ id, token: texts[place], p: distribution[id] }));
}

/** The surprisal of every token of a sentence in plain spelling: [{token, bits, start, end}]. With no BOS token the
 * first has 0 bits. */
export async function surprisals(sentence, { bos } = {}) {
  const goOn = unlessStopped(), read = await tokens(sentence, "The sentence"), first = await before(bos);
  const bits = await model.surprisals([...first, ...read.map((token) => token.id)], goOn);
  const all = first.length ? bits : [0, ...bits];
  return read.map(({ token, start, end }, place) => ({ token, bits: all[place], start, end }));
}

/* The tokens of a text: [{id, token, start, end}], the places counted in characters of the text in plain spelling. */
async function tokens(given, what) {
  const text = plain(String(given ?? ""));
  if (!text) throw new Problem(`${what} is empty: type at least one word.`);
  if (text.length > LONGEST) {
    throw new Problem(`${what} is ${counted(text.length, "character")} long; the page reads up to ${WINDOW} tokens.`);
  }
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
  if (end !== text.length) throw new Problem(`${what} is not read by the tokenizer as it stands; type it again.`);
  return found;
}

async function before(bos) {
  const { bos: own, vocabulary } = await facts(), id = bos === undefined ? own : bos;
  if (id === null) return [];
  if (Number.isInteger(id) && id >= 0 && id < vocabulary) return [id];
  throw new Problem(`The BOS token must be an entry of the vocabulary, 0 to ${vocabulary - 1}, or null.`);
}

async function listed(lemmas) {
  const { lemmas: own } = await facts();
  if (lemmas === undefined) return own;
  if (!Array.isArray(lemmas) || !lemmas.length) throw new Problem("The lemmas must be a list of verbs.");
  return Promise.all(lemmas.map((one) => (typeof one === "string" ? named(one, own) : entered(one ?? {}))));
}

/** A verb of the list, by its lemma or one of its two forms. */
export function named(word, verbs) {
  const found = verbs.find((verb) => [verb.lemma, verb.singular, verb.plural].includes(plain(word)));
  if (!found) {
    throw new Problem(`“${word}” is none of the ${verbs.length} verbs; give both forms, as in “sings/sing”.`);
  }
  return found;
}

/** A verb given by its two forms, each of which must be one entry of the vocabulary. */
export async function entered({ lemma, singular, plural }) {
  if (!singular || !plural) throw new Problem("A verb is given by both its forms, as in “sings/sing”.");
  if (`${plural}`.endsWith("s") && !`${singular}`.endsWith("s")) {
    throw new Problem(`The form for a singular subject comes first: “${plural}/${singular}”.`);
  }
  const ids = [];
  for (const form of [singular, plural]) {
    const read = await model.encode(` ${plain(String(form))}`);
    if (read.ids.length !== 1) {
      const long = counted(read.ids.length, "token");
      throw new Problem(`“${form}” is ${long}; the measure compares forms that are single entries of the vocabulary.`);
    }
    ids.push(...read.ids);
  }
  return { lemma: lemma ?? plural, singular, plural, ids };
}
