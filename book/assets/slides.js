/* One slide a screen: keys, the bar at the foot, and the slide's number in the address. */
(function () {
  "use strict";
  const { el } = window.tseCommon;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const follow = () => { document.documentElement.dataset.theme = dark.matches ? "dark" : "light"; };
  document.documentElement.dataset.slides = "";
  dark.addEventListener("change", follow);
  follow();

  const STEPS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1, Home: -Infinity, End: Infinity };
  const SLIDER = /^(Arrow|Home|End)/; // what a slider under the keyboard answers to
  const NOTES_LOOK = `
    body { font: 20px/1.45 system-ui, sans-serif; margin: 1.2rem 1.6rem; color: #22272c; background: #fff }
    h1 { font-size: 1.1rem } h2 { font-size: 0.95rem; color: #5a6570; margin-top: 2rem }
    time { float: right; font-variant-numeric: tabular-nums }`;

  document.addEventListener("DOMContentLoaded", function () {
    const slides = [...document.querySelectorAll("main > section")];
    const distance = (slide) => Math.abs(slide.getBoundingClientRect().top);
    const titled = (slide) => slide.querySelector("h1, h2").textContent;
    const minutes = el("time"), heading = el("h1"), said = el("div", { id: "said" }), after = el("h2");
    let here = 0, notes = null, began = 0;

    function arrived() {
      here = slides.reduce((best, slide, index) => (distance(slide) < distance(slides[best]) ? index : best), 0);
      document.getElementById("place").textContent = `${here + 1} / ${slides.length}`;
      history.replaceState(null, "", "#" + slides[here].id);
      heading.textContent = `${here + 1} / ${slides.length}  ${titled(slides[here])}`;
      const spoken = [...slides[here].querySelectorAll("blockquote")].map((note) => note.cloneNode(true));
      said.replaceChildren(...spoken.flatMap((note) => [...note.childNodes]));
      after.textContent = slides[here + 1] ? `Next: ${titled(slides[here + 1])}` : "The last slide";
    }
    function go(steps) {
      slides[Math.max(0, Math.min(slides.length - 1, here + steps))].scrollIntoView();
      arrived();
    }

    /* Notes in a window of the teacher's own, which is not projected: this slide, its notes, the next, the minutes. */
    function speak() {
      if (!notes || notes.closed) {
        notes = window.open("", "notes", "width=760,height=640");
        if (!notes) return;
        began = Date.now();
        notes.document.title = "Notes";
        notes.document.head.append(el("style", {}, NOTES_LOOK));
        notes.document.body.append(minutes, heading, said, after);
        notes.document.addEventListener("keydown", turned);
      }
      notes.focus();
    }
    setInterval(() => { minutes.textContent = `${Math.floor((Date.now() - began) / 60000)} min`; }, 1000);

    function turned(event) {
      const slider = event.target.closest("input[type=range]") && SLIDER.test(event.key);
      const typing = event.target.closest("input:not([type=range]), select, button");
      if (slider || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in STEPS) {
        event.preventDefault();
        go(STEPS[event.key]);
      } else if (event.key.toLowerCase() === "s") speak();
    }
    document.addEventListener("keydown", turned);
    // A slider moved with the mouse gives the keys back to the slides; one reached with the keyboard keeps them.
    document.addEventListener("pointerup", (event) => event.target.closest("input[type=range]")?.blur());
    document.getElementById("back").addEventListener("click", () => go(-1));
    document.getElementById("next").addEventListener("click", () => go(1));
    document.getElementById("notes").addEventListener("click", speak);
    document.addEventListener("scroll", arrived, { passive: true });
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
    arrived();
  });
})();
