// Lets a reader take a chart along: as SVG, as PNG, its table as CSV, or a link to it.
"use strict";

(() => {
  // Twice the pixels of the drawing at its widest, for print and slides.
  const PNG_WIDTH = 1_600;
  const EMPTY = "\u2013";

  // The drawing as a file of its own: colours of the light theme in place of the page's variables.
  function standalone(chart) {
    const copy = chart.cloneNode(true);
    const [, , width, height] = chart.getAttribute("viewBox").split(" ").map(Number);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.setAttribute("font-family", "Arial, Liberation Sans, Helvetica, sans-serif");
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    paper.setAttribute("width", width);
    paper.setAttribute("height", height);
    paper.setAttribute("fill", "var(--paper)");
    copy.prepend(paper);
    const colours = getComputedStyle(document.documentElement);
    const text = new XMLSerializer().serializeToString(copy).replace(
      /var\((--[a-z0-9-]+)\)/g,
      (_, name) => colours.getPropertyValue(name).trim(),
    );
    return { text, width, height };
  }

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  function saveSvg(chart, name) {
    save(new Blob([standalone(chart).text], { type: "image/svg+xml" }), `${name}.svg`);
  }

  async function savePng(chart, name) {
    const { text, width, height } = standalone(chart);
    const image = new Image(width, height);
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = PNG_WIDTH;
    canvas.height = Math.round((PNG_WIDTH * height) / width);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, `${name}.png`), "image/png");
  }

  // A spreadsheet must take no text for a formula: the same mark as in the downloads.
  function csvCell(cell) {
    const text = cell.textContent.trim();
    if (text === EMPTY) {
      return "";
    }
    if (/^-?[\d.,]+$/.test(text)) {
      return text.replaceAll(",", "");
    }
    const marked = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(marked) ? `"${marked.replaceAll('"', '""')}"` : marked;
  }

  function saveCsv(table, name) {
    const lines = [...table.rows].map((row) => [...row.cells].map(csvCell).join(","));
    save(new Blob([`${lines.join("\r\n")}\r\n`], { type: "text/csv" }), `${name}.csv`);
  }

  function button(words, what, run) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = words;
    made.setAttribute("aria-label", `${words} of: ${what}`);
    made.addEventListener("click", run);
    return made;
  }

  const stem = location.pathname.split("/").pop().replace(/\.html$/, "").slice(0, 8) || "index";
  for (const section of document.querySelectorAll(".panel.drawn[id]")) {
    const chart = section.querySelector("figure > svg.chart");
    if (!chart) {
      continue;
    }
    const what = section.querySelector("h2").textContent;
    const name = `${stem}-${section.id}`;
    const table = section.querySelector("details table");
    const link = document.createElement("a");
    link.href = `#${section.id}`;
    link.textContent = "Link";
    link.setAttribute("aria-label", `Link to: ${what}`);
    const take = document.createElement("p");
    take.className = "take";
    take.append(
      button("SVG", what, () => saveSvg(chart, name)),
      button("PNG", what, () => savePng(chart, name)),
      // A table that was cut is whole in the downloads alone.
      ...(table && !section.querySelector("details .note")
        ? [button("CSV", what, () => saveCsv(table, name))]
        : []),
      link,
    );
    chart.after(take);
  }
})();
