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
    const item = document.createElement("li");
    item.className = step.kind;
    item.textContent = step.text;
    list.append(item);
  });
  events.addEventListener("ended", () => { events.close(); location.reload(); });
}

function showQuotes(mark, panel) {
  const details = document.getElementById(mark.dataset.quote);
  if (!details) return;
  const heading = document.createElement("h2");
  heading.textContent = "Supporting words";
  const quotes = [...details.querySelectorAll(".quote")].map((quote) => {
    const copy = quote.cloneNode(true);
    copy.removeAttribute("id");
    return copy;
  });
  panel.replaceChildren(heading, ...quotes);
  panel.hidden = false;
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

const steps = document.querySelector("[data-events]");
if (steps) followRun(steps);
const panel = document.getElementById("panel");
document.querySelectorAll(".mark[data-quote]").forEach((mark) => {
  if (panel) {
    mark.addEventListener("mouseenter", () => showQuotes(mark, panel));
    mark.addEventListener("focus", () => showQuotes(mark, panel));
  }
  mark.addEventListener("click", (event) => openQuotes(event, mark));
});
document.querySelectorAll("form[action='/ask'], form[action='/check'], form[action='/explain']").forEach((form) => {
  form.addEventListener("keydown", sendByKey);
});
document.querySelectorAll(".keys").forEach((hint) => { hint.hidden = false; });
document.querySelectorAll("table.sortable").forEach(makeSortable);
// Browsers let pages copy only over https, and on this machine.
if (navigator.clipboard) document.querySelectorAll("button[data-copy]").forEach(offerCopy);
