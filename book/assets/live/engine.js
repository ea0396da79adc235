/* What the page knows of its model: the facts of the build, and whether it is loaded; loading, giving up and stopping.
 *
 * `events` tells of changes: "state" (idle, loading, ready, failed) and "progress". */

import { Problem, open } from "./model.js";

let known = null;

/** What book/make/live.py knows of the model and its verbs, fetched once. */
export const facts = () => (known ??= fetchFacts());

async function fetchFacts() {
  const answer = await fetch(new URL("facts.json", import.meta.url)).catch(() => null);
  if (!answer) throw new Problem("The connection was lost. Load the page again.");
  if (!answer.ok) throw new Problem(`The page's data could not be fetched: the server answers ${answer.status}.`);
  const found = await answer.json();
  if (!found.model.file) throw new Problem("This copy of the book was built without the model.");
  return found;
}

export const events = new EventTarget();
export const status = { state: "idle", loaded: 0, seconds: 0, problem: null };
let loading = null, given = null, stops = 0;

function change(state, more) {
  Object.assign(status, { state }, more);
  events.dispatchEvent(new Event("state"));
}

/** Load the model once; further calls get the same promise. Rejects with a Problem. */
export function load() {
  loading ??= start().catch((problem) => {
    loading = null;
    change(problem.cancelled ? "idle" : "failed", { problem });
    throw problem;
  });
  return loading;
}

async function start() {
  const { model } = await facts(), began = performance.now();
  given = new AbortController();
  const { signal } = given;
  const givenUp = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const progress = (loaded) => {
    status.loaded = loaded;
    events.dispatchEvent(new Event("progress"));
  };
  change("loading", { loaded: 0 });
  await Promise.race([open(model, signal, progress), givenUp]);
  change("ready", { seconds: (performance.now() - began) / 1000 });
}

/** Give up loading. What was fetched so far is dropped. */
export const cancel = () => given.abort(Object.assign(new Problem("Loading was cancelled."), { cancelled: true }));

/** End what is being computed. */
export const stop = () => { stops += 1; };

/** A function that throws the Problem "Stopped." once `stop` has been called after now. */
export function unlessStopped() {
  const before = stops;
  return () => { if (stops !== before) throw Object.assign(new Problem("Stopped."), { stopped: true }); };
}
