/* The model as the page sees it: it is loaded, asked, stopped and given up. The work is done in worker.js.
 *
 * `events` tells of changes: "state" (idle, loading, opening, ready, failed) and "progress". */

import { facts } from "./facts.js";
import { Problem, explained, obstacle } from "./problems.js";

export const WINDOW = 512; // tokens that the page lets the model read
export const MEMORY = 350; // MB that a page with the model takes, measured in Chromium
const AGAIN = "Nothing is broken: load the model again.";

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
  loading ??= start().catch((fault) => {
    loading = null;
    dismiss();
    const problem = explained(fault, MEMORY);
    if (problem.cancelled) change("idle");
    else change("failed", { problem });
    throw problem;
  });
  return loading;
}

async function start() {
  const why = obstacle();
  if (why) throw new Problem(why);
  const { model } = await facts();
  if (!model.file) throw new Problem("This copy of the book was built without the model.");
  const began = performance.now();
  change("loading", { loaded: 0, total: model.bytes });
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = received;
  worker.onerror = (event) => {
    event.preventDefault();
    failAll(new Problem(event.message ? `The model's engine stopped: ${event.message}` : `The model's engine could not be fetched: the connection was lost. ${AGAIN}`));
  };
  await ask("load", {
    wasm: new URL("wllama.wasm", import.meta.url).href,
    address: new URL(`${model.file}?${model.sha256.slice(0, 16)}`, import.meta.url).href,
    bytes: model.bytes,
    window: WINDOW,
  });
  change("ready", { seconds: (performance.now() - began) / 1000 });
}

/** Give up loading. What was fetched so far is dropped. */
export function cancel() {
  const problem = new Problem("Loading was cancelled.");
  problem.cancelled = true;
  failAll(problem);
}

/** Whether the browser holds the model's file from an earlier visit. */
export async function kept() {
  const { model } = await facts();
  if (!model.file || !window.caches) return false;
  const address = new URL(`${model.file}?${model.sha256.slice(0, 16)}`, import.meta.url).href;
  return Boolean(await caches.match(address).catch(() => null));
}

/** The answer of the worker to one request. */
export function ask(action, request = {}) {
  if (!worker) return Promise.reject(new Problem("The model is not loaded."));
  last += 1;
  const id = last;
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

function said({ name, message }) {
  if (name === "connection") return new Problem(`The connection was lost while the model was loading (${message}). ${AGAIN}`);
  if (name === "missing") return new Problem(`This copy of the book is not whole: ${message}.`);
  if (name === "stopped") return stopped();
  return explained(name === "RangeError" ? new RangeError(message) : new Error(message), MEMORY);
}

function failAll(problem) {
  for (const { reject } of waiting.values()) reject(problem);
  waiting.clear();
  if (status.state === "ready") {
    loading = null;
    dismiss();
    change("failed", { problem });
  }
}

function dismiss() {
  worker?.terminate();
  worker = null;
}
