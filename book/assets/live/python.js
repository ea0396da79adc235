/* What a reader did on the page, as a call of the package. */

/** A text as Python writes it. */
const quoted = (text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

export function asPython({ model, list }, contexts, { side, cutoff }) {
  const shown = side === "top" && cutoff === 1 ? "print(scores.ew, scores.mw)" : `print(scores.curves.query("side == '${side}' and cutoff == ${cutoff}"))`;
  const calls = contexts.map(({ left, number }) => `scores = tse_core.score_context(model, ${quoted(left)}, number=${quoted(["singular", "plural"][number])}, lemmas=${quoted(list)})\n${shown}`);
  return ["import tse_core", "", `model = tse_core.load_model(${quoted(model.name)})`, ...calls].join("\n");
}
