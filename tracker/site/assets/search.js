// Finds drugs and diseases by name or identifier. The names are a script of their own, which is
// loaded when the field is first used: a page opened as a file may not fetch.
"use strict";

let searchEntities;

(() => {
  const MOST = 20;
  const box = document.getElementById("search");
  const field = document.getElementById("query");
  const count = document.getElementById("found-count");
  const list = document.getElementById("found");
  const root = box.dataset.root;
  const kinds = { diseases: "disease", drugs: "drug" };
  let entities = null;
  let isAsked = false;

  function folded(text) {
    return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  }

  searchEntities = (rows) => {
    entities = rows.map((row) => [...row, folded(row[2]), folded(row[3])]);
    find();
  };

  function load() {
    if (isAsked) {
      return;
    }
    isAsked = true;
    const script = document.createElement("script");
    script.src = `${root}assets/entities.js`;
    script.addEventListener("load", () => script.remove());
    script.addEventListener("error", () => {
      script.remove();
      count.textContent = "The list of names cannot be loaded.";
    });
    document.head.append(script);
  }

  function place(row, wanted) {
    const at = row[4].indexOf(wanted);
    if (at === 0) {
      return 0;
    }
    if (row[5] === wanted) {
      return 0;
    }
    if (at > 0) {
      return row[4][at - 1] === " " ? 1 : 2;
    }
    return row[5].includes(wanted) ? 3 : -1;
  }

  function item([folder, id, name, identifier]) {
    const link = document.createElement("a");
    link.href = `${root}${folder}/${id}.html`;
    const text = document.createElement("bdi");
    text.textContent = name;
    const kind = document.createElement("small");
    kind.textContent = ` ${kinds[folder]}${identifier ? ` ${identifier}` : ""}`;
    link.append(text, kind);
    const one = document.createElement("li");
    one.append(link);
    return one;
  }

  function find() {
    const wanted = folded(field.value.trim());
    list.replaceChildren();
    count.textContent = "";
    if (!wanted) {
      return;
    }
    if (!entities) {
      count.textContent = "Loading the names";
      return;
    }
    const found = entities
      .map((row) => [place(row, wanted), row])
      .filter(([rank]) => rank >= 0)
      .sort(([one], [other]) => one - other);
    list.append(...found.slice(0, MOST).map(([, row]) => item(row)));
    count.textContent =
      found.length > MOST
        ? `${found.length.toLocaleString("en")} found, the first ${MOST} shown`
        : `${found.length} found`;
  }

  function move(event) {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "Escape") {
      field.value = "";
      find();
      field.focus();
    } else if (event.key === "Enter" && at < 0 && links.length) {
      links[0].click();
    } else if (event.key === "ArrowDown" && at + 1 < links.length) {
      links[at + 1].focus();
    } else if (event.key === "ArrowUp" && at >= 0) {
      (links[at - 1] || field).focus();
    } else {
      return;
    }
    event.preventDefault();
  }

  field.addEventListener("focus", load);
  field.addEventListener("input", () => {
    load();
    find();
  });
  box.addEventListener("keydown", move);
  box.hidden = false;
})();
