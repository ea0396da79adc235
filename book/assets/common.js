/* What the book's scripts share. Text only ever becomes text: no HTML is made of what a reader types or a file says. */
(function () {
  "use strict";

  /* An element with its properties or attributes, what it answers to (`on`), and its children. */
  function el(name, properties, ...children) {
    const { on, ...own } = properties || {}, node = document.createElement(name);
    for (const [event, run] of Object.entries(on || {})) node.addEventListener(event, run);
    for (const [key, value] of Object.entries(own)) {
      if (key in node) node[key] = value;
      else node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
  }

  const button = (text, run, properties) =>
    el("button", { type: "button", textContent: text, on: { click: run }, ...properties });

  const field = (label, control) => el("label", { className: "live-field" }, el("span", {}, label), control);

  /* A select from [value, text], with what is chosen and what follows a choice. */
  const menu = (options, chosen, run, properties) =>
    el("select", { on: { change: (event) => run(event.target.value) }, ...properties },
      ...options.map(([value, text]) => el("option", { value, textContent: text, selected: value === chosen })));

  /* A table with a caption and a heading for every column; cells are texts or elements. */
  function table(caption, heads, rows) {
    const head = el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text)));
    const body = rows.map((row) => el("tr", {}, ...row.map((cell) => el("td", {}, cell))));
    return el("div", { className: "live-scroll", tabIndex: 0, role: "region", "aria-label": caption },
      el("table", {}, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, ...body)));
  }

  /* A line that tells a reader, and a screen reader, what is going on; `wrong` for what went wrong. */
  function statusLine() {
    const line = el("p", { className: "live-status", role: "status" });
    const say = (text, wrong) => {
      line.textContent = text;
      line.classList.toggle("live-wrong", Boolean(wrong));
    };
    return { line, say };
  }

  /* Offer a text as a file. */
  function save(name, text, type) {
    const link = el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /* Keep a choice in the page's address; a page that was opened from a folder may not change it. */
  function keepInAddress(query) {
    try {
      history.replaceState(null, "", location.pathname + (query.size ? "?" + query : "") + location.hash);
    } catch { /* the choice is not kept */ }
  }

  const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
  const SPACES = new RegExp(SPACE), ENDS = new RegExp(`^${SPACE}|${SPACE}$`, "g");

  /* How names, verbs and regions are read, here and in the package (tse_core.words.plain): letters composed, one space
   * between words, none at the ends. */
  const plain = (text) => text.normalize("NFC").split(SPACES).filter((word) => word).join(" ");

  /* How sentences are read (tse_core.words.trimmed): letters composed, no white space at the ends; inside it is kept. */
  const trimmed = (text) => text.normalize("NFC").replace(ENDS, "");

  window.tseCommon = { el, button, field, menu, table, statusLine, save, keepInAddress, plain, trimmed };
})();
