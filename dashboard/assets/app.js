// Keeps a page up to date, and draws its charts from the numbers in it. A page is whole without this: each chart has its
// latest value in words beside it, and every change is a plain form.
(function () {
  "use strict";

  // What is brought up to date is changed only where it differs: focus, selection and scrolling stay where they are.
  function alike(a, b) {
    return a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.nodeType !== 1 || a.id === b.id);
  }

  function bring(a, b) {
    if (a.nodeType !== 1) {
      if (a.data !== b.data) a.data = b.data;
      return;
    }
    Array.from(b.attributes).forEach(function (n) { if (a.getAttribute(n.name) !== n.value) a.setAttribute(n.name, n.value); });
    Array.from(a.attributes).forEach(function (n) { if (!b.hasAttribute(n.name)) a.removeAttribute(n.name); });
    if (!a.hasAttribute("data-chart")) children(a, b);
  }

  function children(a, b) {
    var old = a.firstChild, fresh = b.firstChild;
    while (fresh) {
      var next = fresh.nextSibling;
      if (old && alike(old, fresh)) {
        bring(old, fresh);
        old = old.nextSibling;
      } else {
        var moved = fresh.id && a.querySelector("#" + CSS.escape(fresh.id));
        if (moved && moved.parentNode === a) {
          a.insertBefore(moved, old);
          bring(moved, fresh);
        } else {
          a.insertBefore(fresh, old);
        }
      }
      fresh = next;
    }
    while (old) {
      var gone = old;
      old = old.nextSibling;
      a.removeChild(gone);
    }
  }

  if (window.htmx) {
    htmx.defineExtension("keep", {
      isInlineSwap: function (style) { return style === "keep"; },
      handleSwap: function (style, target, fragment) {
        if (style !== "keep") return false;
        children(target, fragment);
        return [];
      }
    });
  }

  var drawn = new WeakMap();

  function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

  function spoken(seconds) {
    if (seconds == null) return "";
    if (seconds < 120) return Math.round(seconds) + " s";
    if (seconds < 7200) return Math.round(seconds / 60) + " min";
    if (seconds < 172800) return Math.round(seconds / 3600) + " h";
    return Math.round(seconds / 86400) + " d";
  }

  function short(n) {
    if (n == null) return "";
    if (n >= 1e6) return +(n / 1e6).toFixed(1) + " M";
    if (n >= 1e4) return +(n / 1e3).toFixed(1) + " k";
    return +n.toFixed(1) + "";
  }

  // steps of an axis of seconds, so that it reads 0, 30 s, 1 min rather than 0, 100 s, 200 s.
  var steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000];

  function clock(u, all) {
    return all.map(function (t) {
      var d = new Date(t * 1000);
      function two(n) { return (n < 10 ? "0" : "") + n; }
      var text = two(d.getHours()) + ":" + two(d.getMinutes());
      return d.getSeconds() ? text + ":" + two(d.getSeconds()) : text;
    });
  }

  function options(at, height, unit) {
    var tell = unit === "s" ? spoken : short;
    var y = {
      stroke: colour("--dim"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, size: 52, gap: 4, space: 26, font: "12px system-ui, sans-serif",
      values: function (u, all) { return all.map(tell); }
    };
    if (unit === "s") y.incrs = steps; else y.incrs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 1e8, 1e9];
    return {
      width: at.clientWidth, height: height, padding: [9, 26, 0, 0], cursor: { show: false }, legend: { show: false },
      scales: { x: { time: true }, y: { range: function (u, low, high) { return [0, Math.max(unit === "s" ? 10 : 4, (high || 0) * 1.15)]; } } },
      axes: [{ stroke: colour("--dim"), grid: { show: false }, ticks: { show: false }, space: 80, size: 26, gap: 7, font: "12px system-ui, sans-serif", values: clock }, y],
      series: [{}, { stroke: colour("--bar"), fill: colour("--bar-ground"), width: 2, points: { show: false } }]
    };
  }

  function dark() { return matchMedia("(prefers-color-scheme: dark)").matches; }

  function draw(at) {
    if (!window.uPlot || !at.clientWidth) return;
    var given;
    try { given = JSON.parse(at.dataset.values); } catch (e) { return; }
    var old = drawn.get(at), look = at.clientWidth + (dark() ? "d" : "l");
    if (old && old.look === look && old.chart.root.parentNode === at) {
      if (old.values !== at.dataset.values) old.chart.setData([given.at, given.values]);
      old.values = at.dataset.values;
      return;
    }
    if (old) old.chart.destroy();
    at.textContent = "";
    var chart = new uPlot(options(at, at.clientHeight, at.dataset.unit), [given.at, given.values], at);
    drawn.set(at, { chart: chart, look: look, values: at.dataset.values });
  }

  function all() { document.querySelectorAll("[data-chart]").forEach(draw); }

  document.addEventListener("DOMContentLoaded", all);
  document.addEventListener("htmx:afterSettle", all);
  document.addEventListener("htmx:afterSwap", all);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
  var pending;
  addEventListener("resize", function () { clearTimeout(pending); pending = setTimeout(all, 100); });

  // A page that nobody looks at asks for nothing, and is brought up to date once somebody does.
  document.addEventListener("htmx:beforeRequest", function (e) { if (document.hidden) e.preventDefault(); });
  document.addEventListener("visibilitychange", function () {
    var live = document.getElementById("live");
    if (!document.hidden && live && window.htmx) htmx.trigger(live, "refresh");
  });

  // What cannot be brought up to date says so, and since when.
  var good = Date.now();
  function lost(is) {
    var note = document.getElementById("lost"), since = document.getElementById("lost-since");
    if (!is) good = Date.now();
    if (!note || note.hidden === !is) return;
    if (since) {
      since.dateTime = new Date(good).toISOString();
      since.textContent = "at " + new Date(good).toLocaleTimeString();
    }
    note.hidden = !is;
  }
  ["htmx:sendError", "htmx:timeout", "htmx:responseError"].forEach(function (name) { document.addEventListener(name, function () { lost(true); }); });
  document.addEventListener("htmx:afterSwap", function () { lost(false); });
})();
