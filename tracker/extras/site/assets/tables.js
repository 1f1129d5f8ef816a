// Makes every table sortable: a button in each heading, by number, date or text, empty cells last.
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
})();
