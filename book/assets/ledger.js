// Filters for the claim ledgers: one select for each of the table's data-filters, a word search, what is left said aloud.
// The choice is kept in the address, so that a filtered ledger can be linked. Without this script every row is shown.
(function () {
  "use strict";
  const FIRST = 30; // rows shown before "Show all" while nothing is chosen

  function make(tag, properties, ...children) {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  }

  /* A row's text in small letters, its parts separated: cells and lines have no space between them. */
  function wordsOf(row) {
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    const parts = [];
    while (walker.nextNode()) parts.push(walker.currentNode.data);
    return parts.join(" ").toLowerCase();
  }

  /* What is typed is sought from the beginning of words: "ew" finds EW and not "few". */
  const beginning = (typed) => new RegExp("(?<![\\p{L}\\p{N}])" + typed.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "u");

  function equip(ledger) {
    const rows = [...ledger.querySelectorAll("tbody tr")];
    const filters = ledger.dataset.filters.split(",");
    const { prefix } = ledger.dataset;
    const address = new URLSearchParams(location.search);
    const selects = {};
    const texts = new Map(rows.map((row) => [row, wordsOf(row)]));
    let all = false;

    const bar = make("form", { className: "tse-filters", role: "search" });
    bar.setAttribute("aria-label", ledger.querySelector("caption").textContent);
    for (const name of filters) {
      const values = [...new Set(rows.map((row) => row.dataset[name]).filter(Boolean))];
      const select = make("select", { name }, make("option", { value: "", textContent: "all" }));
      values.forEach((value) => select.append(make("option", { value, textContent: value })));
      select.value = values.includes(address.get(prefix + name)) ? address.get(prefix + name) : "";
      selects[name] = select;
      bar.append(make("label", {}, make("span", { textContent: name }), select));
    }
    const words = make("input", { type: "search", name: "words", value: address.get(prefix + "words") || "" });
    bar.append(make("label", {}, make("span", { textContent: "words" }), words));
    const reset = make("button", { type: "button", textContent: "Clear" });
    bar.append(reset);
    const status = make("p", { className: "tse-filter-status" });
    status.setAttribute("role", "status");
    const more = make("button", { type: "button", className: "tse-more" });
    ledger.prepend(bar, status);
    const elsewhere = document.querySelector(".tse-elsewhere"); // where other claims are, for a search that finds none
    ledger.append(more);

    function show() {
      const chosen = filters.filter((name) => selects[name].value);
      const asked = words.value.trim().toLowerCase().split(/\s+/).filter(Boolean).map(beginning);
      const left = rows.filter((row) => {
        return chosen.every((name) => row.dataset[name] === selects[name].value) && asked.every((word) => word.test(texts.get(row)));
      });
      const shown = new Set(all || chosen.length || asked.length ? left : left.slice(0, FIRST));
      rows.forEach((row) => { row.hidden = !shown.has(row); });
      status.textContent = left.length === rows.length
        ? `${rows.length} rows` + (shown.size < rows.length ? `, the first ${shown.size} shown` : "")
        : `${left.length} of ${rows.length} rows`;
      if (!left.length && elsewhere) status.append(". ", ...elsewhere.cloneNode(true).childNodes);
      more.hidden = shown.size === left.length;
      more.textContent = `Show all ${left.length} rows`;
      reset.disabled = !chosen.length && !asked.length;
      remember(chosen);
    }

    function remember(chosen) {
      const now = new URLSearchParams(location.search);
      filters.forEach((name) => now.delete(prefix + name));
      now.delete(prefix + "words");
      chosen.forEach((name) => now.set(prefix + name, selects[name].value));
      if (words.value.trim()) now.set(prefix + "words", words.value.trim());
      const query = now.toString();
      try {
        history.replaceState(null, "", location.pathname + (query ? "?" + query : "") + location.hash);
      } catch { /* a page opened from a folder may not change its address */ }
    }

    function clear() {
      filters.forEach((name) => { selects[name].value = ""; });
      words.value = "";
    }

    bar.addEventListener("input", show);
    bar.addEventListener("submit", (event) => event.preventDefault());
    reset.addEventListener("click", () => { clear(); show(); words.focus(); });
    more.addEventListener("click", () => {
      const next = rows.findIndex((row) => row.hidden);
      all = true;
      show();
      rows[next].tabIndex = -1;
      rows[next].focus();
    });
    /* A link to a row shows it, whatever was chosen before. */
    function lead() {
      const row = rows.find(({ id }) => id && location.hash === "#" + id);
      if (!row) return;
      if (row.hidden) {
        clear();
        all = true;
        show();
      }
      row.scrollIntoView({ block: "center" });
    }

    show();
    window.addEventListener("hashchange", lead);
    window.addEventListener("load", lead); // once charts and fonts have their height
    return { selects, clear, show };
  }

  function start() {
    const ledgers = new Map([...document.querySelectorAll(".tse-ledger")].map((ledger) => [ledger, equip(ledger)]));
    document.querySelectorAll(".tse-tiles a[data-verdict]").forEach((tile) => {
      const section = document.getElementById(tile.hash.slice(1)) || document;
      const ledger = ledgers.get(section.querySelector(".tse-ledger"));
      tile.addEventListener("click", () => {
        ledger.clear();
        ledger.selects.verdict.value = tile.dataset.verdict;
        ledger.show();
      });
    });
    window.addEventListener("beforeprint", () => document.querySelectorAll(".tse-ledger details").forEach((d) => { d.open = true; }));
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
