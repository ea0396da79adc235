/* The first script of a page with the model: it offers the calls for scripts, and starts the page's part or says why the model
 * cannot run here. It is a plain script, because a page that is opened from a folder may not load modules. */
(function () {
  "use strict";
  const root = document.querySelector("[data-live]");
  const lost = "A part of this page could not be fetched: the connection was lost. Load the page again.";
  const fetched = (name) => import(name).catch(() => { throw new Error(lost); });
  const say = (text) => { root.querySelector(".live-notice").textContent = `${text} ${root.dataset.instead}`; };

  function obstacle() {
    if (location.protocol === "file:") return "This page was opened from a folder, where browsers do not let it run a model. Run “make serve” and open the address that it prints.";
    if (typeof WebAssembly !== "object") return "This browser has no WebAssembly, which the model needs; a current Firefox, Chrome, Edge or Safari has it.";
    return null;
  }
  const why = obstacle();
  const call = (name) => async (...given) => {
    if (why) throw new Error(why);
    return (await fetched("./api.js"))[name](...given);
  };
  window.tse = { ready: call("ready"), score: call("score"), surprisals: call("surprisals") };
  const begin = () => fetched(root.dataset.live).then((page) => page.begin(root), (problem) => say(problem.message));
  if (why) say(why);
  else if (!root.dataset.press) begin();
  else {
    const press = Object.assign(document.createElement("button"), { type: "button", className: "live-main", textContent: root.dataset.press });
    press.addEventListener("click", () => { press.disabled = true; begin(); });
    root.querySelector(".live-notice").replaceChildren(press);
  }
})();
