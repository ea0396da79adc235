/* Filters for the claim ledgers: a select for each of the table's data-filters, a word search, what is left said aloud.
 * The address keeps the choice, so that a filtered ledger can be linked. Without this script every row is shown. */
(function () {
  "use strict";
  const { button, el, field, keepInAddress, menu, statusLine } = window.tseCommon;
  const FIRST = 30; // rows shown before "Show all" while nothing is chosen

  /* A row's text in small letters, its parts separated: cells and lines have no space between them. */
  function wordsOf(row) {
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT), parts = [];
    while (walker.nextNode()) parts.push(walker.currentNode.data);
    return parts.join(" ").toLowerCase();
  }

  /* What is typed is sought from the beginning of words: "ew" finds EW and not "few". */
  const beginning = (typed) => new RegExp("(?<![\\p{L}\\p{N}])" + typed.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "u");

  function equip(ledger) {
    const { filters, prefix } = ledger.dataset, names = filters.split(",");
    const address = new URLSearchParams(location.search);
    const rows = [...ledger.querySelectorAll("tbody tr")], texts = new Map(rows.map((row) => [row, wordsOf(row)]));
    const elsewhere = document.querySelector(".tse-elsewhere"); // where other claims are, for a search that finds none
    const { line: status, say } = statusLine();
    const more = button("", showAll), reset = button("Clear", clearAll);
    const controls = Object.fromEntries(names.map((name) => {
      const values = [...new Set(rows.map((row) => row.dataset[name]).filter(Boolean))];
      const options = [["", "all"], ...values.map((value) => [value, value])];
      return [name, menu(options, address.get(prefix + name), () => {}, { name })];
    }));
    controls.words = el("input", { type: "search", name: "words", value: address.get(prefix + "words") ?? "" });
    const fields = Object.entries(controls).map(([name, control]) => field(name, control));
    const bar = el("form", {
      className: "tse-filters", role: "search", "aria-label": ledger.querySelector("caption").textContent,
      on: { input: show, submit: (event) => event.preventDefault() },
    }, ...fields, reset);
    let all = false;
    ledger.prepend(bar, status);
    ledger.append(more);

    function show() {
      const chosen = names.filter((name) => controls[name].value), typed = controls.words.value.trim().toLowerCase();
      const asked = typed.split(/\s+/).filter(Boolean).map(beginning), free = !chosen.length && !typed;
      const left = rows.filter((row) => chosen.every((name) => row.dataset[name] === controls[name].value)
        && asked.every((word) => word.test(texts.get(row))));
      const shown = new Set(free && !all ? left.slice(0, FIRST) : left);
      for (const row of rows) row.hidden = !shown.has(row);
      const part = shown.size < rows.length ? `, the first ${shown.size} shown` : "";
      say(left.length === rows.length ? `${rows.length} rows${part}` : `${left.length} of ${rows.length} rows`);
      if (!left.length && elsewhere) status.append(". ", ...elsewhere.cloneNode(true).childNodes);
      more.hidden = shown.size === left.length;
      more.textContent = `Show all ${left.length} rows`;
      reset.disabled = free;
      const query = new URLSearchParams(location.search);
      for (const [name, control] of Object.entries(controls)) {
        if (control.value.trim()) query.set(prefix + name, control.value.trim());
        else query.delete(prefix + name);
      }
      keepInAddress(query);
    }

    function choose(chosen) {
      for (const [name, control] of Object.entries(controls)) control.value = chosen[name] ?? "";
      show();
    }

    function clearAll() {
      choose({});
      controls.words.focus();
    }

    function showAll() {
      const next = rows.find((row) => row.hidden);
      all = true;
      show();
      next.tabIndex = -1;
      next.focus();
    }

    /* A link to a row shows it, whatever was chosen before. */
    function lead() {
      const row = rows.find(({ id }) => id && location.hash === "#" + id);
      if (row?.hidden) {
        all = true;
        choose({});
      }
      row?.scrollIntoView({ block: "center" });
    }

    show();
    window.addEventListener("hashchange", lead);
    window.addEventListener("load", lead); // once charts and fonts have their height
    return choose;
  }

  function start() {
    const ledgers = new Map([...document.querySelectorAll(".tse-ledger")].map((ledger) => [ledger, equip(ledger)]));
    for (const tile of document.querySelectorAll(".tse-tiles a[data-verdict]")) {
      const section = document.getElementById(tile.hash.slice(1)) ?? document;
      const choose = ledgers.get(section.querySelector(".tse-ledger"));
      tile.addEventListener("click", () => choose({ verdict: tile.dataset.verdict }));
    }
    window.addEventListener("beforeprint", () => {
      for (const details of document.querySelectorAll(".tse-ledger details")) details.open = true;
    });
  }

  document.addEventListener("DOMContentLoaded", start);
})();
