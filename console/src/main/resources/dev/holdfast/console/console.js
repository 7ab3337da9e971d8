"use strict";
// Times in the zone of the reader; the time in UTC stays as the title.
function localTimes(of) {
  for (const each of of.querySelectorAll("time[datetime]")) {
    const time = new Date(each.dateTime);
    if (!isNaN(time)) {
      each.textContent = time.toLocaleString();
    }
  }
}
document.addEventListener("DOMContentLoaded", () => localTimes(document));
document.addEventListener("htmx:afterSwap", event => localTimes(event.target));
for (const [type, isGone] of [["htmx:afterSwap", false], ["htmx:responseError", true], ["htmx:sendError", true]]) {
  document.addEventListener(type, () => { document.getElementById("connection").hidden = !isGone; });
}
document.addEventListener("click", event => {
  const button = event.target.closest("[data-copy]");
  if (button) {
    navigator.clipboard.writeText(button.dataset.copy).then(() => { button.textContent = "Copied"; });
  }
});
document.addEventListener("keydown", event => {
  const isWriting = event.target.closest("input, textarea, select");
  if (event.key === "Escape" && isWriting) {
    event.target.blur();
  } else if (event.key === "/" && !isWriting) {
    const search = document.querySelector("[data-search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !isWriting) {
    // From row to row of a list, by its links.
    const links = [...document.querySelectorAll("tbody tr")].map(row => row.querySelector("a")).filter(link => link);
    const at = links.indexOf(document.activeElement);
    const next = links[at + (event.key === "ArrowDown" ? 1 : -1)];
    if (next && (at >= 0 || document.activeElement === document.body)) {
      event.preventDefault();
      next.focus();
    }
  }
});
