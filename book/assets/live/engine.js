/* The model as the page sees it: what the build knows of it; it is loaded, asked, stopped and given up. worker.js does the work.
 *
 * `events` tells of changes: "state" (idle, loading, opening, ready, failed) and "progress". */

export const WINDOW = 512; // tokens that the page lets the model read
export const MEMORY = 350; // MB that a page with the model takes, measured in Chromium
const AGAIN = "Nothing is broken: load the model again.";
const OUT_OF_MEMORY = /memory|alloc|out of bounds|OOM|Array buffer/i;

/** What a reader is told in one sentence. `stopped` or `cancelled` where the reader asked for it. */
export class Problem extends Error {}

let fetched = null;

/** What book/make/live.py knows of the model and its verbs, fetched once. */
export function facts() {
  fetched ??= fetchFacts().catch((problem) => {
    fetched = null;
    throw problem;
  });
  return fetched;
}

async function fetchFacts() {
  const answer = await fetch(new URL("facts.json", import.meta.url)).catch(() => null);
  if (!answer) throw new Problem("The connection was lost. Load the page again.");
  if (!answer.ok) throw new Problem(`The page's data could not be fetched: the server answers ${answer.status}.`);
  const found = await answer.json();
  if (!found.model.file) throw new Problem("This copy of the book was built without the model.");
  return found;
}

export const events = new EventTarget();
export const status = { state: "idle", loaded: 0, total: 0, seconds: 0, problem: null };
let worker = null, loading = null, last = 0, stops = 0;
const waiting = new Map();

function change(state, more) {
  Object.assign(status, { state, problem: null }, more);
  events.dispatchEvent(new Event("state"));
}

/** Load the model once; further calls get the same promise. Rejects with a Problem. */
export function load() {
  loading ??= start().catch((problem) => {
    dismiss();
    if (problem.cancelled) change("idle");
    else change("failed", { problem });
    throw problem;
  });
  return loading;
}

async function start() {
  const { model } = await facts();
  const began = performance.now();
  change("loading", { loaded: 0, total: model.bytes });
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = received;
  worker.onerror = (event) => {
    event.preventDefault();
    const lost = `The model's engine could not be fetched: the connection was lost. ${AGAIN}`;
    failAll(new Problem(event.message ? `The model's engine stopped: ${event.message}` : lost));
  };
  const wasm = new URL("wllama.wasm", import.meta.url).href;
  await ask("load", { wasm, address: addressOf(model), bytes: model.bytes, window: WINDOW });
  change("ready", { seconds: (performance.now() - began) / 1000 });
}

const addressOf = (model) => new URL(`${model.file}?${model.sha256.slice(0, 16)}`, import.meta.url).href;

/** Whether the browser holds the model's file from an earlier visit. */
export const kept = async (model) => Boolean(await window.caches?.match(addressOf(model)).catch(() => null));

/** Give up loading. What was fetched so far is dropped. */
export const cancel = () => failAll(Object.assign(new Problem("Loading was cancelled."), { cancelled: true }));

/** The answer of the worker to one request. */
export function ask(action, request = {}) {
  if (!worker) return Promise.reject(new Problem("The model is not loaded."));
  const id = ++last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, action, ...request });
  });
}

/** End what is being computed; requests under way are rejected with a Problem that says so. */
export async function stop() {
  stops += 1;
  worker?.postMessage({ action: "stop" });
  if (worker) await ask("resume");
}

/** A function that throws the Problem "Stopped." once `stop` has been called after now: for what takes several requests. */
export function unlessStopped() {
  const before = stops;
  return () => { if (stops !== before) throw stopped(); };
}
const stopped = () => Object.assign(new Problem("Stopped."), { stopped: true });

function received({ data }) {
  if (data.progress) {
    Object.assign(status, data.progress);
    events.dispatchEvent(new Event("progress"));
  } else if (data.phase === "opening") change("opening");
  else if (data.id) {
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.fault) reject(said(data.fault));
    else resolve(data.value);
  } else if (data.fault) failAll(said(data.fault));
}

/* The sentence for a fault of the worker or of the engine in it. */
function said({ name, message }) {
  if (name === "stopped") return stopped();
  if (name === "connection") return new Problem(`The connection was lost while the model was loading (${message}). ${AGAIN}`);
  if (name === "missing") return new Problem(`This copy of the book is not whole: ${message}.`);
  if (name === "RangeError" || OUT_OF_MEMORY.test(message)) {
    return new Problem(`This device has too little free memory for the model, which needs about ${MEMORY} MB. Close other pages, or use another device.`);
  }
  return new Problem(`The model could not be used: ${message}`);
}

function failAll(problem) {
  for (const { reject } of waiting.values()) reject(problem);
  waiting.clear();
  if (status.state !== "ready") return;
  dismiss();
  change("failed", { problem });
}

function dismiss() {
  worker?.terminate();
  [worker, loading] = [null, null];
}
