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
  }
});
