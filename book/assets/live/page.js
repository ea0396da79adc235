/* The page "Try it": puts its parts together once it is clear that the model can run. */

import { checkPart } from "./check.js";
import { contextPart } from "./context.js";
import { facts } from "./facts.js";
import { loadingBar } from "./loading.js";
import { pairPart } from "./pair.js";
import { obstacle, Problem } from "./problems.js";
import * as state from "./state.js";
import { twinsPart } from "./twins.js";

window.addEventListener("hashchange", () => { if (location.hash.includes("=")) location.reload(); }); // a link to another state

export async function begin(root) {
  const notice = root.querySelector(".live-notice");
  try {
    const known = await facts(), why = obstacle();
    if (why) throw new Problem(`${why} ${root.dataset.instead}`);
    if (!known.model.file) throw new Problem("This copy of the book was built without the model: you see recorded examples.");
    root.querySelector("[data-part=context]").replaceChildren(await loadingBar(known), contextPart(known));
    document.querySelector("[data-part=pair]").replaceChildren(pairPart(known));
    document.querySelector("[data-part=twins]").replaceChildren(twinsPart(known));
    document.querySelector("[data-part=check]").replaceChildren(checkPart(known));
    notice.remove();
    const { left, a, singular } = state.read(), asked = a ? "pair" : singular ? "twins" : "";
    if (asked && !left) document.querySelector(`[data-part=${asked}]`).scrollIntoView();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    notice.textContent = problem.message;
  }
}
