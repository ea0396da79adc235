/* EW and MW of one context against the cut-off: the head of the distribution on the left, its tail on the right. */

const SPACE = "http://www.w3.org/2000/svg";
const WIDTH = 360, HEIGHT = 190, LEFT = 30, MIDDLE = 205, RIGHT = 352, TOP = 26, BOTTOM = 156;
const METRICS = [["ew", "EW"], ["mw", "MW"]];

export function curves(scores, chosen) {
  const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "live-chart", role: "img", "aria-label": described(scores) });
  for (const value of [0, 0.5, 1]) {
    for (const [from, to] of [[LEFT, MIDDLE - 18], [MIDDLE, RIGHT]]) chart.append(svg("line", { x1: from, x2: to, y1: y(value), y2: y(value), class: "live-grid" }));
    chart.append(label(value.toFixed(1), LEFT - 5, y(value) + 4, "end"));
  }
  const point = scores[chosen.side][chosen.place], at = x(chosen.side, point.cutoff);
  chart.append(svg("line", { x1: at, x2: at, y1: TOP - 6, y2: BOTTOM, class: "live-cut" }));
  for (const side of ["top", "bottom"]) {
    for (const [key, name] of METRICS) {
      const places = scores[side].filter((one) => one[key] !== null).map((one) => [x(side, one.cutoff), y(one[key])]);
      chart.append(svg("polyline", { points: places.map((place) => place.join()).join(" "), class: `live-line live-${key}`, "data-metric": name }));
      chart.append(...places.map(([px, py]) => dot(key, px, py)));
    }
  }
  const foot = BOTTOM + 16;
  chart.append(label("top 10 %", LEFT, foot, "start"), label("100 %", MIDDLE - 18, foot, "end"));
  chart.append(label("bottom 50 %", MIDDLE, foot, "start"), label("0.0001 %", RIGHT, foot, "end"));
  chart.append(dot("ew", LEFT + 4, 9), label("EW", LEFT + 13, 13, "start"), dot("mw", LEFT + 50, 9), label("MW", LEFT + 60, 13, "start"));
  return chart;
}

/* The head on a straight scale, the tail on a logarithmic one, both towards rarer words on the right. */
function x(side, cutoff) {
  if (side === "top") return LEFT + (MIDDLE - 18 - LEFT) * ((cutoff - 0.1) / 0.9);
  return MIDDLE + (RIGHT - MIDDLE) * (Math.log10(0.5 / cutoff) / Math.log10(0.5 / 1e-6));
}
const y = (value) => BOTTOM - (BOTTOM - TOP) * value;

/* A circle for EW, a diamond for MW, as in every chart of the book. */
function dot(key, px, py) {
  if (key === "ew") return svg("circle", { cx: px, cy: py, r: 3.2, class: "live-dot live-ew" });
  return svg("path", { d: `M${px} ${py - 4.4}L${px + 4.4} ${py}L${px} ${py + 4.4}L${px - 4.4} ${py}Z`, class: "live-dot live-mw" });
}

function described(scores) {
  const said = METRICS.map(([key, name]) => {
    const whole = scores.top.at(-1)[key], tail = scores.bottom.findLast((one) => one[key] !== null);
    return `${name} is ${whole.toFixed(2)} over all verbs${tail ? ` and ${tail[key].toFixed(2)} in the bottom ${Number((100 * tail.cutoff).toPrecision(3))} %` : ""}`;
  });
  return `EW and MW against the cut-off: ${said.join("; ")}.`;
}

function svg(name, attributes) {
  const node = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
function label(text, left, base, anchor) {
  const node = svg("text", { x: left, y: base, "text-anchor": anchor });
  node.textContent = text;
  return node;
}
