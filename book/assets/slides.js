/* One slide a screen: keys, the bar at the foot, and the slide's number in the address. */
(function () {
  "use strict";
  const root = document.documentElement;
  root.dataset.slides = "";
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const follow = () => (root.dataset.theme = dark.matches ? "dark" : "light");
  dark.addEventListener("change", follow);
  follow();

  const STEPS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1, Home: -Infinity, End: Infinity };

  const SLIDER = /^(Arrow|Home|End)/; // what a slider under the keyboard answers to

  document.addEventListener("DOMContentLoaded", function () {
    const slides = [...document.querySelectorAll("main > section")];
    const notes = document.getElementById("notes");
    const middle = (slide) => Math.abs(slide.getBoundingClientRect().top);
    let here = 0;

    function arrived() {
      here = slides.reduce((best, slide, index) => (middle(slide) < middle(slides[best]) ? index : best), 0);
      document.getElementById("place").textContent = here + 1 + " / " + slides.length;
      history.replaceState(null, "", "#" + slides[here].id);
    }
    function go(steps) {
      slides[Math.max(0, Math.min(slides.length - 1, here + steps))].scrollIntoView();
      arrived();
    }
    function turnNotes() {
      notes.setAttribute("aria-pressed", String(root.classList.toggle("with-notes")));
      slides[here].scrollIntoView();
    }

    document.addEventListener("keydown", function (event) {
      const slider = event.target.closest("input[type=range]") && SLIDER.test(event.key);
      const typing = event.target.closest("input:not([type=range]), select, button");
      if (slider || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in STEPS) {
        event.preventDefault();
        go(STEPS[event.key]);
      } else if (event.key.toLowerCase() === "n") turnNotes();
    });
    // A slider that was moved with the mouse gives the keys back to the slides; one reached with the keyboard keeps them.
    document.addEventListener("pointerup", (event) => event.target.closest("input[type=range]")?.blur());
    document.getElementById("back").addEventListener("click", () => go(-1));
    document.getElementById("next").addEventListener("click", () => go(1));
    notes.addEventListener("click", turnNotes);
    document.addEventListener("scroll", arrived, { passive: true });
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
    arrived();
  });
})();
