// Shows a document, or a printed page of it, beside the answer that quotes it, where there is room; elsewhere its link
// leads to it.
"use strict";

const reading = document.querySelector(".reading");
const hasRoom = matchMedia("(min-width: 64rem)");
const aside = reading.querySelector(".beside-page") || document.createElement("aside");
const first = [...aside.childNodes];
let opener = null;

function show(label, ...parts) {
  aside.className = "beside-page";
  aside.tabIndex = -1;
  aside.setAttribute("aria-label", label);
  aside.replaceChildren(...parts);
  reading.classList.add("with-page");
  reading.append(aside);
  scrollToQuote();
}

function close() {
  if (first.length) show("The document", ...first);
  else { aside.remove(); reading.classList.remove("with-page"); }
  if (opener) opener.focus();
}

function scrollToQuote() {
  const quote = aside.querySelector("#quote");
  aside.scrollTop = 0;
  if (!quote || !hasRoom.matches) return;
  const sheet = quote.closest(".scroll") || aside;
  const place = quote.getBoundingClientRect();
  aside.scrollTop = place.top - aside.getBoundingClientRect().top - aside.clientHeight / 3;
  if (sheet !== aside) sheet.scrollLeft = place.left - sheet.getBoundingClientRect().left - 16;
}

async function open(address) {
  const reply = await fetch(address, { headers: { accept: "text/html" } });
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const shown = page.querySelector(".printed, .document");
  // It is not there any more, or the token is not: the page itself says so.
  if (!shown) { location.assign(address); return; }
  const heading = page.querySelector("h1");
  const title = document.createElement("p");
  title.className = "title";
  title.textContent = heading.textContent;
  heading.remove();
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = "Close";
  button.addEventListener("click", close);
  const bar = document.createElement("div");
  bar.className = "bar";
  const ways = shown.querySelector("nav");
  ways.append(button);
  bar.append(title, ways);
  show(shown.matches(".printed") ? "The printed page" : "The document", bar, shown);
  aside.focus({ preventScroll: true });
}

reading.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-beside]");
  if (!link || !hasRoom.matches || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (!aside.contains(link)) opener = link;
  open(link.href);
});
aside.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
scrollToQuote();
