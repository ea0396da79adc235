/* Charts without a network.
 *
 * Altair's pages ask window.vegaEmbed to draw; this file is that function. It loads one local bundle, only on pages that
 * have charts, draws in the colours of the page's theme and again when the theme changes, gives each chart one description
 * for screen readers, and offers the chart's own data as CSV. */
(function () {
  "use strict";
  const folder = document.currentScript.src.replace(/[^/]*$/, "");
  const charts = [];
  const FONT = '-apple-system, BlinkMacSystemFont, "Segoe UI", "Helvetica Neue", Arial, sans-serif'; /* theme.py's */
  let bundle = null;

  function embedder() {
    bundle = bundle || new Promise(function (resolve, reject) {
      if (window.tseVega) return resolve(window.tseVega.vegaEmbed); /* a page that carries the bundle in itself */
      const script = document.createElement("script");
      script.src = folder + "vega-bundle.js";
      script.onload = () => resolve(window.tseVega.vegaEmbed);
      script.onerror = () => reject(new Error("cannot load " + script.src));
      document.head.appendChild(script);
    });
    return bundle;
  }

  const isDark = () => document.documentElement.dataset.theme === "dark";

  /* Axes, legends and titles follow the page: the marks' colours are the chart's own. */
  function themed(options) {
    const ink = isDark() ? "#ced6dd" : "#323232";
    const grid = isDark() ? "#3d444b" : "#e3e6e8";
    const text = { labelColor: ink, titleColor: ink };
    const config = Object.assign({}, options.config, {
      background: "transparent",
      title: { color: ink, subtitleColor: ink },
      axis: Object.assign({ domainColor: ink, tickColor: ink, gridColor: grid }, text),
      legend: Object.assign({ symbolBaseFillColor: ink, symbolBaseStrokeColor: ink }, text),
      header: text,
      view: { stroke: grid },
      text: { color: ink },
    });
    return Object.assign({}, options, { renderer: "svg", actions: false, config: config });
  }

  /* A slide has a heading and little height: the chart's title on one line, no hint below it, and large type. */
  function projected(spec) {
    const title = spec.title && { text: titleOf(spec) };
    const height = typeof spec.height === "number" ? Math.min(spec.height, 230) : spec.height;
    return Object.assign({}, spec, title ? { title: title } : {}, height === undefined ? {} : { height: height });
  }

  /* Panels stand in one column where the page is narrow, at the size at which they can be read. */
  function fitted(spec, room) {
    if ("slides" in document.documentElement.dataset) return projected(spec);
    const title = spec.title && { title: entitled(spec.title, room - 10) };
    if (window.innerWidth >= 600) return Object.assign({}, spec, title);
    const below = spec.hconcat ? { vconcat: spec.hconcat, hconcat: undefined } : spec.concat || spec.facet ? { columns: 1 } : {};
    return Object.assign({}, spec, title, below);
  }

  /* A title does not wrap by itself: its lines, and those below it, are as long as the chart is wide. */
  function entitled(title, room) {
    const own = typeof title === "object" && !Array.isArray(title) ? title : { text: title };
    const lines = (text, font) => (text ? wrapped([].concat(text).join(" "), font, room) : text);
    const size = window.innerWidth < 600 ? 12 : 14;
    return Object.assign({}, own, { fontSize: size, text: lines(own.text, "600 " + size + "px "), subtitle: lines(own.subtitle, "12px ") });
  }

  const pen = document.createElement("canvas").getContext("2d");

  function wrapped(text, font, room) {
    pen.font = font + FONT;
    const lines = [];
    for (const word of text.split(" ")) {
      const longer = lines.length ? lines[lines.length - 1] + " " + word : word;
      if (lines.length && pen.measureText(longer).width <= room) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  }

  /* Panels of a fixed width give up what the page does not have, down to a width at which they can be read. */
  function narrowed(spec, excess) {
    const smaller = Object.assign({}, spec);
    if (typeof spec.width === "number") smaller.width = Math.max(150, spec.width - excess);
    if (spec.width && spec.width.step) smaller.width = { step: Math.min(spec.width.step, 26) };
    for (const parts of ["concat", "hconcat", "vconcat"]) {
      if (spec[parts]) smaller[parts] = spec[parts].map((part) => narrowed(part, excess));
    }
    if (spec.spec) smaller.spec = narrowed(spec.spec, excess);
    return smaller;
  }

  /* The entries of each legend below each other. */
  function stacked(spec) {
    const higher = Object.assign({}, spec);
    for (const parts of ["concat", "hconcat", "vconcat", "layer"]) if (spec[parts]) higher[parts] = spec[parts].map(stacked);
    if (spec.spec) higher.spec = stacked(spec.spec);
    for (const [name, channel] of Object.entries(spec.encoding || {})) {
      if (!channel.legend) continue;
      const legend = Object.assign({}, channel.legend, { columns: 1 });
      higher.encoding = Object.assign({}, higher.encoding, { [name]: Object.assign({}, channel, { legend: legend }) });
    }
    return higher;
  }

  /* How far to the right the words of the legends go, in the picture's own pixels. */
  function reach(svg) {
    const place = svg.getBoundingClientRect(), scale = svg.getAttribute("width") / place.width;
    const ends = [...svg.querySelectorAll(".role-legend-label text")].map((text) => text.getBoundingClientRect().right - place.left);
    return Math.max(0, ...ends) * scale;
  }

  function titleOf(spec) {
    const title = spec.title;
    const text = title && typeof title === "object" && !Array.isArray(title) ? title.text : title;
    return [].concat(text || []).join(" ");
  }

  /* One picture with one description; its marks are not read out one by one. */
  function describe(chart) {
    const svg = chart.element.querySelector("svg.marks");
    if (!svg) return;
    for (const node of [chart.element, ...svg.querySelectorAll("[role], [aria-label]")]) {
      for (const name of ["role", "aria-roledescription", "aria-label"]) node.removeAttribute(name);
    }
    svg.setAttribute("role", "img");
    svg.style.minWidth = Math.min(svg.getAttribute("width"), 560) + "px"; // shrinks to the page, but stays readable
    svg.setAttribute("aria-label", chart.spec.description || titleOf(chart.spec) || "Chart");
    const controls = chart.element.querySelector(".vega-bindings");
    if (controls) svg.before(controls); // panels below each other can be taller than a screen
    chart.element.querySelectorAll(".vega-bind").forEach(function (row, number) {
      const name = row.querySelector(".vega-bind-name");
      row.querySelectorAll("input, select").forEach(function (control, index) {
        control.id = control.id || chart.element.id + "-control-" + number + "-" + index;
        if (name && !control.getAttribute("aria-label")) control.setAttribute("aria-label", name.textContent.trim());
        named(control, (chart.spec.usermeta || {}).steps);
      });
    });
  }

  /* A slider over steps that have names shows the name of its step instead of the step's number. */
  function named(control, steps) {
    const names = steps && steps[control.name];
    if (!names) return;
    const said = document.createElement("output");
    const say = function () {
      said.textContent = names[control.value - 1];
      control.setAttribute("aria-valuetext", said.textContent);
    };
    control.nextElementSibling.replaceWith(said);
    control.addEventListener("input", say);
    say();
  }

  function csv(rows) {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const cell = (value) => (/[",\n]/.test(value) ? '"' + value.replace(/"/g, '""') + '"' : value);
    const line = (values) => values.map((value) => cell(value === null || value === undefined ? "" : String(value))).join(",");
    return [line(columns), ...rows.map((row) => line(columns.map((column) => row[column])))].join("\n") + "\n";
  }

  /* A row of lists stands for a row for each of their entries. */
  function unlisted(row) {
    const lists = Object.keys(row).filter((name) => Array.isArray(row[name]));
    if (!lists.length) return [row];
    return row[lists[0]].map((_, number) => Object.assign({}, row, Object.fromEntries(lists.map((name) => [name, row[name][number]]))));
  }

  /* The chart's tables, those with the same columns as one; what is drawn twice is saved once. */
  function tablesOf(spec) {
    const byColumns = new Map();
    for (const rows of Object.values(spec.datasets || {})) {
      if (!Array.isArray(rows) || rows.length < 2) continue;
      const columns = Object.keys(rows[0]).join();
      byColumns.set(columns, (byColumns.get(columns) || []).concat(rows.flatMap(unlisted)));
    }
    return [...byColumns.values()].map((rows) => [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()]);
  }

  /* Whether the chart has this box below it already: it stays when the chart is drawn again. */
  function offered(chart, name) {
    let next = chart.element.nextElementSibling;
    while (next && /tse-(legend|chart-data)/.test(next.className) && !next.classList.contains(name)) next = next.nextElementSibling;
    return Boolean(next && next.classList.contains(name));
  }

  function offerData(chart) {
    const tables = tablesOf(chart.spec);
    if (!tables.length || offered(chart, "tse-chart-data")) return;
    const box = document.createElement("p");
    box.className = "tse-chart-data";
    tables.forEach(function (rows, number) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Data" + (tables.length > 1 ? " " + (number + 1) : "") + " (CSV)";
      button.setAttribute("aria-label", button.textContent + " of chart: " + (titleOf(chart.spec) || "untitled"));
      button.addEventListener("click", function () {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([csv(rows)], { type: "text/csv" }));
        link.download = (titleOf(chart.spec) || "chart").toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60) + ".csv";
        link.click();
        URL.revokeObjectURL(link.href);
      });
      box.appendChild(button);
    });
    chart.element.after(box);
  }

  /* A legend answers to clicks and taps. For the keyboard its entries are buttons below, seen while one is in focus. */
  function offerLegend(chart) {
    const entries = () => [...chart.element.querySelectorAll(".role-legend-label text")];
    const chosen = (chart.spec.params || []).find((param) => param.bind === "legend");
    if (!chosen || !entries().length || offered(chart, "tse-legend")) return;
    const box = document.createElement("p");
    box.className = "tse-legend";
    const offer = function (name, press) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", press);
      box.appendChild(button);
    };
    for (const name of new Set(entries().map((entry) => entry.textContent))) {
      const press = () => entries().find((entry) => entry.textContent === name);
      offer("Only " + name, () => press().dispatchEvent(new MouseEvent("click", { bubbles: true })));
    }
    offer("All", () => chart.result.view.data(chosen.name + "_store", []).runAsync());
    chart.element.after(box);
  }

  function draw(chart) {
    return embedder()
      .then(function (embed) {
        const room = chart.element.clientWidth || Math.min(600, window.innerWidth - 40); // none in a closed box
        const spec = fitted(chart.spec, room);
        const drawn = (one) => embed(chart.element, one, themed(chart.options));
        if (window.innerWidth >= 600) return drawn(spec);
        let shown = spec;
        const picture = () => chart.element.querySelector("svg.marks");
        const again = function (result, next) {
          result.finalize();
          shown = next;
          return drawn(next);
        };
        return drawn(spec)
          .then((result) => (picture() && reach(picture()) > room ? again(result, stacked(shown)) : result))
          .then(function (result) {
            const excess = picture() ? Math.ceil(picture().getAttribute("width") - room) : 0;
            return excess > 0 ? again(result, narrowed(shown, excess)) : result;
          });
      })
      .then(function (result) {
        chart.result = result;
        describe(chart);
        offerData(chart);
        offerLegend(chart);
        reachable();
        return result;
      });
  }

  window.vegaEmbed = function (element, spec, options) {
    const place = typeof element === "string" ? document.querySelector(element) : element;
    const chart = { element: place, spec: spec, options: options || {} };
    charts.push(chart);
    return draw(chart);
  };

  /* Redraw on a change of theme, keeping the values of the chart's own controls. */
  new MutationObserver(function () {
    for (const chart of charts.filter((one) => one.result)) {
      const state = chart.result.view.getState();
      chart.result.finalize();
      draw(chart).then((result) => result.view.setState(state).runAsync().then(() => describe(chart)));
    }
  }).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });

  /* Boxes that scroll sideways can be reached and scrolled with the keyboard. */
  function reachable() {
    document.querySelectorAll(".bd-article .cell_output .output, .bd-article .pst-scrollable-table-container, .bd-article pre, .bd-article .vega-embed, .bd-article .tse-wide, .bd-article div.math").forEach(function (box) {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
      else if (box.tabIndex === 0) box.removeAttribute("tabindex");
    });
  }
  window.addEventListener("load", () => setTimeout(reachable, 300));

  /* The theme's toggles in the list of pages have no name. */
  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll("summary > .toctree-toggle").forEach(function (toggle) {
      const chapter = toggle.closest("li").querySelector("a");
      toggle.parentElement.setAttribute("aria-label", "Pages of " + (chapter ? chapter.textContent.trim() : "this chapter"));
    });
  });
  window.addEventListener("resize", reachable);
})();
