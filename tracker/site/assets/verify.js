// Recomputes a slate's SHA-256 from the rows published with its page, compares the page with those
// rows, and looks the slate up in the log and its timestamps. The rules are written down in
// tracker/site/page_rule.py and log_rule.py, which apply them outside the page; tests run the same
// alterations against both.
"use strict";

let slateRows;

(() => {
  // A page shows so many predictions, the best ranks first (tracker.report.listing).
  const MOST_PREDICTIONS = 1000;
  const MOST_DIFFERENCES = 5;
  const NOTHING = "\u2013";
  const COLUMNS = [
    "rank", "disease", "disease identifier", "drug", "drug identifier", "tier", "score",
    "known label", "known max phase", "due date", "status", "evidence",
  ];
  const [, DISEASE, DISEASE_IDENTIFIER, DRUG, DRUG_IDENTIFIER] = COLUMNS.keys();
  const CHAIN = ["frozen on", "slate ID", "description", "content SHA-256", "previous SHA-256"];
  const OFFICIAL = { [DISEASE]: /^[A-Z][A-Z0-9.]*:\S+$/, [DRUG]: /^CHEMBL[0-9]+$/ };
  const LONGEST_CHECKED_NAME = 100;

  // What the compared parts of the page may consist of; anything else could hide or forge a row.
  const PARTS = ["verify", "predictions", "chain", "checks"];
  const CHILDREN = {
    header: ["p", "h1"], h1: ["bdi"], section: ["h2", "h3", "p", "div", "ul", "dl", "button"],
    div: ["table", "p", "ul"], p: ["code", "a"], ul: ["li"], li: ["code"], dl: ["dt", "dd"],
    table: ["thead", "tbody"], thead: ["tr"], tbody: ["tr"], tr: ["th", "td"], th: ["button"],
    td: ["a"],
  };
  const TEXTLESS = ["header", "section", "div", "ul", "dl", "table", "thead", "tbody", "tr"];
  const ATTRIBUTES = [
    "aria-label", "aria-labelledby", "aria-sort", "class", "data-files", "data-rows", "disabled",
    "href", "id", "role", "scope", "tabindex", "type",
  ];
  const CLASSES = [
    "cards", "checks", "facts", "hash", "kicker", "listing", "match", "mismatch", "note", "number",
    "scroll", "subtitle", "verify", "word",
    // Columns of numbers and of texts, by position.
    ...["n", "t"].flatMap((kind) => COLUMNS.map((_, at) => `${kind}${at + 1}`)),
  ];

  // The head of the page with its attributes: what it loads could hide or replace the rest.
  const HEAD = [
    ["meta", { charset: "utf-8" }],
    ["meta", {
      "http-equiv": "Content-Security-Policy",
      content: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
        "connect-src 'none'; base-uri 'none'; form-action 'none'",
    }],
    ["meta", { name: "viewport", content: "width=device-width, initial-scale=1" }],
    ["meta", { name: "color-scheme", content: "light dark" }],
    ["meta", { name: "referrer", content: "no-referrer" }],
    ["title", {}],
    ["link", { rel: "stylesheet", href: "../assets/site.css" }],
    ["link", { rel: "icon", type: "image/svg+xml", href: "../assets/icon.svg" }],
    ["link", {
      rel: "alternate", type: "application/atom+xml", title: "New outcomes", href: "../feed.xml",
    }],
    ...["search", "tables", "verify"].map((name) => [
      "script", { src: `../assets/${name}.js`, defer: "" },
    ]),
  ];
  const NOT_IN_BODY = "html, link, meta, script, style, title";

  class Mismatch extends Error {}

  const section = document.getElementById("verify");
  const button = document.getElementById("verify-button");
  const result = document.getElementById("verify-result");

  // Each part is a sentence, or a heading with a list under it.
  function say(kind, ...parts) {
    const elements = parts.flatMap((part) => {
      const [text, items] = Array.isArray(part) ? part : [part, []];
      const paragraph = document.createElement("p");
      paragraph.textContent = text;
      const list = document.createElement("ul");
      list.append(
        ...items.map((item) => {
          const element = document.createElement("li");
          element.textContent = item;
          return element;
        }),
      );
      return items.length ? [paragraph, list] : [paragraph];
    });
    result.replaceChildren(...elements);
    result.className = kind;
  }

  function load(stem, number) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      let content;
      slateRows = (given, loaded) => {
        content = given === number ? loaded : undefined;
      };
      script.addEventListener("load", () => {
        script.remove();
        if (content === undefined) {
          reject(new Error(`rows-${number}.js does not contain the expected rows`));
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

  // How values look on a page (tracker.report.words).

  function count(number) {
    return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  }

  function short(text, most = 200) {
    const letters = [...text];
    const isLong = letters.length > most;
    return isLong ? `${letters.slice(0, most).join("")}… (${count(letters.length)} characters)` : text;
  }

  function printable(text) {
    return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\ufffd");
  }

  function shown(text) {
    return short(printable(text));
  }

  function shownScore(text) {
    const score = Number(text);
    const size = Math.abs(score);
    if (size >= 0.01 || score === 0) {
      // Python rounds a half to the even neighbour; with three decimals a half is an odd sixteenth.
      const isHalf = Number.isInteger(size * 16) && (size * 16) % 2 === 1;
      const thousandths = Math.floor(size * 1000);
      let digits = size.toFixed(3);
      if (isHalf && thousandths % 2 === 0) {
        digits = (thousandths / 1000).toFixed(3);
      } else if (size >= 1e21) {
        digits = `${BigInt(size)}.000`;
      }
      const [whole, decimals] = digits.split(".");
      return `${score < 0 || Object.is(score, -0) ? "-" : ""}${count(whole)}.${decimals}`;
    }
    const [digits, exponent] = score.toExponential(1).split("e-");
    return exponent <= 4
      ? String(Number(score.toPrecision(2)))
      : `${Number(digits)}e-${exponent.padStart(2, "0")}`;
  }

  function dueDate(frozenOn, criterion, years) {
    if (criterion === "monitor" || years === "") {
      return NOTHING;
    }
    const [year, month, day] = frozenOn.split("-");
    const due = Number(year) + Number(years);
    const isLeap = (due % 4 === 0 && due % 100 !== 0) || due % 400 === 0;
    const last = month === "02" && day === "29" && !isLeap ? "28" : day;
    return `${String(due).padStart(4, "0")}-${month}-${last}`;
  }

  function expectedCells(line, header) {
    const [disease, drug, score, rank, tier, label, phase, , criterion, , years] = line.split("\t");
    const given = [
      rank, null, shown(disease), null, shown(drug), tier, shownScore(score), label || NOTHING,
      phase === "" ? NOTHING : String(Number(phase)), dueDate(header.frozen_on, criterion, years),
    ];
    return { disease, drug, given };
  }

  // Names as they are compared: letter by letter, without regard to case, to how marks were typed,
  // and to characters that cannot be seen (tracker/entities/folding.py).
  const MARKS = [
    [/[`\u00b4\u02b9\u02bb-\u02bd\u2018-\u201b\u2032\u2035\u0091\u0092]/gu, "'"],
    [/[\u201c-\u201f\u2033\u2036\u0093\u0094]/gu, '"'],
    [/[\u2010-\u2015\u2212\ufe58\ufe63\u0096\u0097]/gu, "-"],
    [/[\p{Default_Ignorable_Code_Point}\x00-\x08\x0e-\x1b\x7f]/gu, ""],
  ];

  function folded(name) {
    // A capital sharp s becomes two letters only by way of the small one.
    const fold = (one) => one.toLowerCase().toUpperCase().toLowerCase();
    const letters = [...name.normalize("NFC")].map(fold).join("");
    const narrow = letters.replace(/[\uff01-\uff5e]/gu, (wide) =>
      String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
    return MARKS.reduce((text, [given, mark]) => text.replace(given, mark), narrow)
      .replace(/\s+/gu, " ").trim().normalize("NFC");
  }

  function isItsOwnName(column, identifier) {
    return (
      !OFFICIAL[column].test(identifier) &&
      printable(identifier) === identifier &&
      [...identifier].length <= LONGEST_CHECKED_NAME
    );
  }

  // The structure of the page.

  function only(selector, root = document) {
    const found = root.querySelectorAll(selector);
    if (found.length !== 1) {
      throw new Mismatch(`the page has ${found.length} elements '${selector}', not 1`);
    }
    return found[0];
  }

  function refuseForeign(element) {
    const tag = element.localName;
    for (const { name } of element.attributes) {
      if (!ATTRIBUTES.includes(name)) {
        throw new Mismatch(`the page has an element '${tag}' with the attribute '${name}'`);
      }
    }
    const foreign = [...element.classList].find((name) => !CLASSES.includes(name));
    if (foreign !== undefined) {
      throw new Mismatch(`the page has an element '${tag}' of the class '${foreign}'`);
    }
    for (const node of element.childNodes) {
      if (node.nodeType === Node.ELEMENT_NODE) {
        if (!CHILDREN[tag]?.includes(node.localName)) {
          throw new Mismatch(`the page has an element '${node.localName}' inside '${tag}'`);
        }
        refuseForeign(node);
      } else if (node.nodeType !== Node.TEXT_NODE) {
        throw new Mismatch("the page has a comment among its rows");
      } else if (TEXTLESS.includes(tag) && node.data.trim()) {
        throw new Mismatch(`the page has text directly inside '${tag}': ${shown(node.data.trim())}`);
      }
    }
  }

  function described(tag, attributes) {
    return JSON.stringify([tag, Object.entries(attributes).sort()]);
  }

  function requireHead() {
    const given = [...document.head.querySelectorAll("*")].map((element) => {
      const attributes = [...element.attributes].map(({ name, value }) => [name, value]);
      return described(element.localName, Object.fromEntries(attributes));
    });
    if (given.join("\n") !== HEAD.map((one) => described(...one)).join("\n")) {
      throw new Mismatch("the head of the page is not the one that tracker writes");
    }
    const foreign = document.body.querySelector(NOT_IN_BODY);
    if (foreign) {
      throw new Mismatch(`the page has an element '${foreign.localName}' inside its body`);
    }
  }

  function requireStructure() {
    const main = only("main");
    const parts = [only("header"), ...PARTS.map((name) => only(`[id="${name}"]`))];
    for (const [element, ...allowed] of [
      [document.documentElement, "lang"], [document.body], [main, "id"],
    ]) {
      const foreign = [...element.attributes].find(({ name }) => !allowed.includes(name));
      if (foreign) {
        throw new Mismatch(
          `the page has an element '${element.localName}' with the attribute '${foreign.name}'`,
        );
      }
    }
    for (const element of [main, ...parts]) {
      const parent = ["main", "header"].includes(element.localName) ? document.body : main;
      if (element.parentElement !== parent) {
        throw new Mismatch(`the page has '${element.id || "header"}' inside another element`);
      }
    }
    requireHead();
    parts.forEach(refuseForeign);
    for (const id of ["verify-button", "verify-result"]) {
      only(`[id="${id}"]`);
    }
    const wanted = COLUMNS.join();
    const tables = [...document.querySelectorAll("table")];
    if (tables.filter((table) => headings(table).join() === wanted).length > 1) {
      throw new Mismatch("the page has a second table of predictions");
    }
  }

  function headings(table) {
    return [...table.querySelectorAll("thead th")].map((cell) => cell.textContent);
  }

  // The rows of a part's only table, as the texts of their cells.
  function shownRows(name, columns) {
    const part = document.getElementById(name);
    const table = only(`#${name} table`);
    const [head, body] = [only("thead", part), only("tbody", part)];
    if (table.rows.length !== body.rows.length + 1 || head.rows.length !== 1) {
      throw new Mismatch(`the table of ${name} has rows outside its body`);
    }
    const found = headings(table);
    if (found.join() !== columns.join() || head.rows[0].cells.length !== columns.length) {
      throw new Mismatch(`the columns of the table of ${name} are ${found.join(", ")}`);
    }
    return [...body.rows].map((row) => {
      const cells = [...row.cells].map((cell) => cell.textContent);
      if (cells.length !== columns.length || row.querySelector("th")) {
        throw new Mismatch(`a row of the table of ${name} has ${cells.length} cells`);
      }
      return cells;
    });
  }

  // The content of the page apart from the table.

  function factDifferences(header, sha256) {
    const differences = [];
    const compare = (what, given, expected) => {
      if (given !== expected) {
        differences.push(`${what}: the page shows '${given}', not the frozen '${expected}'`);
      }
    };
    const description = shown(header.description);
    compare(
      "the title",
      only("h1").textContent,
      shown(`Slate ${header.slate_id.slice(0, 8)}: ${header.description}`),
    );
    const n = header.n_predictions;
    const noun = n === 1 ? "prediction" : "predictions";
    const by = `${count(n)} ${noun} by ${printable(header.model_version)} for `;
    const subtitle = only("header .subtitle").textContent;
    const tail = new RegExp(
      `^[0-9,]+ diseases?, frozen on ${header.frozen_on} ` +
        "\\((?:date proved|date claimed|a replay)\\)\\. As known on [0-9]{4}-[0-9]{2}-[0-9]{2}\\.$",
    );
    // A line of endless names is cut off.
    const isCut = [...by].length > 1900;
    if (isCut ? !subtitle.startsWith(by.slice(0, 1900)) :
      !subtitle.startsWith(by) || !tail.test(subtitle.slice(by.length))) {
      differences.push(
        `the line under the title: the page shows '${subtitle}', ` +
        `not the frozen '${by}…, frozen on ${header.frozen_on}'`,
      );
    }
    const given = new Map();
    for (const term of only("#checks dl").querySelectorAll("dt")) {
      const name = term.textContent;
      const value = term.nextElementSibling?.textContent ?? "";
      // No value that was frozen is the text in place of two.
      given.set(name, given.has(name) ? "two values" : value);
    }
    const facts = {
      "slate ID": header.slate_id,
      "frozen on": header.frozen_on,
      "created at": header.created_at,
      predictions: count(n),
      "SHA-256 of the slate": sha256,
      "SHA-256 of the slate before it": header.previous_sha256 ?? "none: the first of its chain",
      "SHA-256 of the candidate file": header.candidate_sha256 ?? undefined,
      "SHA-256 of the label file": header.label_sha256 ?? undefined,
      "SHA-256 of the aliases": header.alias_sha256 ?? undefined,
    };
    for (const [name, expected] of Object.entries(facts)) {
      compare(`the fact '${name}'`, given.get(name), expected);
    }
    const links = shownRows("chain", CHAIN).filter((row) => row[1] === header.slate_id);
    const link = [
      header.frozen_on, header.slate_id, description, sha256, header.previous_sha256 ?? NOTHING,
    ];
    compare("the chain", links.map((row) => row.join(" ")).join(), link.join(" "));
    const cited = only(".cite").textContent;
    if (!cited.includes(`, slate ${header.slate_id}, SHA-256 ${sha256}. `)) {
      differences.push("the line to cite: the page does not name the slate and its SHA-256");
    }
    return differences;
  }

  // The table of predictions, one to one.

  function rowDifferences(expected) {
    const rows = shownRows("predictions", COLUMNS);
    const differences = [];
    if (rows.length !== expected.length) {
      differences.push(`the table has ${count(rows.length)} rows, not ${count(expected.length)}`);
    }
    const awaited = new Map();
    for (const one of expected) {
      const key = `${one.given[DISEASE_IDENTIFIER]}, ${one.given[DRUG_IDENTIFIER]}`;
      awaited.set(key, [...(awaited.get(key) ?? []), one]);
    }
    const known = new Set(awaited.keys());
    for (const cells of rows) {
      const key = `${cells[DISEASE_IDENTIFIER]}, ${cells[DRUG_IDENTIFIER]}`;
      const candidates = awaited.get(key) ?? [];
      if (!candidates.length) {
        const why = known.has(key) ? "is shown twice" : "is shown, but is not among the frozen ones";
        differences.push(`${key}: ${why}`);
        continue;
      }
      const found = candidates.map((one) => cellDifference(cells, one));
      const at = Math.max(found.indexOf(null), 0);
      if (found[at]) {
        differences.push(`${key}: ${found[at]}`);
      }
      candidates.splice(at, 1);
    }
    for (const [key, left] of awaited) {
      differences.push(...left.map(() => `${key}: is missing from the table`));
    }
    return differences;
  }

  function cellDifference(cells, { disease, drug, given }) {
    for (const [at, text] of given.entries()) {
      if (text !== null && cells[at] !== text) {
        return `${COLUMNS[at]} is shown as '${cells[at]}', not the frozen '${text}'`;
      }
    }
    for (const [at, identifier] of [[DISEASE, disease], [DRUG, drug]]) {
      if (isItsOwnName(at, identifier) && folded(cells[at]) !== folded(identifier)) {
        return `${COLUMNS[at]} is shown as '${cells[at]}', not the frozen '${identifier}'`;
      }
    }
    return null;
  }

  // The log: a Merkle tree after RFC 9162.

  function hexOf(bytes) {
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  function fromHex(text) {
    if (typeof text !== "string" || !/^[0-9a-f]{64}$/.test(text)) {
      throw new Mismatch("rows-log.js has something other than a SHA-256 in the proof");
    }
    return Uint8Array.from(text.match(/../g), (two) => parseInt(two, 16));
  }

  async function sha256Of(...parts) {
    const bytes = await new Blob(parts).arrayBuffer();
    return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  }

  // Whether the path leads from the leaf to the root (section 2.1.3.2).
  async function isIncluded(leaf, index, size, path, root) {
    if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) {
      return false;
    }
    const node = (left, right) => sha256Of(Uint8Array.of(1), left, right);
    const half = (number) => Math.floor(number / 2);
    let [place, last, reached] = [index, size - 1, leaf];
    for (const sibling of path) {
      if (last === 0) {
        return false;
      }
      if (place % 2 === 1 || place === last) {
        reached = await node(sibling, reached);
        while (place % 2 === 0 && place !== 0) {
          [place, last] = [half(place), half(last)];
        }
      } else {
        reached = await node(reached, sibling);
      }
      [place, last] = [half(place), half(last)];
    }
    return last === 0 && hexOf(reached) === hexOf(root);
  }

  async function checkLog(given, header, sha256) {
    const { table, line, leaf_index: index, inclusion_path: path, head: headLine, tokens } = given;
    if (![table, line, headLine].every((text) => typeof text === "string") ||
        !Array.isArray(path) || !Array.isArray(tokens)) {
      throw new Mismatch("rows-log.js does not contain a proof");
    }
    const head = JSON.parse(headLine);
    const encoder = new TextEncoder();
    const leaf = await sha256Of(Uint8Array.of(0), encoder.encode(`${table}\n${line}`));
    const root = fromHex(head.root_sha256);
    if (!(await isIncluded(leaf, index, head.n_entries, path.map(fromHex), root))) {
      throw new Mismatch(
        `the line is not entry ${count(index)} of the tree with the root of head`,
      );
    }
    const row = JSON.parse(line);
    if (table !== "slate" || row.slate_id !== header.slate_id || row.content_sha256 !== sha256) {
      throw new Mismatch("the entry of the log is of another slate");
    }
    const headSha256 = hexOf(await sha256Of(encoder.encode(`${headLine}\n`)));
    const stamped = tokens.map(({ path: file, reply }) => {
      const digest = imprintOf(String(file), String(reply));
      if (digest !== sha256 && digest !== headSha256) {
        throw new Mismatch(`${shown(String(file))} is for another hash, ${digest}`);
      }
      return { file: shown(String(file)), digest };
    });
    return { head, index, stamped };
  }

  // Timestamps (RFC 3161), in DER: what was stamped, not who signed it.

  class NotDer extends Error {}

  // The values that follow each other in the bytes, each of its tag.
  function valuesOf(bytes) {
    const found = [];
    let at = 0;
    while (at < bytes.length) {
      const [tag, first] = [bytes[at], bytes[at + 1]];
      at += 2;
      let length = first;
      if (first === undefined || (tag & 0x1f) === 0x1f) {
        throw new NotDer();
      }
      if (first >= 0x80) {
        const n = first - 0x80;
        if (n < 1 || n > 4 || at + n > bytes.length) {
          throw new NotDer();
        }
        length = bytes.slice(at, at + n).reduce((sum, byte) => sum * 256 + byte, 0);
        at += n;
      }
      if (at + length > bytes.length) {
        throw new NotDer();
      }
      found.push({ tag, content: bytes.slice(at, at + length) });
      at += length;
    }
    return found;
  }

  function inside(value, tag) {
    if (value?.tag !== tag) {
      throw new NotDer();
    }
    return valuesOf(value.content);
  }

  function requireContent(value, tag, hex) {
    if (value?.tag !== tag || hexOf(value.content) !== hex) {
      throw new NotDer();
    }
  }

  const [INTEGER, OCTETS, OBJECT, SEQUENCE, CONTEXT_0] = [0x02, 0x04, 0x06, 0x30, 0xa0];
  const SIGNED_DATA = "2a864886f70d010702";
  const TIMESTAMP = "2a864886f70d0109100104";
  const SHA256 = "608648016503040201";

  function single(values) {
    if (values.length !== 1) {
      throw new NotDer();
    }
    return values[0];
  }

  // The SHA-256 that a granted reply is for, in hexadecimal.
  function imprintOf(file, base64) {
    try {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const [status, token] = inside(single(valuesOf(bytes)), SEQUENCE);
      requireContent(inside(status, SEQUENCE)[0], INTEGER, "00");
      const [kind, explicit] = inside(token, SEQUENCE);
      requireContent(kind, OBJECT, SIGNED_DATA);
      const signed = inside(single(inside(explicit, CONTEXT_0)), SEQUENCE);
      const [type, content] = inside(signed[2], SEQUENCE);
      requireContent(type, OBJECT, TIMESTAMP);
      const octets = single(inside(content, CONTEXT_0));
      const stated = inside(single(inside(octets, OCTETS)), SEQUENCE);
      requireContent(stated[0], INTEGER, "01");
      const [algorithm, digest] = inside(stated[2], SEQUENCE);
      requireContent(inside(algorithm, SEQUENCE)[0], OBJECT, SHA256);
      if (digest?.tag !== OCTETS || digest.content.length !== 32) {
        throw new NotDer();
      }
      return hexOf(digest.content);
    } catch (error) {
      if (error instanceof NotDer || error instanceof DOMException) {
        throw new Mismatch(`${shown(file)} is not a timestamp reply of a SHA-256`);
      }
      throw error;
    }
  }

  async function verify() {
    requireStructure();
    const sha256 = only("#verify .hash code").textContent;
    if (!/^[0-9a-f]{64}$/.test(sha256)) {
      throw new Mismatch("the page shows no SHA-256");
    }
    const { rows: stem, files } = section.dataset;
    const encoder = new TextEncoder();
    const first = await load(stem, 0);
    const parts = [encoder.encode(first)];
    let best = [];
    let n = 0;
    const trim = () => {
      best.sort(([one], [other]) => one - other);
      best.length = Math.min(best.length, MOST_PREDICTIONS);
    };
    for (let number = 1; number <= Number(files); number += 1) {
      say("", `Reading rows, file ${number} of ${files}`);
      const lines = await load(stem, number);
      if (!lines.every((line) => typeof line === "string" && /^([^\t\n]*\t){10}[^\t\n]*$/.test(line))) {
        throw new Mismatch(`rows-${number}.js contains something other than predictions`);
      }
      parts.push(encoder.encode(lines.map((line) => `${line}\n`).join("")));
      n += lines.length;
      // Lines are in the order of their identifiers, and sorting keeps that within a rank.
      for (const line of lines) {
        best.push([Number(line.split("\t", 4)[3]), line]);
        if (best.length >= 20 * MOST_PREDICTIONS) {
          trim();
        }
      }
    }
    trim();
    const hex = hexOf(await sha256Of(...parts));
    if (hex !== sha256) {
      throw new Mismatch(`the published rows have the SHA-256 ${hex}, not the one shown above`);
    }
    const header = JSON.parse(first);
    const differences = factDifferences(header, sha256);
    if (n !== header.n_predictions) {
      differences.push(`${count(n)} rows are published, ${count(header.n_predictions)} were frozen`);
    }
    const expected = best.map(([, line]) => expectedCells(line, header));
    differences.push(...rowDifferences(expected));
    if (differences.length) {
      throw new Mismatch("", { cause: differences });
    }
    report(header, n, expected, await checkLog(await load(stem, "log"), header, hex));
  }

  function opensslLine({ file, digest }) {
    const roots = file.replace(/[^/]*$/, "roots.pem");
    return `openssl ts -verify -digest ${digest} -in ${file} -CAfile ${roots}`;
  }

  function report(header, n, expected, { head, index, stamped }) {
    const unchecked = new Set();
    for (const { disease, drug } of expected) {
      for (const [column, identifier] of [[DISEASE, disease], [DRUG, drug]]) {
        if (!isItsOwnName(column, identifier)) {
          unchecked.add(identifier);
        }
      }
    }
    const some = [...unchecked].slice(0, 3).map(shown).join(", ");
    const which = expected.length < n
      ? `the ${count(expected.length)} of best rank, in the order of their identifiers`
      : "all of them";
    say(
      "match",
      `Match: the page shows what has the SHA-256 above.${
        header.is_replay ? " The slate is a replay, frozen with hindsight." : ""}`,
      ["Checked", [
        `The ${count(n)} published rows and their header have this SHA-256.`,
        `The table of predictions has ${which}, each once: rank, identifiers, tier, score as ` +
        "rounded, what was known at the freeze, due date.",
        "Description, model version, freeze date, number of predictions and the hashes of its " +
        "files are those of the header.",
        `The slate, with this SHA-256, is entry ${count(index)} of the log with the root ` +
        `${head.root_sha256}, of ${count(head.n_entries)} entries, sealed at ${head.sealed_at}. ` +
        "Compare the root with the one on the index and with a head that you kept.",
        ...(stamped.length
          ? [`${count(stamped.length)} ${stamped.length === 1 ? "timestamp is" : "timestamps are"} ` +
             "of this SHA-256 or of that head."]
          : []),
      ]],
      ["Not checked", [
        "Whether this SHA-256 is the one that was published at the freeze: compare it with the " +
        "one you were given elsewhere.",
        "Who froze the slate, and when in reality.",
        ...(stamped.length
          ? ["The authority's signature of a timestamp, and with it the time that it states: a " +
             "browser cannot. In the site's folder, with the authority's own root certificate in " +
             "place of roots.pem:",
             ...stamped.map(opensslLine)]
          : []),
        "Outcomes, status, evidence, figures, charts, the verdict, every sentence, other pages, " +
        "the downloads, and where links lead.",
        ...(unchecked.size
          ? [`Names next to an identifier, which the hash does not cover: ${some} ` +
             `${unchecked.size > 3 ? `and ${count(unchecked.size - 3)} more ` : ""}` +
             "are checked, their names are not."]
          : []),
        "What the style sheet and the scripts of the site do: they can hide or replace what a page " +
        "shows. The command named below compares them with tracker's own.",
        "This button itself: it is part of the site. The first command under 'How to check this page' does not rely on it.",
      ]],
    );
  }

  async function run() {
    button.disabled = true;
    try {
      await verify();
    } catch (error) {
      if (error instanceof Mismatch) {
        const differences = error.cause ?? [error.message];
        const more = differences.length - MOST_DIFFERENCES;
        say("mismatch", [
          "Mismatch: the page does not show what was frozen.",
          [
            ...differences.slice(0, MOST_DIFFERENCES).map((one) => `${one}.`),
            ...(more > 0 ? [`And ${count(more)} more.`] : []),
          ],
        ]);
      } else {
        say("mismatch", `Not verified: ${error.message}.`);
      }
    }
    button.removeAttribute("disabled");
  }

  if (window.crypto?.subtle) {
    button.hidden = false;
    say("");
    button.addEventListener("click", run);
  } else {
    say("", "This browser computes hashes only on pages from https, localhost or a file.");
  }
})();
