"use strict";
(function () {
  var root = document.documentElement, $ = function (id) { return document.getElementById(id); };

  // Light and dark: the reader's choice wins over the system's; kept where the browser lets us.
  function keep(value) { try { localStorage.setItem("graphassay-theme", value); } catch (e) { /* file:// may refuse */ } }
  function kept() { try { return localStorage.getItem("graphassay-theme"); } catch (e) { return null; } }
  if (/[?&#]theme=dark/.test(location.href)) root.dataset.theme = "dark";
  else if (kept() === "dark" || kept() === "light") root.dataset.theme = kept();
  $("theme").addEventListener("click", function () {
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    keep(root.dataset.theme);
  });

  // Print everything that is folded.
  var closed = [];
  addEventListener("beforeprint", function () {
    document.querySelectorAll("details:not([open])").forEach(function (d) { closed.push(d); d.open = true; });
  });
  addEventListener("afterprint", function () { closed.splice(0).forEach(function (d) { d.open = false; }); });

  var copy = $("copy");
  if (copy) copy.addEventListener("click", function () {
    var text = $("command").textContent, done = function () { copy.textContent = "Copied"; setTimeout(function () { copy.textContent = "Copy"; }, 1500); };
    var select = function () { getSelection().selectAllChildren($("command")); document.execCommand("copy"); done(); };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, select); else select();
  });

  // Tables that sort: numbers by data-v, text by itself.
  document.querySelectorAll("table.sortable").forEach(function (table) {
    table.querySelectorAll("thead th").forEach(function (th, column) {
      var button = document.createElement("button");
      button.type = "button";
      while (th.firstChild) button.appendChild(th.firstChild);
      th.appendChild(button);
      button.addEventListener("click", function () {
        var up = th.getAttribute("aria-sort") !== "ascending", body = table.tBodies[0];
        table.querySelectorAll("th[aria-sort]").forEach(function (other) { other.removeAttribute("aria-sort"); });
        th.setAttribute("aria-sort", up ? "ascending" : "descending");
        var key = function (row) { var cell = row.cells[column]; return cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent.trim(); };
        var rows = Array.from(body.rows);
        rows.sort(function (a, b) {
          var x = key(a), y = key(b), nx = x === "" ? NaN : Number(x), ny = y === "" ? NaN : Number(y);
          if (isNaN(nx) !== isNaN(ny)) return isNaN(nx) ? 1 : -1;  // undefined last, either way
          var order = isNaN(nx) ? x.localeCompare(y) : nx - ny;
          return up ? order : -order;
        }).forEach(function (row) { body.appendChild(row); });
      });
    });
  });

  // The scatter: the graph nearest to the pointer, or chosen with the arrow keys, is described.
  var holder = $("scatter"), source = $("hover");
  if (!holder || !source) return;
  var data = JSON.parse(source.textContent), points = data.points, pictures = $("pictures").content.children;
  var svg = holder.querySelector("svg"), ring = $("ring");
  if (!points.length) { $("inspector").hidden = true; return; }
  var here = [], at = 0;
  var fields = document.querySelectorAll("#inspector [data-f]");
  function show(list, index) {
    here = list; at = index;
    var p = points[here[at]];
    ring.setAttribute("cx", p.x + "%"); ring.setAttribute("cy", p.y + "%");
    var drawn = pictures["i" in p ? p.i : here[at]];  // undefined: this one is only described
    var picture = drawn ? document.importNode(drawn, true) : document.createTextNode("not drawn");
    if (drawn) picture.setAttribute("width", 2 * picture.getAttribute("width"));
    $("i-pic").replaceChildren(picture);
    fields.forEach(function (field) {
      var key = field.dataset.f, names = data.names[key];
      field.textContent = names ? names[p[key]] : p[key];
    });
    $("i-many").hidden = here.length < 2;
    $("i-n").textContent = (at + 1) + " of " + here.length + " at this place";
  }
  function together(index) {
    var p = points[index], list = [];
    points.forEach(function (q, i) { if (q.x === p.x && q.y === p.y) list.push(i); });
    show(list, list.indexOf(index));
  }
  function nearest(event) {
    var box = svg.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top, best = -1, least = 40 * 40;
    points.forEach(function (p, i) {
      var dx = p.x * box.width / 100 - x, dy = p.y * box.height / 100 - y, d = dx * dx + dy * dy;
      if (d < least) { least = d; best = i; }
    });
    if (best >= 0 && !(here.length && points[here[at]].x === points[best].x && points[here[at]].y === points[best].y)) together(best);
  }
  svg.addEventListener("pointermove", nearest);
  svg.addEventListener("pointerdown", nearest);
  holder.addEventListener("keydown", function (event) {
    var now = here[at], last = points.length - 1, next;
    if (event.key === "ArrowRight" || event.key === "ArrowUp") next = Math.min(now + 1, last);
    else if (event.key === "ArrowLeft" || event.key === "ArrowDown") next = Math.max(now - 1, 0);
    else if (event.key === "Home") next = 0;
    else if (event.key === "End") next = last;
    else if (event.key === "PageDown") next = Math.min(now + 25, last);
    else if (event.key === "PageUp") next = Math.max(now - 25, 0);
    else return;
    event.preventDefault();
    together(next);
  });
  $("i-prev").addEventListener("click", function () { show(here, (at + here.length - 1) % here.length); });
  $("i-next").addEventListener("click", function () { show(here, (at + 1) % here.length); });
  together(data.start);
}());
