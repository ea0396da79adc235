/* On a narrow screen the code of a chapter is folded, as cells are whose code is folded on every screen. */
(function () {
  "use strict";
  const { el } = window.tseCommon;

  function fold() {
    if (!matchMedia("(max-width: 767px)").matches) return;
    for (const code of document.querySelectorAll(".bd-article .cell > .cell_input")) {
      const details = el("details", { className: "admonition hide above-input" });
      code.replaceWith(details);
      const words = ["collapsed", "expanded"].map((name) =>
        el("p", { className: `${name} admonition-title` }, "Code"));
      details.append(el("summary", {}, ...words), code);
      details.parentElement.classList.add("tag_hide-input");
    }
  }

  document.addEventListener("DOMContentLoaded", fold);
})();
