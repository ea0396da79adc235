/* One or two contexts, side by side: what they are, and what the model makes of them. */

import { distributionAfter, entered, likeliest, named } from "./api.js";
import { button, copy, el, field, statusLine } from "./dom.js";
import { events, load, status } from "./engine.js";
import { marks, megabytes } from "./facts.js";
import { Problem } from "./problems.js";
import { asPython } from "./python.js";
import { card, cutName } from "./result.js";
import { cutoffScores, forms } from "./scoring.js";
import { plain, typed } from "./spelling.js";
import * as state from "./state.js";

const SHOWN = 10;

export function contextPart(facts) {
  const asked = state.read(), cuts = ["top", "bottom"].flatMap((side) => facts.cutoffs[side].map((cutoff, place) => ({ side, place, cutoff })));
  const first = entry("The context", asked.left ?? "The keys to the cabinet", asked.number ?? "plural", "number");
  const second = entry("A second context (optional)", asked.left2 ?? "", asked.number2 ?? "singular", "number2");
  const verb = el("input", { type: "text", value: asked.verb ?? "be", autocomplete: "off", spellcheck: false });
  const whole = cuts.findIndex(({ side, cutoff }) => side === "top" && cutoff === 1);
  const wanted = cuts.findIndex(({ side, cutoff }) => `${side}-${cutoff}` === asked.cut);
  const slider = el("input", { type: "range", min: 0, max: cuts.length - 1, step: 1, value: wanted < 0 ? whole : wanted, on: { input: redraw } });
  const cutLabel = el("output", {}), go = el("button", { type: "submit", className: "live-main" });
  const results = el("div", { className: "live-results", "aria-live": "off" }), { line, say } = statusLine();
  const code = el("pre", { className: "live-code", hidden: true, tabIndex: 0, "aria-label": "The same in Python" });
  let scored = [], turn = 0;

  const pick = el("select", { on: { change: () => choose(facts.contexts[pick.value]) } }, el("option", { value: "", textContent: "…" }),
    ...facts.contexts.map((one, place) => el("option", { value: place, textContent: `${one.left} (${one.construction})` })));
  function choose(context) {
    if (!context) return;
    first.set(context);
    run();
  }

  /* Score what is typed. An answer that comes after a newer question is dropped. */
  async function run(event) {
    event?.preventDefault();
    turn += 1;
    const mine = turn, contexts = [first.get(), second.get()].filter((one, place) => place === 0 || one.left);
    say(status.state === "ready" ? "The model is reading." : "The model is being loaded; then it reads.");
    try {
      const found = [];
      for (const context of contexts) found.push(await scores(context));
      if (mine !== turn) return;
      scored = found;
      state.write({ left: contexts[0].left, number: name(contexts[0]), left2: contexts[1]?.left, number2: contexts[1] && name(contexts[1]), verb: plain(verb.value), cut: cutKey() });
      say(`Done in ${(found.reduce((sum, one) => sum + one.milliseconds, 0) / 1000).toFixed(2)} s.`);
      await redraw();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (mine !== turn) return;
      scored = [];
      results.replaceChildren();
      say(problem.message, true);
    }
  }

  async function scores({ left, number }) {
    if (!left) throw new Problem("The context is empty: type at least one word.");
    await load();
    const began = performance.now(), { distribution, verbs } = await distributionAfter({ left, number });
    const pairs = verbs.map((one) => one.ids), known = marks(facts, number);
    const top = (await likeliest(distribution, SHOWN)).map((one) => ({ ...one, ...(known.get(one.id) ?? { form: "other", lemma: "" }) }));
    const sums = { correct: 0, wrong: 0, past: 0, other: 1 };
    for (const [id, { form }] of known) {
      sums[form] += distribution[id];
      sums.other -= distribution[id];
    }
    return {
      left, number, distribution, top, sums,
      rated: forms(distribution, pairs, number).map((form, place) => ({ ...form, ...verbs[place] })),
      curves: cutoffScores(distribution, pairs, number, facts.cutoffs),
      milliseconds: performance.now() - began,
    };
  }

  async function redraw() {
    const cut = cuts[slider.value];
    cutLabel.textContent = cutName(cut);
    slider.setAttribute("aria-valuetext", cutName(cut));
    const asking = plain(verb.value) ? await theVerb(verb.value) : null;
    results.replaceChildren(...scored.map((one) => card(one, cut, asking)));
    if (scored.length) state.write({ verb: plain(verb.value), cut: cutKey() });
  }
  const cutKey = () => (Number(slider.value) === whole ? "" : `${cuts[slider.value].side}-${cuts[slider.value].cutoff}`);

  /* The verb that is asked about: {lemma, singular, plural, ids}, or {message} where the measure has no answer. */
  async function theVerb(text) {
    try {
      const [singular, plural] = text.split("/").map((form) => plain(form));
      return plural === undefined ? named(text, facts.lemmas) : await entered({ singular, plural });
    } catch (problem) {
      return { message: problem.message };
    }
  }

  async function share(text, what) {
    code.hidden = false;
    code.textContent = text;
    say((await copy(text)) ? `${what} is copied.` : `${what} is below: copy it from there.`);
  }
  const link = () => share(location.href, "The link");
  const python = () => share(asPython(facts, [first.get(), second.get()].filter((one) => one.left), cuts[slider.value]), "The Python call");

  function label() { go.textContent = status.state === "ready" ? "Score" : `Load the model (${megabytes(facts.model.bytes)} MB) and score`; }
  events.addEventListener("state", () => {
    label();
    if (status.state === "ready" && asked.left && !turn) run();
  });
  label();
  redraw();
  verb.addEventListener("change", redraw);
  const form = el("form", { on: { submit: run }, className: "live-form" },
    field("Pick one of the paper's contexts", pick), el("div", { className: "live-two" }, first.box, second.box),
    el("div", { className: "live-two" }, field("A verb, for TSE: one of the list, or both forms (sings/sing)", verb),
      field("Cut-off", el("span", { className: "live-row" }, slider, cutLabel))),
    el("div", { className: "live-row" }, go, button("Copy a link to this", link), button("Copy as Python", python)));
  return el("div", {}, form, line, code, results);
}

const name = ({ number }) => ["singular", "plural"][number];

/* The fields of one context. */
function entry(title, left, number, group) {
  const text = el("input", { type: "text", value: left, autocomplete: "off", spellcheck: false });
  const choices = ["singular", "plural"].map((one) => el("input", { type: "radio", name: group, value: one, checked: one === number }));
  const box = el("fieldset", {}, el("legend", { textContent: title }), field("The words before the verb", text),
    el("span", { className: "live-row" }, "Its subject is", ...choices.map((choice) => el("label", {}, choice, ` ${choice.value}`))));
  return {
    box,
    get: () => ({ left: typed(text), number: choices[1].checked ? 1 : 0 }),
    set: (context) => { text.value = context.left; choices[context.number].checked = true; },
  };
}
