// Recomputes a slate's SHA-256 from the rows published with its page, looks the slate up in the log
// and its timestamps, and shows the rows that were verified. It does not read the page around it,
// which could say anything. The rule for the log is that of tracker/extras/site/log_rule.py; tests run the
// same alterations against both.
"use strict";

let slateRows;

(() => {
  const MOST_SHOWN = 1000;
  // The fields of a line (sql/prospective/prediction_line.sql), by their place in it.
  const FIELDS = [
    "disease identifier", "drug identifier", "score", "rank", "tier", "known label",
    "known max phase", "first approval year", "criterion", "criterion min phase",
    "criterion horizon years",
  ];
  const RANK = FIELDS.indexOf("rank");
  const NUMBERS = ["score", "rank", "known label", "known max phase", "first approval year",
    "criterion min phase", "criterion horizon years"];
  const LINE = /^([^\t\n]*\t){10}[^\t\n]*$/;

  class Mismatch extends Error {}

  const encoder = new TextEncoder();

  const section = document.getElementById("verify");
  const button = document.getElementById("verify-button");
  const result = document.getElementById("verify-result");
  const verified = document.createElement("div");
  section.append(verified);

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
    verified.replaceChildren();
    result.className = kind;
  }

  // What a script passes to slateRows under this key.
  function load(address, key) {
    const file = address.split("/").pop();
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      let content;
      slateRows = (given, loaded) => {
        content = given === key ? loaded : undefined;
      };
      script.addEventListener("load", () => {
        script.remove();
        if (content === undefined) {
          reject(new Error(`${file} does not contain what is expected`));
        } else {
          resolve(content);
        }
      });
      script.addEventListener("error", () => {
        script.remove();
        reject(new Error(`${file} cannot be loaded`));
      });
      script.src = address;
      document.head.append(script);
    });
  }

  // Text of the slate, of which no character can hide or reorder others.

  function count(number) {
    return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  }

  function shown(text, most = 200) {
    const letters = [...text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\ufffd")];
    const cut = letters.slice(0, most).join("");
    return letters.length > most ? `${cut}… (${count(letters.length)} characters)` : cut;
  }

  // The log: a Merkle tree after RFC 9162.

  function hexOf(bytes) {
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  function fromHex(text) {
    if (typeof text !== "string" || !/^[0-9a-f]{64}$/.test(text)) {
      throw new Mismatch("a proof has something other than a SHA-256");
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

  // The row of a line, which a proof must show to be an entry of the log with a head.
  async function rowOf({ table, line, leaf_index: index, inclusion_path: path }, head, file) {
    if (typeof table !== "string" || typeof line !== "string" || !Array.isArray(path)) {
      throw new Mismatch(`${file} does not contain a proof`);
    }
    const leaf = await sha256Of(Uint8Array.of(0), encoder.encode(`${table}\n${line}`));
    const root = fromHex(head.root_sha256);
    if (!(await isIncluded(leaf, index, head.n_entries, path.map(fromHex), root))) {
      throw new Mismatch(
        `${file}: the line is not entry ${count(index)} of the tree with the root of head`,
      );
    }
    return JSON.parse(line);
  }

  async function checkLog(given, header, sha256) {
    const { table, leaf_index: index, head: headLine, tokens } = given;
    if (typeof headLine !== "string" || !Array.isArray(tokens)) {
      throw new Mismatch("rows-log.js does not contain a proof");
    }
    const head = JSON.parse(headLine);
    const row = await rowOf(given, head, "rows-log.js");
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

  // The manifest has to list what was loaded, and to be sealed in the same log; in words.
  async function checkManifest({ manifest, proof }, header, files, head) {
    const sha256 = hexOf(await sha256Of(encoder.encode(manifest)));
    const listed = JSON.parse(manifest).files;
    const own = `slates/${header.slate_id}`;
    const rows = [...Array(Number(files) + 1).keys(), "log"].map((number) => `rows-${number}.js`);
    for (const path of [`${own}.html`, ...["audit.html", ...rows].map((name) => `${own}/${name}`)]) {
      if (!Object.hasOwn(listed, path)) {
        throw new Mismatch(`manifest.json does not list ${path}`);
      }
    }
    const words = `manifest.json, which lists every file of the site, has the SHA-256 ${sha256}`;
    if (proof === null) {
      return `${words}. It was not sealed in the log.`;
    }
    const row = await rowOf(proof, proof.head, "publication.js");
    if (proof.table !== "publication" || row.manifest_sha256 !== sha256) {
      throw new Mismatch("publication.js: the entry of the log is of another manifest");
    }
    if (proof.head.log_id !== head.log_id || proof.head.n_entries <= head.n_entries) {
      throw new Mismatch("publication.js: the manifest is not sealed in the log of the slate");
    }
    return `${words}, and is entry ${count(proof.leaf_index)} of the log with the root ` +
      `${proof.head.root_sha256}, sealed at ${proof.head.sealed_at}.`;
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

  // What was verified, drawn from the rows themselves.

  function made(tag, text, attributes = {}) {
    const element = document.createElement(tag);
    element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) {
      element.setAttribute(name, value);
    }
    return element;
  }

  function showRows(header, best, n) {
    const facts = made("dl", "", { class: "facts" });
    for (const name of ["description", "model_version", "frozen_on", "created_at", "slate_id",
      "previous_sha256", "candidate_sha256", "label_sha256", "alias_sha256"]) {
      const value = header[name] === null ? "none" : shown(String(header[name]));
      facts.append(made("dt", name.replaceAll("_", " ")), made("dd", value));
    }
    const row = (tag, texts, attributes) => {
      const element = made("tr", "");
      element.append(...texts.map((text, at) => made(tag, text, {
        ...attributes, ...(NUMBERS.includes(FIELDS[at]) ? { class: "number" } : {}),
      })));
      return element;
    };
    const [table, head, body] = ["table", "thead", "tbody"].map((tag) => made(tag, ""));
    head.append(row("th", FIELDS, { scope: "col" }));
    body.append(...best.map((line) => row("td", line.split("\t").map((one) => shown(one)))));
    table.append(head, body);
    const label = { class: "scroll", role: "region", tabindex: "0", "aria-label": "Verified rows" };
    const scroll = made("div", "", label);
    scroll.append(table);
    const which = best.length < n ? `The ${count(best.length)} of best rank, of ${count(n)} rows` :
      `All ${count(n)} rows`;
    verified.replaceChildren(
      made("h3", "Verified rows"),
      made("p", `${which}, and the header, as they were hashed.`, { class: "note" }),
      facts,
      scroll,
    );
  }

  async function verify() {
    const sha256 = section.querySelector(".hash").textContent.trim();
    const { files } = section.dataset;
    const first = await load("rows-0.js", 0);
    const parts = [encoder.encode(first)];
    let best = [];
    let n = 0;
    const trim = () => {
      best.sort(([one], [other]) => one - other);
      best.length = Math.min(best.length, MOST_SHOWN);
    };
    for (let number = 1; number <= Number(files); number += 1) {
      say("", `Reading rows, file ${number} of ${files}`);
      const lines = await load(`rows-${number}.js`, number);
      if (!lines.every((line) => typeof line === "string" && LINE.test(line))) {
        throw new Mismatch(`rows-${number}.js contains something other than predictions`);
      }
      parts.push(encoder.encode(lines.map((line) => `${line}\n`).join("")));
      n += lines.length;
      // Lines are in the order of their identifiers, and sorting keeps that within a rank.
      for (const line of lines) {
        best.push([Number(line.split("\t", RANK + 1)[RANK]), line]);
        if (best.length >= 20 * MOST_SHOWN) {
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
    if (n !== header.n_predictions) {
      throw new Mismatch(
        `${count(n)} rows are published, ${count(header.n_predictions)} were frozen`,
      );
    }
    const log = await checkLog(await load("rows-log.js", "log"), header, hex);
    const publication = await load("../../publication.js", "publication");
    report(header, n, hex, log, await checkManifest(publication, header, files, log.head));
    showRows(header, best.map(([, line]) => line), n);
  }

  function opensslLine({ file, digest }) {
    const roots = file.replace(/[^/]*$/, "roots.pem");
    return `openssl ts -verify -digest ${digest} -in ${file} -CAfile ${roots}`;
  }

  function report(header, n, sha256, { head, index, stamped }, manifest) {
    say(
      "match",
      `Match: the rows shown below have this SHA-256.${
        header.is_replay ? " The slate is a replay, frozen with hindsight." : ""}`,
      ["Checked", [
        `The ${count(n)} published rows and their header have the SHA-256 ${sha256}.`,
        `The slate, with this SHA-256, is entry ${count(index)} of the log with the root ` +
        `${head.root_sha256}, of ${count(head.n_entries)} entries, sealed at ${head.sealed_at}. ` +
        "Compare the root with the one on the index and with a head that you kept.",
        ...(stamped.length
          ? [`${count(stamped.length)} ${stamped.length === 1 ? "timestamp is" : "timestamps are"} ` +
             "of this SHA-256 or of that head."]
          : []),
        manifest,
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
        "Every other page, also the table of predictions: names, outcomes, status, figures, " +
        "charts, the verdict, every sentence, and where links lead; and the downloads. Also " +
        "whether files are as manifest.json lists them: the command does that.",
        "This button itself, and the style sheet: they are part of the site. The first command " +
        "under 'How to check this page' does not rely on them.",
      ]],
    );
  }

  async function run() {
    button.disabled = true;
    try {
      await verify();
    } catch (error) {
      if (error instanceof Mismatch) {
        say("mismatch", ["Mismatch: this is not what was frozen.", [`${error.message}.`]]);
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
