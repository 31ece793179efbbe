// Shows a printed page beside the answer that quotes it, where there is room; elsewhere its link leads to it.
"use strict";

const answer = document.querySelector(".beside");
const hasRoom = matchMedia("(min-width: 64rem)");
const aside = document.createElement("aside");
aside.className = "beside-page";
aside.tabIndex = -1;
aside.setAttribute("aria-label", "The printed page");
let opener = null;

function closePage() {
  aside.remove();
  answer.classList.remove("with-page");
  if (opener) opener.focus();
}

function scrollToQuote() {
  const quote = aside.querySelector("#quote");
  aside.scrollTop = 0;
  if (!quote) return;
  const sheet = quote.closest(".scroll") || aside;
  const place = quote.getBoundingClientRect();
  aside.scrollTop = place.top - aside.getBoundingClientRect().top - aside.clientHeight / 3;
  sheet.scrollLeft = place.left - sheet.getBoundingClientRect().left - 16;
}

async function openPage(address) {
  const reply = await fetch(address, { headers: { accept: "text/html" } });
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const printed = page.querySelector(".printed");
  // It is not there any more, or the token is not: the page itself says so.
  if (!printed) { location.assign(address); return; }
  const title = document.createElement("p");
  title.className = "beside-title";
  title.textContent = page.querySelector("h1").textContent;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = "Close";
  button.addEventListener("click", closePage);
  printed.querySelector("nav").append(button);
  aside.replaceChildren(title, printed);
  answer.classList.add("with-page");
  answer.append(aside);
  aside.focus({ preventScroll: true });
  scrollToQuote();
}

answer.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-beside]");
  if (!link || !hasRoom.matches || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (!aside.contains(link)) opener = link;
  openPage(link.href);
});
aside.addEventListener("keydown", (event) => { if (event.key === "Escape") closePage(); });
