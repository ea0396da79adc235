/* The slider of the front page: at each cut-off the verbs that go wrong, both forms on an axis that does not move. */
(function () {
  "use strict";
  const { el } = window.tseCommon;
  const steps = JSON.parse(document.getElementById("front-steps").textContent);
  const LOWEST = -9; // the axis begins at 10^-9
  const LINES = 8; // what a step shows at most
  const plain = (value) => value.toLocaleString("en", { maximumFractionDigits: 7 });
  const named = ({ side, cutoff }) => {
    const kind = side === "top" ? "the likeliest entries" : "the least likely entries";
    return cutoff === 1 ? "all entries of the vocabulary" : `${kind} that hold ${plain(100 * cutoff)} % of the probability`;
  };

  const whole = steps.findIndex((step) => step.cutoff === 1);
  const max = steps.length - 1;
  const kindOfRows = (wrong) => {
    if (wrong === 0) return "The likeliest verbs among them:";
    if (wrong < LINES) return "The errors among them, then the likeliest of the other verbs:";
    return "The likeliest errors among them:";
  };
  const range = el("input", { type: "range", min: 0, max, step: 1, value: whole, on: { input: show } });
  const output = el("output"), said = el("p", { role: "status" });
  const heading = el("p", { className: "front-kind" }), rows = el("div", { className: "front-chart", role: "img" });
  const label = el("label", { className: "front-cut" }, "Verbs among ", output, range);
  document.querySelector(".front-slider").replaceChildren(label, said, heading, rows);

  const line = (label, ...rest) =>
    el("div", { className: "front-row" }, el("span", { className: "front-label" }, label), ...rest);

  function row([correct, wrong, p, q]) {
    const mark = (kind, word, value) => el("i", {
      className: `front-mark front-${kind}`, title: `${word} ${plain(value)}`,
      style: `left: ${Math.max(0, 100 * (1 - Math.log10(value) / LOWEST))}%`,
    });
    const track = el("span", { className: "front-track" }, mark("correct", correct, p), mark("wrong", wrong, q));
    const drawn = line(p > q ? correct : wrong, track);
    drawn.classList.toggle("front-fails", q >= p);
    return drawn;
  }

  function axis() {
    const powers = ["one in a billion", "one in a million", "one in a thousand", "1"];
    const drawn = line("", el("span", { className: "front-ticks" }, ...powers.map((power) => el("span", {}, power))));
    drawn.classList.add("front-axis");
    return drawn;
  }

  function show() {
    const step = steps[range.value], { verbs, inside, wrong } = step;
    output.textContent = named(step);
    range.setAttribute("aria-valuetext", named(step));
    said.textContent = `${inside === 1 ? "1 verb" : `${inside} verbs`} among them; ${wrong || "none"} wrong. ` +
      `EW ${step.ew.toFixed(2)}, MW ${step.mw.toFixed(2)}.`;
    heading.textContent = kindOfRows(wrong);
    const listed = verbs.map(([right, other, p, q]) => (q >= p ? `${other} (wrong)` : right));
    rows.setAttribute("aria-label", `${said.textContent} Shown: ${listed.join(", ")}`);
    const empty = Array.from({ length: LINES - verbs.length }, () => line("\u00a0"));
    rows.replaceChildren(...verbs.map(row), ...empty, axis());
  }
  show();
})();
