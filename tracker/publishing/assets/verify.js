// Recomputes the SHA-256 of a slate's canonical bytes from the rows that are published beside its
// page, and holds the page's own table of predictions against those rows.
"use strict";

let slateRows;

(() => {
  const section = document.getElementById("verify");
  const button = document.getElementById("verify-button");
  const result = document.getElementById("verify-result");
  const { rows: stem, files, sha256, predictions } = section.dataset;

  function say(text, kind) {
    result.textContent = text;
    result.className = kind;
  }

  function load(number) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      let content;
      slateRows = (given, loaded) => {
        content = given === number ? loaded : undefined;
      };
      script.addEventListener("load", () => {
        script.remove();
        if (content === undefined) {
          reject(new Error(`rows-${number}.js does not hold the rows it should`));
        } else {
          resolve(content);
        }
      });
      script.addEventListener("error", () => {
        script.remove();
        reject(new Error(`rows-${number}.js cannot be loaded`));
      });
      script.src = `${stem}-${number}.js`;
      document.head.append(script);
    });
  }

  function pageOf(cell) {
    const link = cell.querySelector("a");
    return link ? link.getAttribute("href").match(/([0-9]+)\.html$/)?.[1] : undefined;
  }

  // The table's rows by the pages of their pair, with the values that the hash covers.
  function shownRows() {
    const table = document.querySelector("#predictions table");
    const found = new Map();
    if (!table) {
      return found;
    }
    for (const row of table.tBodies[0].rows) {
      const [rank, disease, drug, tier, score] = row.cells;
      const pages = [pageOf(disease), pageOf(drug)];
      if (pages.every(Boolean)) {
        found.set(pages.join(" "), [rank, tier, score].map((cell) => cell.textContent.trim()));
      }
    }
    return found;
  }

  // A table shows a score rounded: to three decimals, or to two digits if it is small.
  function isRounded(text, score) {
    const shown = Number(text.replaceAll(",", ""));
    const step = Math.abs(score) >= 0.01 || score === 0 ? 0.001 : Math.abs(score) / 10;
    return Math.abs(shown - score) <= step * 0.501;
  }

  function isShownAsFrozen(shown, line) {
    const [, , score, rank, tier] = line.split("\t");
    return (
      shown[0].replaceAll(",", "") === rank &&
      shown[1] === tier &&
      isRounded(shown[2], Number(score))
    );
  }

  async function verify() {
    const encoder = new TextEncoder();
    const parts = [encoder.encode(await load(0))];
    const shown = shownRows();
    const nShown = shown.size;
    const differing = [];
    let n = 0;
    for (let number = 1; number <= Number(files); number += 1) {
      say(`Reading rows, file ${number} of ${files}`, "");
      const rows = await load(number);
      parts.push(encoder.encode(rows.map(([line]) => `${line}\n`).join("")));
      n += rows.length;
      for (const [line, disease, drug] of rows) {
        const key = `${disease} ${drug}`;
        if (shown.has(key)) {
          if (!isShownAsFrozen(shown.get(key), line)) {
            differing.push(line.split("\t").slice(0, 2).join(", "));
          }
          shown.delete(key);
        }
      }
    }
    const bytes = await new Blob(parts).arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const hex = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const count = `${n.toLocaleString("en")} rows`;
    if (hex !== sha256) {
      say(`Mismatch: these ${count} have the SHA-256 ${hex}. They are not what was frozen.`, "mismatch");
    } else if (n !== Number(predictions)) {
      say(`Mismatch: ${count} are published, ${predictions} are announced.`, "mismatch");
    } else if (differing.length || shown.size) {
      const which = differing.length ? differing[0] : "a row that was never frozen";
      say(`Mismatch: the rows are as frozen, but the table below shows others (${which}).`, "mismatch");
    } else {
      const table = nShown ? `, and the ${nShown} predictions shown below are among them` : "";
      say(`Match: ${count} have the SHA-256 above${table}.`, "match");
    }
  }

  async function run() {
    button.disabled = true;
    try {
      await verify();
    } catch (error) {
      say(`Not verified: ${error.message}.`, "mismatch");
    }
    button.disabled = false;
  }

  if (window.crypto?.subtle) {
    button.hidden = false;
    say("", "");
    button.addEventListener("click", run);
  } else {
    say("This browser computes hashes only on pages from https, localhost or a file.", "");
  }
})();
