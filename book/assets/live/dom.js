/* Making elements. Text only ever becomes text: no HTML is made from what a reader types. */

export function el(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "on") for (const [event, run] of Object.entries(value)) node.addEventListener(event, run);
    else if (key in node && key !== "list") node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

export const button = (text, run, properties = {}) => el("button", { type: "button", textContent: text, on: { click: run }, ...properties });

export const field = (label, control) => el("label", { className: "live-field" }, el("span", { textContent: label }), control);

/** A table with a caption and a heading for every column; cells are texts or elements. */
export function table(caption, heads, rows) {
  const head = el("tr", {}, ...heads.map((text) => el("th", { scope: "col", textContent: text })));
  const body = rows.map((row) => el("tr", {}, ...row.map((cell) => (cell instanceof Node ? el("td", {}, cell) : el("td", { textContent: cell })))));
  return el("div", { className: "live-scroll", tabIndex: 0, role: "region", "aria-label": caption }, el("table", {}, el("caption", { textContent: caption }), el("thead", {}, head), el("tbody", {}, ...body)));
}

/** A line that tells a reader, and a screen reader, what is going on; `wrong` for what went wrong. */
export function statusLine() {
  const line = el("p", { className: "live-status", role: "status" });
  return {
    line,
    say(text, wrong = false) {
      line.textContent = text;
      line.classList.toggle("live-wrong", wrong);
    },
  };
}

export const share = (value, digits = 3) => (value === null || Number.isNaN(value) ? "–" : value.toFixed(digits));

/** A probability in per cent, in plain decimals, with as many digits as a small one needs. */
export function percent(p) {
  const shown = p >= 0.001 ? (100 * p).toFixed(p >= 0.1 ? 1 : 2) : (100 * p).toLocaleString("en", { maximumSignificantDigits: 2 });
  return `${shown}\u00a0%`;
}

/** A count with its noun: "1 token", "2 tokens". */
export const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/** A token with its spaces made visible. */
export const visible = (token) => token.replace(/ /g, "␣").replace(/\n/g, "⏎").replace(/\t/g, "⇥");

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
