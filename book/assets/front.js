/* The slider of the front page: at each cut-off the verbs that go wrong, both forms on one axis that stays where it is. */
(function () {
  "use strict";
  const steps = JSON.parse(document.getElementById("front-steps").textContent);
  const place = document.querySelector(".front-slider"), LOWEST = -9; // the axis begins at 10^-9
  const make = (tag, className, text) => Object.assign(document.createElement(tag), { className: className || "", textContent: text || "" });
  const named = (step) => step.cutoff === 1 ? "all entries" : (step.side === "top" ? "the likeliest " : "the least likely ") + plain(100 * step.cutoff) + " % of all entries";
  const plain = (value) => value.toLocaleString("en", { maximumFractionDigits: 7 });

  const range = Object.assign(make("input"), { type: "range", min: 0, max: steps.length - 1, step: 1, value: steps.findIndex((step) => step.cutoff === 1) });
  const label = make("label", "front-cut", "Verbs among "), output = make("output"), said = make("p", "front-said-now"), rows = make("div", "front-chart");
  label.append(output, range);
  said.setAttribute("role", "status");
  rows.setAttribute("role", "img");
  place.replaceChildren(label, said, rows);

  const left = (p) => Math.max(0, 100 * (1 - Math.log10(p) / LOWEST)) + "%";
  function row([correct, wrong, p, q]) {
    const line = make("div", "front-row"), track = make("span", "front-track");
    line.append(make("span", "front-label", p > q ? correct : wrong), track);
    for (const [name, value] of [["correct", p], ["wrong", q]]) {
      const mark = make("i", "front-mark front-" + name);
      mark.style.left = left(value);
      mark.title = (name === "correct" ? correct : wrong) + " " + plain(value);
      track.append(mark);
    }
    line.classList.toggle("front-fails", q >= p);
    return line;
  }
  const axis = make("div", "front-row front-axis"), ticks = make("span", "front-ticks");
  for (const power of ["one in a billion", "one in a million", "one in a thousand", "1"]) ticks.append(make("span", "", power));
  axis.append(make("span", "front-label"), ticks);

  function show() {
    const step = steps[range.value], verbs = step.verbs;
    output.textContent = named(step);
    range.setAttribute("aria-valuetext", named(step));
    const counted = step.inside === 1 ? "1 verb is" : step.inside + " verbs are";
    const fails = step.wrong ? step.wrong + " of them " + (step.wrong === 1 ? "goes" : "go") + " wrong" : "none of them goes wrong";
    said.textContent = counted + " inside, " + fails + ". EW " + step.ew.toFixed(2) + ", MW " + step.mw.toFixed(2) + ".";
    rows.setAttribute("aria-label", said.textContent + " Shown: " + verbs.map(([right, wrong, p, q]) => (q >= p ? wrong + " (wrong)" : right)).join(", "));
    const empty = Array.from({ length: 8 - verbs.length }, () => { const line = make("div", "front-row"); line.append(make("span", "front-label", "\u00a0")); return line; });
    rows.replaceChildren(...verbs.map(row), ...empty, axis.cloneNode(true));
  }
  range.addEventListener("input", show);
  show();
})();
