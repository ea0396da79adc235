/* The one spelling in which text is read, here and in the package (tse_core.words.plain). */

const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** Letters composed, one space between words, none at the ends. */
export const plain = (text) => text.normalize("NFC").split(SPACES).filter((word) => word).join(" ");

/** What is typed in a field, in plain spelling; from now on the field shows what is read. */
export function typed(input) {
  const text = plain(input.value);
  if (text !== input.value) input.value = text;
  return text;
}
