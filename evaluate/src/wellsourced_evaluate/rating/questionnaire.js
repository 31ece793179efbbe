"use strict";
const form = document.body.dataset.form;
const store = "wellsourced-questionnaire-" + form;
const columns = JSON.parse(document.getElementById("columns").textContent);
const steps = [...document.querySelectorAll(".step")];
const items = steps.filter((step) => step.dataset.item);
const rater = document.getElementById("rater");
const back = document.getElementById("back");
const next = document.getElementById("next");
let at = 0;

function load() {
  try { return JSON.parse(localStorage.getItem(store)) || {}; } catch { return {}; }
}

function keep() {
  // A browser may keep nothing for a file that is opened from a disk: whoever rates has to know.
  try {
    localStorage.setItem(store, JSON.stringify({ rater: rater.value, at, ratings: items.map(read) }));
    return true;
  } catch { return false; }
}

function read(item) {
  const said = {};
  for (const field of item.querySelectorAll("[data-column]")) {
    const chosen = field.tagName === "FIELDSET" ? field.querySelector("input:checked") : field;
    if (chosen && chosen.value) said[field.dataset.column] = chosen.value;
  }
  return said;
}

function restore(item, said) {
  for (const field of item.querySelectorAll("[data-column]")) {
    const value = said[field.dataset.column] || "";
    if (field.tagName !== "FIELDSET") field.value = value;
    else for (const input of field.querySelectorAll("input")) input.checked = input.value === value;
  }
}

function missing(item) {
  return [...item.querySelectorAll("fieldset[data-column]")].filter((one) => !one.querySelector("input:checked")).length;
}

function tell() {
  const open = items.filter(missing);
  document.getElementById("progress").max = items.length;
  document.getElementById("progress").value = items.length - open.length;
  document.getElementById("count").textContent = `${items.length - open.length} of ${items.length} rated`;
  document.getElementById("state").textContent = open.length
    ? "Something is not rated in these questions. You can go back to them, or save as it is."
    : "Everything is rated.";
  document.getElementById("open").replaceChildren(...open.map((item) => {
    const line = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = `Question ${items.indexOf(item) + 1}`;
    button.addEventListener("click", () => show(steps.indexOf(item)));
    line.append(button);
    return line;
  }));
}

function show(place, moved = true) {
  at = Math.min(Math.max(place, 0), steps.length - 1);
  steps.forEach((step, number) => { step.hidden = number !== at; });
  back.hidden = at === 0;
  next.hidden = at === steps.length - 1;
  next.textContent = at === 0 ? "Begin" : at === items.length ? "Finish" : "Next";
  tell();
  if (moved) {
    keep();
    say("");
    window.scrollTo(0, 0);
    steps[at].querySelector("h1").focus({ preventScroll: true });
  }
}

function say(words) {
  document.getElementById("kept").textContent = words;
}

function cell(text) {
  // What a spreadsheet would run begins with an apostrophe (OWASP, CSV injection).
  const safe = /^[=+\-@\t\r]/.test(text) ? "'" + text : text;
  return '"' + safe.replaceAll('"', '""') + '"';
}

function rows() {
  return items.map((item) => ({ form, item: item.dataset.item, rater: rater.value.trim(), ...read(item) }));
}

function table() {
  const header = ["form", "item", "rater", ...columns];
  const lines = rows().map((row) => header.map((name) => cell(row[name] || "")).join(","));
  return "\ufeff" + [header.map(cell).join(","), ...lines].join("\r\n") + "\r\n";
}

function save(text, ending, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = (rater.value.trim().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "ratings-" + form) + ending;
  link.click();
  URL.revokeObjectURL(link.href);
  say(`Saved as ${link.download}.`);
}

const said = load();
rater.value = said.rater || "";
items.forEach((item, number) => restore(item, (said.ratings || [])[number] || {}));
show(said.at || 0, false);
if (!keep()) say("This browser keeps nothing of this page: save your ratings before you close it.");
else if (said.at) say("You go on where you stopped.");
document.addEventListener("input", () => {
  say(keep() ? "Kept in this browser." : "This browser keeps nothing of this page: save your ratings before you close it.");
  tell();
});
back.addEventListener("click", () => show(at - 1));
next.addEventListener("click", () => show(at + 1));
document.getElementById("csv").addEventListener("click", () => save(table(), ".csv", "text/csv"));
document.getElementById("json").addEventListener("click", () => save(JSON.stringify(rows(), null, 1) + "\n", ".json", "application/json"));
