// Makes every table sortable: a button in each heading, by number, date or text, empty cells last.
// On the index it also filters the slates: by words of their rows, or by a model that is chosen.
"use strict";

(() => {
  const EMPTY = "\u2013";
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  function value(row, index, isNumber) {
    const text = row.cells[index].textContent.trim();
    if (text === EMPTY || text === "") {
      return null;
    }
    return isNumber ? Number.parseFloat(text.replace(/[,%]/g, "")) : text;
  }

  function sort(table, heading, index) {
    const isDown = heading.getAttribute("aria-sort") === "ascending";
    const isNumber = heading.classList.contains("number");
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((row) => [value(row, index, isNumber), row]);
    keyed.sort(([one], [other]) => {
      if (one === null || other === null) {
        return (one === null) - (other === null);
      }
      const order = isNumber ? one - other : collator.compare(one, other);
      return isDown ? -order : order;
    });
    for (const other of table.tHead.rows[0].cells) {
      other.removeAttribute("aria-sort");
    }
    heading.setAttribute("aria-sort", isDown ? "descending" : "ascending");
    body.append(...keyed.map(([, row]) => row));
  }

  for (const table of document.querySelectorAll(".scroll table")) {
    if (table.tBodies[0].rows.length < 2) {
      continue;
    }
    [...table.tHead.rows[0].cells].forEach((heading, index) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading, index));
      heading.append(button);
    });
  }

  function makeFilter(box) {
    const rows = [...box.querySelector("tbody").rows];
    const field = document.createElement("input");
    const label = document.createElement("label");
    const count = document.createElement("span");
    const filter = document.createElement("p");
    const model = (row) => row.cells[1].textContent.toLowerCase();

    function show() {
      const wanted = field.value.trim().toLowerCase();
      // A model's whole name does not mean others that begin with it.
      const isModel = rows.some((row) => model(row) === wanted);
      for (const row of rows) {
        const isWanted = row.textContent.toLowerCase().includes(wanted);
        row.hidden = isModel ? model(row) !== wanted : !isWanted;
      }
      const shown = rows.filter((row) => !row.hidden).length;
      count.textContent = wanted ? `${shown} of ${rows.length} slates` : "";
    }

    field.type = "search";
    field.autocomplete = "off";
    field.addEventListener("input", show);
    label.append("Filter the slates ", field);
    count.role = "status";
    filter.className = "filter";
    filter.append(label, count);
    box.before(filter);
    for (const link of document.querySelectorAll('main a[href="#slates"]')) {
      link.addEventListener("click", () => {
        field.value = link.textContent;
        show();
      });
    }
  }

  const slates = document.querySelector("#slates .scroll");
  if (slates) {
    makeFilter(slates);
  }
})();
