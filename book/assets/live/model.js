/* The model: the browser fetches its file and keeps it; the engine (llama.cpp in a worker of its own) opens it and
 * answers, one question after the other. */

import { decoded } from "./text.js";

export const WINDOW = 512; // tokens that the page lets the model read
export const MEMORY = 350; // MB that a page with the model takes, measured in Chromium
const SHELF = "tse-live-model";
const SILENT = { debug() {}, log() {}, warn() {}, error() {} };
const OUT_OF_MEMORY = /memory|alloc|out of bounds|OOM|Array buffer/i;
const FORBIDDEN = /blob:|Content Security Policy/i; // of workers, requests or WebAssembly, by the server's policy
let model = null, vocabulary = 0, queue = Promise.resolve();
const known = new Map(); // bits of a token after the tokens before it, by their ids

/** What a reader is told in one sentence. `stopped` or `cancelled` where the reader asked for it. */
export class Problem extends Error {}

/* The sentence for a fault of the engine. */
function explained(fault) {
  if (fault instanceof Problem) return fault;
  if (FORBIDDEN.test(fault?.message)) return forbidden();
  if (!(fault instanceof RangeError) && !OUT_OF_MEMORY.test(fault?.message)) {
    return new Problem(`The model could not be used: ${fault?.message ?? fault}`);
  }
  return new Problem(`This device has too little free memory for the model, which needs about ${MEMORY} MB. ` +
    "Close other pages, or use another device.");
}

const forbidden = () => new Problem("The Content-Security-Policy of this server forbids the engine. " +
  "The page Try it says, under Requirements, what the policy must allow. A copy of the book on another server " +
  "works, too.");

/* Rejects once the browser refuses the engine's worker, of which the engine itself says nothing; until `signal`. */
const refused = (signal) => new Promise((_, reject) => {
  const check = ({ blockedURI }) => { if (blockedURI.startsWith("blob")) reject(forbidden()); };
  document.addEventListener("securitypolicyviolation", check, { signal });
});

const lost = (why) => new Problem(`The connection was lost while the model was loading (${why}). ` +
  "Nothing is broken: load the model again.");

/* A file from the server; `progress(bytes)` is called while it comes. */
async function fetched(address, signal, progress) {
  let loaded = 0;
  const counting = new TransformStream({
    transform(piece, file) {
      loaded += piece.length;
      progress?.(loaded);
      file.enqueue(piece);
    },
  });
  try {
    const answer = await fetch(address, { signal });
    if (answer.ok) return await new Response(answer.body.pipeThrough(counting)).blob();
    throw new Problem(`This copy of the book is incomplete: the server answers ${answer.status} to ${address}.`);
  } catch (fault) {
    signal.throwIfAborted();
    throw fault instanceof Problem ? fault : lost("the transfer broke off");
  }
}

const addressOf = (name) => new URL(name, import.meta.url).href;
const modelAddress = ({ file, sha256 }) => addressOf(`${file}?${sha256.slice(0, 16)}`);

/** Whether the browser holds the model's file from an earlier visit. */
export const kept = async (about) => Boolean(await window.caches?.match(modelAddress(about)).catch(() => null));

async function modelFile(about, signal, progress) {
  const shelf = await window.caches?.open(SHELF).catch(() => null), address = modelAddress(about);
  const here = await shelf?.match(address);
  if (here) return here.blob();
  const file = await fetched(address, signal, progress);
  if (file.size !== about.bytes) throw lost(`${file.size} of ${about.bytes} bytes came`);
  await shelf?.put(address, new Response(file)).catch(() => {}); // no room: it is fetched again next time
  return file;
}

/** Fetch and open a model, until `signal`; `progress(bytes)` is called while it comes. */
export async function open(about, signal, progress) {
  const { Wllama } = await import("./wllama.js").catch(() => { throw lost("the engine did not come"); });
  // The engine would fetch its file itself, and fall silent when it cannot.
  const wasm = new Blob([await fetched(addressOf("wllama.wasm"), signal)], { type: "application/wasm" });
  const file = await modelFile(about, signal, progress);
  signal.throwIfAborted();
  const paths = { "single-thread/wllama.wasm": URL.createObjectURL(wasm) };
  const opened = new Wllama(paths, { suppressNativeLog: true, logger: SILENT }), loading = new AbortController();
  try {
    const loaded = opened.loadModel([file], { n_ctx: WINDOW, n_batch: WINDOW, n_threads: 1 });
    await Promise.race([loaded, refused(loading.signal)]);
    await opened.samplingInit({ temp: 1 });
    signal.throwIfAborted();
  } catch (fault) {
    opened.exit().catch(() => {});
    throw explained(fault);
  } finally {
    loading.abort();
  }
  model = opened;
  vocabulary = opened.getModelMetadata().hparams.nVocab;
}

/* ---- Questions ---- */

function inTurn(ask) {
  const answer = queue.then(() => {
    if (!model) throw new Problem("The model is not loaded.");
    return ask();
  }).catch((fault) => { throw explained(fault); });
  queue = answer.catch(() => {});
  return answer;
}

/** Token ids of a text and the bytes that each stands for. Marks such as <|im_start|> are read as plain text. */
export const encode = (text) => inTurn(async () => {
  const ids = await model.tokenize(text, false);
  return { ids, pieces: await piecesOf(ids) };
});

/** The texts of some entries of the vocabulary. */
export const textsOf = (ids) => inTurn(async () => (await piecesOf(ids)).map(decoded));

async function piecesOf(ids) {
  const pieces = [];
  for (const id of ids) pieces.push(await model.detokenize([id]));
  return pieces;
}

/** The probability of every entry of the vocabulary after these tokens. */
export const distribution = (ids) => inTurn(async () => {
  await model.kvClear();
  await model.decode(ids, {});
  return probabilities();
});

/** Bits of each token after the first, given those before it, read one at a time; `goOn` throws where this is to end. */
export const surprisals = (ids, goOn) => inTurn(async () => {
  const bits = [];
  await model.kvClear();
  for (let end = 1; end < ids.length; end += 1) {
    goOn();
    const key = ids.slice(0, end + 1).join(), skipLogits = known.has(key);
    await model.decode([ids[end - 1]], { skipLogits });
    if (!skipLogits) known.set(key, -Math.log2((await probabilities())[ids[end]]));
    bits.push(known.get(key));
  }
  return bits;
});

/* Float32 probabilities that add up to 1; the engine sums them in single precision. */
async function probabilities() {
  const found = new Float32Array(vocabulary), logits = await model.getLogits(-1);
  for (const { token, p } of logits) found[token] = p;
  const total = logits.reduce((sum, { p }) => sum + p, 0);
  if (!(total > 0.5 && total < 2)) throw new Problem(`The model's probabilities add up to ${total}.`);
  return found.map((p) => p / total);
}
