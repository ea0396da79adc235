/* The first script of a page with the model: it says why the model cannot run here, or starts what can. It is a plain script,
 * because a page that is opened from a folder may not load modules. */
(function () {
  "use strict";
  const root = document.querySelector("[data-live]");
  const instead = root.dataset.instead;
  const say = (text) => { root.querySelector(".live-notice").textContent = `${text} ${instead}`; };
  if (location.protocol === "file:") {
    say("This page was opened from a folder, where browsers do not let it run a model. Run “make serve” and open the address that it prints.");
  } else if (typeof WebAssembly !== "object") {
    say("This browser has no WebAssembly, which the model needs; a current Firefox, Chrome, Edge or Safari has it.");
  } else {
    import(root.dataset.live).then(
      (page) => page.begin(root),
      () => say("A part of this page could not be fetched: the connection was lost. Load the page again."),
    );
  }
})();
