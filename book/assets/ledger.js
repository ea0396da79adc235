/* Filters for the claim ledgers: a select for each of the table's data-filters, a word search, what is left said aloud.
 * The address keeps the choice, so that a filtered ledger can be linked. Without this script every row is shown. */
(function () {
  "use strict";
  const { button, el, field, keepInAddress, menu, statusLine } = window.tseCommon;
  const address = new URLSearchParams(location.search);
  const MANY = 40; // so many rows scroll in a box of their own

  /* A row's words in small letters; cells and lines have no space between them. */
  const wordsOf = (row) => [...row.querySelectorAll("*")].map((part) => part.textContent).join(" ").toLowerCase();

  /* What is typed is sought from the beginning of words: "ew" finds EW and not "few". */
  const beginning = (typed) => new RegExp("(?<![\\p{L}\\p{N}])" + typed.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "u");

  /* A row can have several values, with a bar between them: what its verdict turns on. */
  const valuesOf = (row, name) => (row.dataset[name] ?? "").split("|").filter(Boolean);

  function equip(ledger) {
    const { filters, prefix } = ledger.dataset, names = filters.split(",");
    const rows = [...ledger.querySelectorAll("tbody tr")], texts = new Map(rows.map((row) => [row, wordsOf(row)]));
    const { line: status, say } = statusLine(), reset = button("Clear", clearAll);
    const controls = Object.fromEntries(names.map((name) => {
      const values = [...new Set(rows.flatMap((row) => valuesOf(row, name)))];
      const options = [["", "any"], ...values.map((value) => [value, value])];
      return [name, menu(options, address.get(prefix + name), () => {}, { name: prefix + name })];
    }));
    const words = { type: "search", name: `${prefix}words`, value: address.get(`${prefix}words`) ?? "" };
    controls.words = el("input", words);
    const fields = Object.entries(controls).map(([name, control]) => field(name, control));
    const list = ledger.querySelector("table"), title = list.caption.textContent;
    const scrolling = { className: "tse-tall", tabIndex: 0, role: "region", "aria-label": title };
    const box = el("div", rows.length > MANY ? scrolling : {});
    const bar = el("form", {
      className: "tse-filters", role: "search", "aria-label": title,
      on: { input: show, submit: (event) => event.preventDefault() },
    }, ...fields, reset);
    list.replaceWith(bar, status, box);
    box.append(list);

    function show() {
      const chosen = names.filter((name) => controls[name].value), typed = controls.words.value.trim().toLowerCase();
      const asked = typed.split(/\s+/).filter(Boolean).map(beginning);
      const left = rows.filter((row) => chosen.every((name) => valuesOf(row, name).includes(controls[name].value))
        && asked.every((word) => word.test(texts.get(row))));
      for (const row of rows) row.hidden = !left.includes(row);
      say(left.length === rows.length ? `${rows.length} rows` : `${left.length} of ${rows.length} rows`);
      if (!left.length) status.append(". No row fits: press Clear to see all");
      reset.disabled = !chosen.length && !typed;
      const given = [...document.querySelectorAll(".tse-filters")].flatMap((form) => [...new FormData(form)]);
      keepInAddress(new URLSearchParams(given.filter(([, value]) => value.trim())));
    }

    function choose(chosen) {
      for (const [name, control] of Object.entries(controls)) control.value = chosen[name] ?? "";
      show();
    }

    function clearAll() {
      choose({});
      controls.words.focus();
    }

    /* A link to a row shows it, whatever was chosen before. */
    function lead() {
      const row = rows.find(({ id }) => id && location.hash === "#" + id);
      if (row?.hidden) choose({});
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
  }

  document.addEventListener("DOMContentLoaded", start);
})();
