"use strict";
// The time line: dragging zooms in, keys follow its links; the address says what is shown.
for (const line of document.querySelectorAll("[data-timeline]")) {
  const picture = line.querySelector("svg");
  const mark = picture.querySelector(".mark");
  const width = picture.viewBox.baseVal.width;
  const since = Number(line.dataset.since);
  const until = Number(line.dataset.until);
  let from = null;
  let dragged = false;
  const place = event => {
    const box = picture.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };
  const time = at => encodeURIComponent(new Date(Math.round(since + at * (until - since))).toISOString());
  picture.addEventListener("dragstart", event => event.preventDefault());
  picture.addEventListener("pointerdown", event => {
    from = place(event);
    dragged = false;
  });
  picture.addEventListener("pointermove", event => {
    if (from !== null) {
      const to = place(event);
      dragged ||= Math.abs(to - from) > 0.01;
      mark.setAttribute("x", Math.min(from, to) * width);
      mark.setAttribute("width", Math.abs(to - from) * width);
    }
  });
  window.addEventListener("pointerup", event => {
    if (from !== null && dragged) {
      const [first, last] = [from, place(event)].sort((a, b) => a - b);
      location.assign(`${line.dataset.timeline}&since=${time(first)}&until=${time(last)}`);
    }
    from = null;
  });
  picture.addEventListener("click", event => {
    if (dragged) {
      event.preventDefault();
    }
  }, true);
  line.addEventListener("keydown", event => {
    const link = line.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
    if (link && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      link.click();
    }
  });
}
// A file goes as the body of a request: no page needs to take fields and files apart.
for (const form of document.querySelectorAll("[data-import]")) {
  form.addEventListener("submit", async event => {
    event.preventDefault();
    const status = document.getElementById("imported");
    const file = form.querySelector("input[type=file]").files[0];
    if (!file || !confirm("The file replaces the state of the object. A restore undoes it.")) {
      return;
    }
    status.textContent = "Importing ...";
    try {
      const answer = await fetch(form.dataset.import, {
        method: "POST",
        headers: { "Content-Type": "application/vnd.sqlite3", "X-Holdfast-Form": form.dataset.form },
        body: file,
      });
      if (answer.ok) {
        location.assign(answer.url);
        return;
      }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      status.textContent = page.querySelector(".problem")?.textContent ?? "The file was refused.";
    } catch (problem) {
      status.textContent = "The file was not sent: " + problem.message;
    }
  });
}
