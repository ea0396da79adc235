/* Text on its way to the model: what cannot be read is refused in one sentence. */

import { counted } from "./dom.js";
import { WINDOW, ask } from "./engine.js";
import { facts } from "./facts.js";
import { Problem } from "./problems.js";

const LONGEST = 20_000; // characters; far more than the window holds

/** The tokens of a text: [{id, text, start, end}], the places counted in characters of the text. */
export async function tokens(text, what) {
  if (!text.trim()) throw new Problem(`${what} is empty: type at least one word.`);
  if (text.length > LONGEST) throw new Problem(`${what} is ${text.length.toLocaleString("en")} characters long; the page reads up to ${WINDOW} tokens.`);
  if (!text.isWellFormed()) throw new Problem(`${what} holds half of a character, which the tokenizer cannot read; type it again.`);
  const mark = (await facts()).marks.find((one) => text.includes(one));
  if (mark) throw new Problem(`${what} holds ${mark}, which the tokenizer keeps for its own use; leave it out.`);
  const { ids, pieces } = await ask("encode", { text });
  if (ids.length >= WINDOW) throw new Problem(`${what} is ${counted(ids.length, "token")} long; the page reads up to ${WINDOW - 1}.`);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let end = 0;
  const found = ids.map((id, place) => {
    const start = end;
    end += decoder.decode(pieces[place], { stream: true }).length;
    return { id, text: shown(pieces[place]), start, end };
  });
  if (end !== text.length) throw new Problem(`${what} does not come back from the tokenizer as it went in; type it again.`);
  return found;
}

/** A token as a person reads it. */
export const shown = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
