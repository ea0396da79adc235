/* Charts without a network.
 *
 * Altair's pages ask window.vegaEmbed to draw; this file is that function. It loads one local bundle, only on pages
 * that have charts, draws in the colours of the page's theme, gives each chart one description for screen readers, and
 * offers the chart's own data as CSV. */
(function () {
  "use strict";
  const { button, el, save } = window.tseCommon;
  const folder = document.currentScript.src.replace(/[^/]*$/, "");
  const PARTS = ["concat", "hconcat", "vconcat", "layer"];
  const INK = "currentColor", GRID = "var(--tse-line)"; // the page's, light or dark; marks have the chart's own colours
  const TEXT = { labelColor: INK, titleColor: INK };
  const THEME = {
    background: "transparent",
    title: { color: INK, subtitleColor: INK },
    axis: { domainColor: INK, tickColor: INK, gridColor: GRID, ...TEXT },
    legend: { symbolBaseFillColor: INK, symbolBaseStrokeColor: INK, ...TEXT },
    header: TEXT,
    view: { stroke: GRID },
    text: { color: INK },
  };
  let bundle = null;

  function embedder() {
    bundle ??= new Promise((resolve, reject) => {
      if (window.tseVega) return resolve(); // a page that carries the bundle in itself
      const src = `${folder}vega-bundle.js`, onerror = () => reject(new Error(`cannot load ${src}`));
      return document.head.append(el("script", { src, onload: resolve, onerror }));
    });
    return bundle.then(() => window.tseVega.vegaEmbed);
  }

  /* ---- Fitting a chart into its page: on a phone, on paper, and on a slide, which has little height. ---- */

  /* The chart with its colours by name, so that tse.css can change them; on a phone, panels and the entries of legends
   * below each other; on paper, many panels in rows of four. */
  function fitted(spec, phone, paper) {
    const change = (key, value) => {
      if (typeof value === "string") return value.replace(/^#([0-9a-f]{6})$/, "var(--mark-$1, #$1)");
      return phone && key === "columns" ? 1 : value;
    };
    if (paper && spec.concat?.length > 4) return narrowed({ ...fitted(spec, phone), columns: 4 }, 100);
    const { hconcat, ...rest } = JSON.parse(JSON.stringify(spec), change);
    if (hconcat) return { ...rest, [phone ? "vconcat" : "hconcat"]: hconcat };
    return phone && (rest.concat || rest.facet) ? { ...rest, columns: 1 } : rest;
  }

  /* Panels of a fixed width give up what the page does not have, down to a width at which they can be read. */
  function narrowed({ ...part }, excess) {
    if (typeof part.width === "number") part.width = Math.max(Math.min(150, part.width), part.width - excess);
    if (part.width?.step) part.width = { step: Math.min(part.width.step, 26) };
    for (const kind of PARTS) if (part[kind]) part[kind] = part[kind].map((inner) => narrowed(inner, excess));
    if (part.spec) part.spec = narrowed(part.spec, excess);
    return part;
  }

  async function draw(chart) {
    const embed = await embedder(), { element, options } = chart, phone = window.innerWidth < 600;
    const paper = matchMedia("print").matches;
    const room = element.clientWidth || Math.min(600, window.innerWidth - 40); // none in a closed box
    const legend = phone ? { ...THEME.legend, columns: 1 } : THEME.legend;
    const config = { ...options.config, ...THEME, legend };
    const embedded = (spec) => embed(element, spec, { ...options, renderer: "svg", actions: false, config });
    const { title, ...spec } = fitted(chart.spec, phone, paper);
    if ("slides" in document.documentElement.dataset && spec.height > 230) spec.height = 230;
    chart.result = await embedded(spec);
    const excess = () => (phone ? Math.ceil((element.querySelector("svg.marks")?.getAttribute("width") ?? 0) - room) : 0);
    for (let less = excess(), tries = 0; excess() > 0 && tries < 2; tries += 1) { // names at dots can move outwards
      chart.result.finalize();
      chart.result = await embedded(narrowed(spec, less));
      less += excess();
    }
    if (title) element.prepend(heading(title));
    describe(chart);
    offerData(chart);
    offerLegend(chart);
    reachable([element]);
    sizes.observe(element);
    return chart.result;
  }

  /* ---- What stands around a picture. ---- */

  const joined = (lines) => [].concat(lines ?? []).join(" ");
  const titleOf = ({ title }) => joined(title?.text ?? title);

  /* The title as words of the page, which wrap as the page is wide; in a picture they would not. */
  const heading = (title) => el("p", { className: "tse-chart-title" },
    el("strong", {}, titleOf({ title })), ...(title.subtitle ? [el("span", {}, joined(title.subtitle))] : []));

  /* One picture with one description; its marks are not read out one by one. */
  function describe({ element, spec }) {
    const svg = element.querySelector("svg.marks");
    if (!svg) return;
    for (const node of [element, ...svg.querySelectorAll("[role], [aria-label]")]) {
      for (const name of ["role", "aria-roledescription", "aria-label"]) node.removeAttribute(name);
    }
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", spec.description || titleOf(spec) || "Chart");
    svg.style.minWidth = Math.min(0.97 * svg.getAttribute("width"), 560) + "px"; // shrinks to the page, but stays readable
    const controls = element.querySelector(".vega-bindings");
    if (controls) svg.before(controls); // panels below each other can be taller than a screen
    for (const [number, row] of element.querySelectorAll(".vega-bind").entries()) {
      const name = row.querySelector(".vega-bind-name");
      for (const [index, control] of row.querySelectorAll("input, select").entries()) {
        control.id ||= `${element.id}-control-${number}-${index}`;
        if (name && !control.ariaLabel) control.ariaLabel = name.textContent.trim();
        nameSteps(control, spec.usermeta?.steps?.[control.name]);
      }
    }
  }

  /* A slider over steps that have names shows the name of its step instead of the step's number. */
  function nameSteps(control, names) {
    if (!names) return;
    const said = el("output"), say = () => {
      said.textContent = names[control.value - 1];
      control.setAttribute("aria-valuetext", said.textContent);
    };
    control.nextElementSibling.replaceWith(said);
    control.addEventListener("input", say);
    say();
  }

  /* A legend answers to clicks and taps. For the keyboard its entries are buttons below, seen while one is in focus. */
  function offerLegend(chart) {
    const entries = () => [...chart.element.querySelectorAll(".role-legend-label text")];
    const chosen = chart.spec.params?.find((param) => param.bind === "legend");
    if (!chosen || !entries().length) return;
    const press = (name) => {
      const entry = entries().find(({ textContent }) => textContent === name);
      entry.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    };
    const names = [...new Set(entries().map((entry) => entry.textContent))];
    const all = () => chart.result.view.data(`${chosen.name}_store`, []).runAsync();
    chart.element.after(el("p", { className: "tse-legend" },
      ...names.map((name) => button(`Only ${name}`, () => press(name))), button("All", all)));
  }

  /* The chart's tables, those with the same columns as one; what is drawn twice is saved once. */
  function tablesOf({ datasets = {} }) {
    const drawn = Object.values(datasets).filter((rows) => Array.isArray(rows) && rows.length > 1);
    const rows = drawn.flat().flatMap(unlisted);
    const once = new Map(rows.map((row) => [JSON.stringify(row), row])).values();
    return [...Map.groupBy(once, (row) => Object.keys(row).join()).values()];
  }

  /* A row of lists stands for a row for each of their entries. */
  function unlisted(row) {
    const lists = Object.keys(row).filter((name) => Array.isArray(row[name]));
    if (!lists.length) return [row];
    const entries = (number) => Object.fromEntries(lists.map((name) => [name, row[name][number]]));
    return row[lists[0]].map((_, number) => ({ ...row, ...entries(number) }));
  }

  function csv(rows) {
    const cell = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : `${value ?? ""}`);
    const lines = [Object.keys(rows[0]), ...rows.map(Object.values)];
    return lines.map((values) => values.map(cell).join(",") + "\n").join("");
  }

  function offerData({ element, spec }) {
    const tables = tablesOf(spec), title = titleOf(spec);
    if (!tables.length) return;
    const name = `${(title || "chart").toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60)}.csv`;
    const buttons = tables.map((rows, index) => {
      const text = `Data${tables.length > 1 ? ` ${index + 1}` : ""} (CSV)`;
      const ariaLabel = `${text} of chart: ${title || "untitled"}`;
      return button(text, () => save(name, csv(rows), "text/csv"), { ariaLabel });
    });
    element.after(el("p", { className: "tse-chart-data" }, ...buttons));
  }

  window.vegaEmbed = (place, spec, options = {}) =>
    draw({ element: typeof place === "string" ? document.querySelector(place) : place, spec, options });

  /* ---- The page around the charts. ---- */

  /* Boxes that scroll sideways can be reached and scrolled with the keyboard: those of folds, too, once they open. */
  const BOXES = ".output, .pst-scrollable-table-container, pre, .vega-embed, .tse-wide, div.math";

  function reachable(boxes) {
    for (const box of boxes) {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
      else if (box.tabIndex === 0) box.removeAttribute("tabindex");
    }
  }
  const sizes = new ResizeObserver((changes) => reachable(changes.map(({ target }) => target)));
  window.addEventListener("load", () => {
    for (const box of document.querySelectorAll(`.bd-article :is(${BOXES})`)) sizes.observe(box);
  });

  /* Formulas come after the charts: a phone that loads both at once shows neither for long. */
  window.addEventListener("load", () => {
    const mathjax = document.querySelector('meta[name="tse-mathjax"]');
    if (mathjax) document.head.append(el("script", { src: mathjax.content }));
  });

  /* The theme's toggles in the list of pages have no name. */
  document.addEventListener("DOMContentLoaded", () => {
    for (const toggle of document.querySelectorAll("summary > .toctree-toggle")) {
      const chapter = toggle.closest("li").querySelector("a")?.textContent.trim() ?? "this chapter";
      toggle.parentElement.setAttribute("aria-label", `Pages of ${chapter}`);
    }
  });

  /* The buttons that open solutions are named after what they open. */
  window.addEventListener("load", () => {
    for (const toggle of document.querySelectorAll(".admonition-title > .toggle-button")) {
      toggle.setAttribute("aria-label", toggle.parentElement.textContent.trim());
    }
  });
})();
