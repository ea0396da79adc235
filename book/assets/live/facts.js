/* What the build knows and the page needs: the verb list with its vocabulary entries, the BOS token, the model's file,
 * and the package's own scores for the self-check. Written by book/make/live.py. */

import { Problem } from "./problems.js";

let fetched = null;

/** The facts, fetched once. */
export function facts() {
  fetched ??= fetch(new URL("facts.json", import.meta.url))
    .catch(() => { throw new Problem("The connection was lost. Load the page again."); })
    .then((response) => {
      if (!response.ok) throw new Problem(`The page's data could not be fetched: the server answers ${response.status}.`);
      return response.json();
    })
    .catch((problem) => { fetched = null; throw problem; });
  return fetched;
}

export const megabytes = (bytes) => Math.round(bytes / 1e6);

/** Vocabulary entry -> {form, lemma} for the entries that are a form of a verb; correct goes before wrong before past. */
export function marks({ lemmas, past }, number) {
  const found = new Map(past.map(([entry, lemma]) => [entry, { form: "past", lemma }]));
  for (const { lemma, ids } of lemmas) found.set(ids[1 - number], { form: "wrong", lemma });
  for (const { lemma, ids } of lemmas) found.set(ids[number], { form: "correct", lemma });
  return found;
}
