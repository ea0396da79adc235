/* What can go wrong, said in one sentence that a reader can act on. */

export class Problem extends Error {}

const MEMORY = /memory|alloc|out of bounds|OOM|Array buffer/i;

/** The sentence for a fault of the browser or of the model's engine; a Problem is already one. */
export function explained(fault, megabytes) {
  if (fault instanceof Problem) return fault;
  const text = String((fault && fault.message) || fault);
  if (fault instanceof RangeError || MEMORY.test(text)) {
    return new Problem(`This device has too little free memory for the model, which needs about ${megabytes} MB. Close other pages, or use another device.`);
  }
  return new Problem(`The model could not be used: ${text}`);
}

/** Why this browser cannot run the model at all; null where it can. */
export function obstacle() {
  if (typeof WebAssembly !== "object") return "This browser has no WebAssembly, which the model needs. A current Firefox, Chrome, Edge or Safari has it.";
  if (typeof Worker !== "function") return "This browser has no workers, which the model needs. A current Firefox, Chrome, Edge or Safari has them.";
  return null;
}
