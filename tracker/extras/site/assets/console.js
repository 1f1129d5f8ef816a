// Answers SQL over the Parquet files of this site, in the visitor's browser: DuckDB runs in a worker
// and gives each result as CSV, which is shown as a table and can be kept.
//
// The worker is started from a blob, so that it is under the policy of this page: DuckDB can load
// files of this site and nothing else, whatever a query names.
"use strict";

(() => {
  const MOST_ROWS = 200;
  const RESULT = "result.csv";
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

  const section = document.getElementById("console");
  const field = document.getElementById("sql");
  const runButton = document.getElementById("run");
  const stopButton = document.getElementById("stop");
  const keepButton = document.getElementById("keep");
  const status = document.getElementById("console-status");
  const place = document.getElementById("answer");
  const needsMark = new RegExp(`^${section.dataset.needsMark}`, "u");
  const controls = new RegExp(section.dataset.controls, "gu");

  let engine = null;
  let answer = null;

  function say(text) {
    status.textContent = text;
  }

  function megabytes(size) {
    return `${(size / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
  }

  async function fetched(path, onProgress = () => {}) {
    const response = await fetch(path);
    if (!response.ok) {
      throw new Error(`${path}: ${response.status} ${response.statusText}`);
    }
    const chunks = [];
    let size = 0;
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) {
        return new Blob(chunks);
      }
      chunks.push(value);
      size += value.length;
      onProgress(size);
    }
  }

  // DuckDB-Wasm's worker: each request has a number, which its answer repeats.
  class Engine {
    constructor() {
      const script = new URL("duckdb-browser-eh.worker.js", location.href).href;
      const start = new Blob([`importScripts(${JSON.stringify(script)});`], {
        type: "text/javascript",
      });
      const url = URL.createObjectURL(start);
      this.worker = new Worker(url);
      this.url = url;
      this.waiting = new Map();
      this.number = 0;
      this.isReady = false;
      this.worker.addEventListener("message", ({ data }) => this.receive(data));
      this.worker.addEventListener("error", (event) =>
        this.fail(new Error(event.message || "DuckDB cannot be started.")),
      );
    }

    receive({ requestId, type, data }) {
      const task = this.waiting.get(requestId);
      if (!task || type === "INSTANTIATE_PROGRESS" || type === "LOG") {
        return;
      }
      this.waiting.delete(requestId);
      if (type === "ERROR") {
        task.reject(new Error(data.message));
      } else {
        task.resolve(data);
      }
    }

    fail(error) {
      for (const task of this.waiting.values()) {
        task.reject(error);
      }
      this.waiting.clear();
    }

    ask(type, data = null, transferred = []) {
      return new Promise((resolve, reject) => {
        this.number += 1;
        this.waiting.set(this.number, { resolve, reject });
        this.worker.postMessage({ messageId: this.number, type, data }, transferred);
      });
    }

    async open() {
      const program = await fetched("duckdb-eh.wasm", (size) =>
        say(`Loading DuckDB: ${megabytes(size)} of ${megabytes(section.dataset.bytes)}`),
      );
      const module = URL.createObjectURL(new Blob([program], { type: "application/wasm" }));
      say("Starting DuckDB");
      await this.ask("INSTANTIATE", [module, null]);
      URL.revokeObjectURL(module);
      URL.revokeObjectURL(this.url);
      await this.ask("OPEN", {});
      this.connection = await this.ask("CONNECT");
      await this.load(JSON.parse(await (await fetched("tables.json")).text()));
      this.isReady = true;
    }

    // Makes a view of each table; of several files, which differ in the values of a column.
    async load(tables) {
      for (const [name, parts] of Object.entries(tables)) {
        const selects = [];
        for (const [number, { path, slate_id: slate }] of parts.entries()) {
          say(`Loading the table ${name}: file ${number + 1} of ${parts.length}`);
          const content = await (await fetched(`../${path}`)).arrayBuffer();
          const file = `${name}-${number}.parquet`;
          await this.ask("REGISTER_FILE_BUFFER", [file, new Uint8Array(content)], [content]);
          const first = slate ? `'${slate}' as slate_id, ` : "";
          selects.push(`select ${first}* from read_parquet('${file}')`);
        }
        await this.run(`create view ${name} as ${selects.join(" union all by name ")}`);
      }
    }

    run(sql) {
      return this.ask("RUN_QUERY", [this.connection, sql]);
    }

    async csv(select) {
      await this.run(`copy (${select}\n) to '${RESULT}' (format csv, header)`);
      const content = await this.ask("COPY_FILE_TO_BUFFER", RESULT);
      await this.ask("DROP_FILE", RESULT);
      return new TextDecoder().decode(content);
    }

    close() {
      this.worker.terminate();
      this.fail(new Error("Stopped."));
    }
  }

  // The rows of CSV as DuckDB writes it; a value that is empty and not quoted is NULL.
  function parsed(text) {
    const rows = [];
    let row = [];
    const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
    while (cell.lastIndex < text.length) {
      const [, quoted, bare, end] = cell.exec(text);
      row.push(quoted === undefined ? bare || null : quoted.replaceAll('""', '"'));
      if (end !== ",") {
        rows.push(row);
        row = [];
      }
    }
    return rows;
  }

  function written(rows) {
    const cell = (value) => {
      if (value === null) {
        return "";
      }
      const marked = needsMark.test(value) && !NUMBER.test(value) ? `'${value}` : value;
      const text = marked.replace(controls, "\ufffd");
      return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
  }

  function show([names, ...rows]) {
    const isNumber = names.map((_, index) =>
      rows.some((row) => row[index] !== null) &&
      rows.every((row) => row[index] === null || NUMBER.test(row[index])),
    );
    const line = (tag, values) => {
      const tr = document.createElement("tr");
      for (const [index, value] of values.entries()) {
        const one = document.createElement(tag);
        if (tag === "th") {
          one.scope = "col";
        }
        if (isNumber[index]) {
          one.className = "number";
        }
        const text = document.createElement("bdi");
        text.textContent = value ?? "";
        one.append(text);
        tr.append(one);
      }
      return tr;
    };
    const table = document.createElement("table");
    table.createTHead().append(line("th", names));
    table.createTBody().append(...rows.slice(0, MOST_ROWS).map((row) => line("td", row)));
    place.replaceChildren(table);
    place.hidden = false;
  }

  function rest(isRunning) {
    runButton.disabled = isRunning;
    stopButton.disabled = !isRunning;
    keepButton.disabled = isRunning || answer === null;
  }

  async function run() {
    if (runButton.disabled) {
      return;
    }
    const select = field.value.trim().replace(/;+\s*$/, "");
    if (!select) {
      say("Write a query first.");
      return;
    }
    answer = null;
    place.hidden = true;
    rest(true);
    const began = performance.now();
    try {
      if (engine === null) {
        engine = new Engine();
        await engine.open();
      }
      say("Running");
      answer = parsed(await engine.csv(select));
      show(answer);
      const n = answer.length - 1;
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const shown = n > MOST_ROWS ? `, the first ${MOST_ROWS} shown` : "";
      say(`${n.toLocaleString("en")} ${n === 1 ? "row" : "rows"} in ${seconds} s${shown}`);
    } catch (error) {
      say(error.message);
      if (engine !== null && !engine.isReady) {
        engine.close();
        engine = null;
      }
    }
    rest(false);
  }

  function stop() {
    const stopped = engine;
    engine = null;
    stopped?.close();
  }

  function keep() {
    const url = URL.createObjectURL(new Blob([written(answer)], { type: "text/csv" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = "result.csv";
    link.click();
    URL.revokeObjectURL(url);
  }

  function choose(event) {
    field.value = document.getElementById(event.currentTarget.value).textContent.trim();
    run();
    field.focus();
  }

  runButton.addEventListener("click", run);
  stopButton.addEventListener("click", stop);
  keepButton.addEventListener("click", keep);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
  for (const button of document.querySelectorAll(".questions button")) {
    button.hidden = false;
    button.addEventListener("click", choose);
  }
  if (location.protocol === "file:") {
    say(
      "A browser runs DuckDB only on a site that a web server delivers. In the folder of this " +
        "site, python3 -m http.server starts one.",
    );
    return;
  }
  field.disabled = false;
  rest(false);
  say(`The first query loads DuckDB and the tables, ${megabytes(section.dataset.bytes)}.`);
})();
