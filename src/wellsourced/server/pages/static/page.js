// Makes the pages livelier; each of them is complete without it.
"use strict";

function followRun(list) {
  const events = new EventSource(list.dataset.events);
  // The page came with the steps so far; the stream repeats them from the first.
  let isFirst = true;
  const begin = () => { if (isFirst) { list.replaceChildren(); isFirst = false; } };
  const state = document.getElementById("state");
  events.onopen = () => { if (state) state.textContent = "Working …"; };
  events.onerror = () => { if (state) state.textContent = "Connection lost. Trying again …"; };
  events.addEventListener("step", (event) => {
    begin();
    const step = JSON.parse(event.data);
    if (step.kind === "draft") { showDraft(step.text); return; }
    const item = document.createElement("li");
    item.className = step.kind;
    item.textContent = step.text;
    list.append(item);
  });
  events.addEventListener("ended", () => { events.close(); location.reload(); });
}

// Each step of a draft has all of its text so far.
function showDraft(text) {
  const draft = document.getElementById("draft");
  draft.hidden = false;
  draft.querySelector("p").textContent = text;
}

function openQuotes(event, mark) {
  const details = document.getElementById(mark.dataset.quote);
  if (!details) return;
  event.preventDefault();
  details.open = !details.open;
  if (details.open) details.scrollIntoView({ block: "nearest" });
}

function offerCopy(button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const answer = await fetch(button.dataset.copy);
    await navigator.clipboard.writeText(await answer.text());
    button.textContent = "Copied";
  });
}

function sendByKey(event) {
  const field = event.target;
  // While a word is composed, as in Japanese, Enter ends the word.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || !field.matches("textarea")) return;
  if (!event.ctrlKey && !event.metaKey && !("enter" in field.dataset)) return;
  event.preventDefault();
  field.form.requestSubmit();
}

function makeSortable(table) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((cell, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = cell.textContent;
    cell.replaceChildren(button);
    button.addEventListener("click", () => {
      const isDown = cell.getAttribute("aria-sort") === "ascending";
      [...table.tHead.rows[0].cells].forEach((other) => other.removeAttribute("aria-sort"));
      cell.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      const text = (row) => row.cells[place].textContent.trim();
      const rows = [...body.rows].sort((one, other) => text(one).localeCompare(text(other), "en", { numeric: true }));
      body.replaceChildren(...(isDown ? rows.reverse() : rows));
    });
  });
}

// The page says times in UTC; who reads it lives somewhere.
function localizeTime(time) {
  const moment = new Date(time.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  time.title = time.textContent.trim();
  time.textContent = moment.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

// A table that is cut off says so, and can be scrolled by keys.
function offerScrolling(box) {
  const isCut = box.scrollWidth > box.clientWidth + 1;
  const before = box.previousElementSibling;
  const hint = before && before.matches(".hint") ? before : null;
  if (isCut && !box.hasAttribute("role")) {
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Table");
  }
  if (hint) hint.hidden = !isCut;
  else if (isCut) {
    const words = document.createElement("p");
    words.className = "hint";
    words.textContent = "Scroll sideways to see all columns →";
    box.before(words);
  }
}

const boxes = () => document.querySelectorAll(".scroll:has(> table)").forEach(offerScrolling);
const steps = document.querySelector("[data-events]");
if (steps) followRun(steps);
document.querySelectorAll(".mark[data-quote]").forEach((mark) => {
  mark.addEventListener("click", (event) => openQuotes(event, mark));
});
document.querySelectorAll("form[action='/ask'], form[action='/check'], form[action='/explain']").forEach((form) => {
  form.addEventListener("keydown", sendByKey);
});
document.querySelectorAll(".keys").forEach((hint) => { hint.hidden = false; });
document.querySelectorAll("table.sortable").forEach(makeSortable);
document.querySelectorAll("time").forEach(localizeTime);
boxes();
addEventListener("resize", boxes);
// What is folded is printed, too: quotes, above all.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll(".statement details:not([open])")];
  folded.forEach((details) => { details.open = true; });
});
addEventListener("afterprint", () => folded.forEach((details) => { details.open = false; }));
document.querySelectorAll("button[data-print]").forEach((button) => {
  button.hidden = false;
  button.addEventListener("click", () => print());
});
// Browsers let pages copy only over https, and on this machine.
if (navigator.clipboard) document.querySelectorAll("button[data-copy]").forEach(offerCopy);
