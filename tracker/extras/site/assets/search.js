// Finds slates by name or model, and drugs and diseases by any of their names or identifiers. The
// names are a script of their own, which is loaded when the field is first used: a page opened as
// a file may not fetch.
"use strict";

let searchNames;

(() => {
  const MOST = 20;
  const box = document.getElementById("search");
  const field = document.getElementById("query");
  const count = document.getElementById("found-count");
  const list = document.getElementById("found");
  const root = box.dataset.root;
  const kinds = {
    slates: "slate", evaluations: "evaluation", benchmarks: "benchmark", diseases: "disease",
    drugs: "drug",
  };
  let names = null;
  let isAsked = false;

  function folded(text) {
    return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  }

  searchNames = (rows) => {
    names = rows.map(([folder, id, name, identifier, further]) => ({
      folder, id, name, identifier, further,
      folded: [name, identifier, ...further].map(folded),
    }));
    find();
  };

  function load() {
    if (isAsked) {
      return;
    }
    isAsked = true;
    const script = document.createElement("script");
    script.src = `${root}assets/names.js`;
    script.addEventListener("load", () => script.remove());
    script.addEventListener("error", () => {
      script.remove();
      count.textContent = "The list of names cannot be loaded.";
    });
    document.head.append(script);
  }

  // How well a text is found: 0 from its beginning, 1 from that of a word, 2 inside; else null.
  function fit(text, wanted) {
    const at = text.indexOf(wanted);
    if (at <= 0) {
      return at === 0 ? 0 : null;
    }
    return text[at - 1] === " " ? 1 : 2;
  }

  // The place among the results, names first, and the further name that was found, if one was.
  function place(one, wanted) {
    const fits = one.folded.map((text) => fit(text, wanted));
    if (one.folded[1] === wanted) {
      return [0, ""];
    }
    if (fits[0] !== null) {
      return [fits[0], ""];
    }
    if (fits[1] !== null) {
      return [3, ""];
    }
    const at = fits.findIndex((found) => found !== null);
    return at < 0 ? null : [4 + fits[at], one.further[at - 2]];
  }

  function item([{ folder, id, name, identifier }, [, called]]) {
    const link = document.createElement("a");
    link.href = `${root}${folder}/${id}.html`;
    const text = document.createElement("bdi");
    text.textContent = name;
    const kind = document.createElement("small");
    kind.textContent = ` ${kinds[folder]}${identifier ? ` ${identifier}` : ""}`;
    link.append(text, kind);
    if (called) {
      const also = document.createElement("bdi");
      also.textContent = called;
      kind.append(", also ", also);
    }
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
    if (!names) {
      count.textContent = "Loading the names";
      return;
    }
    const found = names
      .map((one) => [one, place(one, wanted)])
      .filter(([, found]) => found !== null)
      .sort(([, [first]], [, [second]]) => first - second);
    list.append(...found.slice(0, MOST).map(item));
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
