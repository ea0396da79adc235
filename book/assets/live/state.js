/* What the page shows, in the part of its address after the #: a link carries it, and no server is ever sent it.
 *
 *   #left=The+keys+to+the+cabinet&number=plural
 *    left, number      the context and the number of its subject (singular, plural)
 *    left2, number2    a second one beside it
 *    verb              a verb whose TSE is shown: a lemma, or both forms, sings/sing
 *    cut               a cut-off: top-0.3, bottom-0.01
 *    a, b              the two sentences of a minimal pair
 *    singular, plural, adverb   twins: the context in both numbers, and the adverb */

const KEYS = ["left", "number", "left2", "number2", "verb", "cut", "a", "b", "singular", "plural", "adverb"];

export function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(KEYS.filter((key) => given.has(key)).map((key) => [key, given.get(key)]));
}

/** Change some of the state; an empty text takes its key away. */
export function write(changes) {
  const state = { ...read(), ...changes };
  const kept = new URLSearchParams(KEYS.filter((key) => state[key]).map((key) => [key, state[key]]));
  history.replaceState(null, "", `#${kept}`);
}
