/* The first script of a page with the model: it offers the calls for scripts, and starts the page's parts or says why
 * the model cannot run here. It is a plain script, because a page that is opened from a folder may not load modules. */
(function () {
  "use strict";
  const { button } = window.tseCommon;
  const root = document.querySelector("[data-live]"), notice = root.querySelector(".live-notice");
  const obstacle = location.protocol === "file:" &&
    "This page was opened from a folder, where browsers do not let it run a model. " +
    "Run “make serve” and open the address that it prints.";
  const say = (text) => { notice.textContent = `${text} ${root.dataset.instead}`; };

  async function call(module, name, ...given) {
    if (obstacle) throw new Error(obstacle);
    const lost = "A part of this page could not be fetched: the connection was lost. Load the page again.";
    const found = await import(module).catch(() => { throw new Error(lost); });
    return found[name](...given);
  }
  const offered = (name) => (...given) => call("./api.js", name, ...given);
  window.tse = { ready: offered("ready"), score: offered("score"), surprisals: offered("surprisals") };

  const begin = () => call("./page.js", "begin").catch((problem) => say(problem.message));
  const press = (event) => {
    event.target.disabled = true;
    begin();
  };
  if (obstacle) say(obstacle);
  else if (root.dataset.press) notice.replaceChildren(button(root.dataset.press, press, { className: "live-main" }));
  else begin();
})();
