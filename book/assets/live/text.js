/* Numbers and tokens as a person reads them. */

export const NUMBERS = ["singular", "plural"]; // of a subject; in this order wherever there is one of each

export const share = (value, digits = 3) => (value === null || Number.isNaN(value) ? "–" : value.toFixed(digits));

/** A probability in per cent, in plain decimals, with as many digits as a small one needs. */
export function percent(p) {
  const digits = p >= 0.1 ? 1 : 2;
  const small = (100 * p).toLocaleString("en", { maximumSignificantDigits: 2 });
  return `${p >= 0.001 ? (100 * p).toFixed(digits) : small}\u00a0%`;
}

/** A count with its noun: "1 token", "2 tokens". */
export const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

export const megabytes = (bytes) => Math.round(bytes / 1e6);

/** A cut-off {side, cutoff}: "all verbs", "bottom 0.1 %". */
export const cutName = ({ side, cutoff }) =>
  side === "top" && cutoff === 1 ? "all verbs" : `${side} ${Number((100 * cutoff).toPrecision(3))} %`;

/** The text of a token's bytes. */
export const decoded = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** A token with its spaces made visible. */
export const visible = (token) => token.replace(/ /g, "␣").replace(/\n/g, "⏎").replace(/\t/g, "⇥");
