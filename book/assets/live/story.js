/* The front page: its one part that asks the model, loaded on the reader's wish. */

import { facts } from "./facts.js";
import { obstacle, Problem } from "./problems.js";
import { twinsPart } from "./twins.js";

export async function begin(root) {
  const notice = root.querySelector(".live-notice");
  try {
    const known = await facts(), why = obstacle();
    if (why) throw new Problem(`${why} ${root.dataset.instead}`);
    if (!known.model.file) throw new Problem("This copy of the book was built without the model; the chart above shows what was recorded.");
    const part = root.querySelector("[data-part=twins]");
    part.replaceChildren(twinsPart(known, part.dataset));
    notice.remove();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    notice.textContent = problem.message;
  }
}
