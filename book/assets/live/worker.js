/* The worker that holds the model: it loads the file, turns text into tokens, and gives probabilities.
 *
 * A request is {id, action, ...}; its answer is {id, value} or {id, fault: {name, message}}. While the model loads,
 * {progress: {loaded, total}} and {phase: "opening"} come in between. Requests are answered one after the other. */

import { Wllama } from "./wllama.js";

globalThis.document = { baseURI: self.location.href }; // the engine asks a page for its address, and here is none

const SHELF = "tse-live-model";
const STALLED = 30_000; // milliseconds without a byte, after which a transfer counts as lost
const SILENT = { debug() {}, log() {}, warn() {}, error() {} };
let model, vocabulary, held = [], stopping = false;
const known = new Map(); // bits of a token after the tokens before it, by their ids

const fault = (name, message) => Object.assign(new Error(message), { name });

/** The model's file: from the browser's shelf, or else from the server, with progress. */
async function modelFile(address, bytes) {
  const shelf = await self.caches?.open(SHELF).catch(() => null);
  const kept = await shelf?.match(address);
  if (kept) return kept.blob();
  const pieces = [], reader = (await asked(address, "the model's file")).body.getReader();
  for (let loaded = 0; ;) {
    const { done, value } = await inTime(reader.read(), "the transfer broke off");
    if (done) break;
    pieces.push(value);
    loaded += value.length;
    postMessage({ progress: { loaded, total: bytes } });
  }
  const file = new Blob(pieces);
  if (file.size !== bytes) throw fault("connection", `${file.size} of ${bytes} bytes came`);
  await shelf?.put(address, new Response(file)).catch(() => {}); // no room: it is fetched again next time
  return file;
}

/** The engine's file at an address of the browser's own: the engine would fetch it itself, and fall silent when it cannot. */
async function engineFile(address) {
  const file = await inTime((await asked(address, "the engine's file")).blob(), "the transfer broke off");
  return URL.createObjectURL(new Blob([file], { type: "application/wasm" }));
}

async function asked(address, what) {
  const response = await inTime(fetch(address), "the server does not answer");
  if (!response.ok) throw fault("missing", `${what} could not be fetched: the server answers ${response.status}`);
  return response;
}

/** The answer, or a fault where it breaks off or none comes: a server that falls silent does not close the connection. */
function inTime(answer, broken) {
  let clock;
  const late = new Promise((_, reject) => {
    clock = setTimeout(() => reject(fault("connection", `nothing came for ${STALLED / 1000} s`)), STALLED);
  });
  const lost = answer.catch(() => { throw fault("connection", broken); });
  return Promise.race([lost, late]).finally(() => clearTimeout(clock));
}

const actions = {
  async load({ wasm, address, bytes, window }) {
    const engine = await engineFile(wasm), file = await modelFile(address, bytes);
    postMessage({ phase: "opening" });
    model = new Wllama({ "single-thread/wllama.wasm": engine }, { suppressNativeLog: true, logger: SILENT });
    await model.loadModel([file], { n_ctx: window, n_batch: window, n_threads: 1 });
    await model.samplingInit({ temp: 1 });
    vocabulary = model.getModelMetadata().hparams.nVocab;
  },

  /** Token ids of a text and the bytes that each stands for. Marks such as <|im_start|> are read as plain text. */
  async encode({ text }) {
    const ids = await model.tokenize(text, false);
    return { ids, pieces: await actions.pieces({ ids }) };
  },

  async pieces({ ids }) {
    const found = [];
    for (const id of ids) found.push(await model.detokenize([id]));
    return found;
  },

  /** The probability of every entry of the vocabulary after these tokens. */
  async distribution({ ids }) {
    await model.kvClear();
    held = [];
    await model.decode(ids, {});
    held = [...ids];
    return probabilities();
  },

  /** Bits of each token after the first, given those before it. */
  async surprisals({ ids }) {
    const bits = [];
    for (let end = 1; end < ids.length; end += 1) {
      if (stopping) throw fault("stopped", "stopped");
      const key = ids.slice(0, end + 1).join();
      if (!known.has(key)) {
        await hold(ids.slice(0, end));
        known.set(key, -Math.log2((await probabilities())[ids[end]]));
      }
      bits.push(known.get(key));
    }
    return bits;
  },

  async resume() { stopping = false; },
};

/** Make the model have read exactly these tokens; what it has read already is not read again. */
async function hold(ids) {
  let common = 0;
  while (common < held.length && held[common] === ids[common]) common += 1;
  if (common === held.length && common === ids.length) return;
  const kept = Math.min(common, ids.length - 1); // the last token is read anew, for its distribution
  if (kept) await model.kvRemove(kept, -1);
  else await model.kvClear();
  held = ids.slice(0, kept);
  for (let place = kept; place < ids.length; place += 1) { // one at a time, whatever was read before: same numbers
    await model.decode([ids[place]], { skipLogits: place < ids.length - 1 });
    held.push(ids[place]);
  }
}

/** Float32 probabilities that add up to 1; the engine sums them in single precision. */
async function probabilities() {
  const found = new Float32Array(vocabulary);
  let total = 0;
  for (const { token, p } of await model.getLogits(-1)) {
    found[token] = p;
    total += p;
  }
  if (!(total > 0.5 && total < 2)) throw fault("numbers", `the probabilities add up to ${total}`);
  for (let entry = 0; entry < vocabulary; entry += 1) found[entry] /= total;
  return found;
}

let queue = Promise.resolve();
self.onmessage = ({ data }) => {
  if (data.action === "stop") stopping = true;
  else queue = queue.then(() => answer(data));
};
self.addEventListener("unhandledrejection", (event) => postMessage({ fault: described(event.reason) }));

async function answer({ id, action, ...request }) {
  try {
    const value = await actions[action](request);
    postMessage({ id, value }, value instanceof Float32Array ? [value.buffer] : []);
  } catch (problem) {
    postMessage({ id, fault: described(problem) });
  }
}
const described = (problem) => ({ name: String(problem?.name || "Error"), message: String(problem?.message || problem) });
