"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  document.documentElement.classList.add("js");

  const show = () => {
    for (const drawing of document.querySelectorAll(".drawing")) {
      drawing.classList.toggle("shown", drawing.dataset.flavor === at("order-of").value);
    }
  };
  at("order-of").addEventListener("change", show);

  // A list is shown an item a line, each item as short as it can be.
  const short = (value) => JSON.stringify(value).replace(/","/g, '", "').replace(/":/g, '": ');
  const lines = (value) => Array.isArray(value) ? value.map(short).join("\n")
    : Object.entries(value).map(([name, part]) => name + ": " + short(part)).join("\n");

  const cell = (row, value) => {
    const made = row.insertCell();
    if (value === null || value === undefined) {
      made.textContent = "–";
    } else if (typeof value === "object") {
      const pre = document.createElement("pre");
      pre.textContent = lines(value);
      made.append(pre);
    } else {
      made.textContent = String(value);
    }
  };

  const compare = () => {
    const [from, to] = [at("from").value, at("to").value];
    const all = (data.changes[from + " " + to] || []).map(([group, text, behaviour, before, after]) => ({
      group: data.values[group], text: data.values[text], behaviour,
      before: data.values[before], after: data.values[after],
    }));
    const rows = at("only").checked ? all.filter((change) => change.behaviour) : all;
    const body = at("changes").tBodies[0];
    body.replaceChildren();
    at("from-head").textContent = from;
    at("to-head").textContent = to;
    for (const change of rows) {
      const row = body.insertRow();
      row.classList.toggle("behaviour", change.behaviour);
      row.insertCell().textContent = change.group;
      const words = row.insertCell();
      if (change.behaviour) {
        const badge = document.createElement("span");
        badge.className = "badge";
        badge.textContent = "! ";
        badge.title = "changes behaviour";
        words.append(badge);
      }
      words.append(change.text);
      cell(row, change.before);
      cell(row, change.after);
    }
    const loud = all.filter((change) => change.behaviour).length;
    at("count").textContent = from === to ? "Choose two different ones."
      : all.length + " changes, " + loud + " of them (!) in behaviour";
  };
  for (const id of ["from", "to", "only"]) at(id).addEventListener("change", compare);
  at("swap").addEventListener("click", () => {
    [at("from").value, at("to").value] = [at("to").value, at("from").value];
    compare();
  });

  show();
  compare();
})();
