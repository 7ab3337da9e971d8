"use strict";
// Draws the samples of the server. uPlot and window.fetch only; the page reads on without them.
(() => {
  const READ_MILLIS = 5000;
  const host = document.querySelector("[data-samples]");
  if (!host || !window.uPlot) {
    return;
  }
  const spanSeconds = Number(host.dataset.seconds);
  const charts = [...host.querySelectorAll("[data-series]")].map(element => ({element, plot: null}));
  const all = {times: []};

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  function shown(value, unit) {
    const number = value == null ? "-" : value.toLocaleString(undefined, {maximumFractionDigits: 2});
    return unit ? `${number} ${unit}` : number;
  }
  function clock(seconds) {
    return new Date(seconds * 1000).toLocaleTimeString([], {hour: "2-digit", minute: "2-digit", second: "2-digit"});
  }
  function draw(chart) {
    const {element} = chart;
    const unit = element.dataset.unit;
    const body = element.querySelector(".plot");
    const axis = {stroke: colour("--ink"), grid: {stroke: colour("--line"), width: 1}, ticks: {show: false}};
    chart.plot?.destroy();
    chart.plot = new uPlot({
      width: body.clientWidth || 320,
      height: 130,
      cursor: {drag: {x: true, y: false}},
      legend: {show: false},
      scales: {y: {range: (plot, low, high) => [Math.min(0, low ?? 0), Math.max(1, (high ?? 0) * 1.1)]}},
      axes: [{...axis, values: (plot, times) => times.map(clock), space: 80}, {...axis, size: 60}],
      series: [{}, {stroke: colour("--accent"), width: 2, fill: colour("--fill"), spanGaps: false}],
      hooks: {setCursor: [plot => say(chart, plot.cursor.idx)]},
    }, dataOf(element.dataset.series), body);
    say(chart, null);
  }
  function dataOf(series) {
    return [all.times, all[series] ?? []];
  }
  function say(chart, index) {
    const values = all[chart.element.dataset.series] ?? [];
    const at = index ?? values.length - 1;
    const value = shown(values[at], chart.element.dataset.unit);
    const when = index == null || all.times[at] == null ? "" : ` at ${clock(all.times[at])}`;
    chart.element.querySelector("output").textContent = value + when;
  }
  function add(more) {
    const oldest = (more.times.at(-1) ?? all.times.at(-1) ?? 0) - spanSeconds;
    const drop = [...all.times, ...more.times].findIndex(time => time >= oldest);
    for (const [name, values] of Object.entries(more)) {
      all[name] = [...(all[name] ?? []), ...values].slice(Math.max(0, drop));
    }
  }
  async function read() {
    if (document.hidden) {
      return;
    }
    const after = Math.round((all.times.at(-1) ?? 0) * 1000);
    const answer = await fetch(`${host.dataset.samples}?after=${after}`);
    if (answer.redirected) {
      location.reload(); // the session has ended
    } else if (answer.ok) {
      const more = await answer.json();
      if (more.times.length > 0) {
        add(more);
        for (const chart of charts) {
          chart.plot.setData(dataOf(chart.element.dataset.series));
          say(chart, null);
        }
      }
    }
  }
  function drawAll() {
    charts.forEach(draw);
  }
  drawAll();
  addEventListener("resize", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  const readOn = () => read().catch(() => {}); // the next one asks again
  readOn();
  setInterval(readOn, READ_MILLIS);
  document.addEventListener("visibilitychange", readOn);
})();
