"use strict";
const store = "wellsourced-sheet-" + document.body.dataset.sheet;
const sources = JSON.parse(document.getElementById("sources").textContent);
const items = [...document.querySelectorAll(".item")];
const rater = document.getElementById("rater");

function load() {
  try { return JSON.parse(localStorage.getItem(store)) || {}; } catch { return {}; }
}

function keep(said) {
  // A browser may keep nothing for a file that is opened from a disk: then only the table does.
  try { localStorage.setItem(store, JSON.stringify(said)); } catch { /* the table is the record */ }
}

function read() {
  const said = { rater: rater.value, items: {} };
  for (const item of items) {
    const chosen = item.querySelector("input[type=radio]:checked");
    const reason = item.querySelector(".reason").value;
    item.classList.toggle("done", Boolean(chosen));
    if (chosen || reason) said.items[item.dataset.id] = { label: chosen ? chosen.value : "", reason };
  }
  const done = Object.values(said.items).filter((one) => one.label).length;
  document.getElementById("progress").textContent = `${done} of ${items.length}`;
  return said;
}

function restore(said) {
  rater.value = said.rater || "";
  for (const item of items) {
    const one = (said.items || {})[item.dataset.id];
    if (!one) continue;
    for (const input of item.querySelectorAll("input[type=radio]")) input.checked = input.value === one.label;
    item.querySelector(".reason").value = one.reason || "";
  }
}

function cell(text) {
  // What a spreadsheet would run begins with an apostrophe (OWASP, CSV injection).
  const safe = /^[=+\-@\t\r]/.test(text) ? "'" + text : text;
  return '"' + safe.replaceAll('"', '""') + '"';
}

function table(said) {
  const rows = items.map((item) => {
    const one = said.items[item.dataset.id] || { label: "", reason: "" };
    return [item.dataset.id, one.label, one.reason, said.rater].map(cell).join(",");
  });
  return "\ufeff" + ["id,label,reason,rater", ...rows].join("\r\n") + "\r\n";
}

function save() {
  const said = read();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([table(said)], { type: "text/csv" }));
  link.download = (said.rater.trim().replace(/[^\p{L}\p{N}]+/gu, "-") || "rater") + ".csv";
  link.click();
  URL.revokeObjectURL(link.href);
}

function mark(pre, text, words) {
  pre.textContent = "";
  const found = [];
  const lower = text.toLowerCase();
  for (let at = words ? lower.indexOf(words) : -1; at >= 0; at = lower.indexOf(words, at + words.length)) found.push(at);
  let end = 0;
  for (const at of found) {
    const hit = document.createElement("mark");
    hit.textContent = text.slice(at, at + words.length);
    pre.append(text.slice(end, at), hit);
    end = at + words.length;
  }
  pre.append(text.slice(end));
  return found.length;
}

function show(details, words) {
  const pre = details.querySelector("pre");
  const hits = mark(pre, sources[details.dataset.whole] || "", words.toLowerCase());
  details.querySelector(".hits").textContent = words ? `${hits} found` : "";
  const first = pre.querySelector("mark");
  if (first) pre.scrollTop = first.offsetTop - pre.offsetTop - 40;
}

for (const details of document.querySelectorAll("details[data-whole]")) {
  const nearest = details.closest(".item").querySelector("blockquote mark");
  details.addEventListener("toggle", () => details.open && show(details, nearest ? nearest.textContent : ""));
  details.querySelector(".find").addEventListener("input", (event) => show(details, event.target.value));
}
restore(load());
read();
document.addEventListener("input", () => keep(read()));
document.getElementById("save").addEventListener("click", save);
