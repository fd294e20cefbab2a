// The blackboard's canvas: squares are points, circles released values; lines are the regressions. The server streams the
// turns of a run; points, undo and playback are here.
(function () {
  "use strict";
  const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#e69f00", "#332288", "#cc6677", "#117733", "#56b4e9", "#777777"];
  const DARK = ["#56b4e9", "#ff8c42", "#2ec4a0", "#e39cc8", "#e6c229", "#99aaff", "#ee8899", "#88cc66", "#9adcf8", "#bbbbbb"];
  const MARGIN = { left: 48, right: 12, top: 10, bottom: 28 };
  const DRAG = 8, CLUSTER = 20, TURN = 200, KEYS = ["objective", "delta", "pil", "dr", "score"];
  const byId = (id) => document.getElementById(id);
  const night = matchMedia("(prefers-color-scheme: dark)");

  class Board {
    constructor(canvas) {
      this.canvas = canvas; this.press = null; this.past = []; this.run = null; this.turns = []; this.at = 0; this.playing = false;
      this.picture = { view: [0, 100, 0, 100], points: this.read(), independent: 0 };
      canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); this.press = { from: [event.offsetX, event.offsetY], to: [event.offsetX, event.offsetY] }; });
      canvas.addEventListener("pointermove", (event) => { if (this.press) { this.press.to = [event.offsetX, event.offsetY]; this.draw(); } });
      canvas.addEventListener("pointerup", (event) => this.released(event));
      canvas.addEventListener("pointercancel", () => { this.press = null; this.draw(); });
      new ResizeObserver(() => this.draw()).observe(canvas);
      night.addEventListener("change", () => this.draw());
      byId("points").addEventListener("change", () => this.put(this.read(), false));
      byId("play").addEventListener("click", () => this.playing ? this.pause() : this.play());
      byId("next").addEventListener("click", () => this.step());
      byId("back").addEventListener("click", () => this.stop());
      byId("undo").addEventListener("click", () => { if (this.past.length) this.put(this.past.pop(), true, false); });
      byId("clear").addEventListener("click", () => this.put([]));
      for (const id of ["c", "m", "seed", "independent"]) byId(id).addEventListener("change", () => this.stop());
      this.stop();
    }

    // Points: the text field holds them, so that the form works without this script.
    read() {
      const rows = byId("points").value.split("\n").map((line) => line.split(/[\s,]+/).filter(Boolean).map(Number));
      return rows.filter((row) => row.length === 2 && row.every(Number.isFinite));
    }
    put(points, write = true, remember = true) {
      if (remember) this.past = [...this.past, this.picture.points].slice(-50);
      this.picture.points = points;
      if (write) byId("points").value = points.map((p) => p.map((v) => Number(v.toPrecision(5))).join(", ")).join("\n");
      this.stop();
    }
    stop() {
      this.run = null; this.turns = []; this.at = 0; this.pause();
      this.show(null);
    }
    view() {
      const all = this.picture.points, low = [0, 1].map((i) => Math.min(...all.map((p) => p[i]))), high = [0, 1].map((i) => Math.max(...all.map((p) => p[i])));
      if (!all.length || (Math.min(...low) >= 0 && Math.max(...high) <= 100)) return [0, 100, 0, 100];
      const room = [0, 1].map((i) => Math.max(high[i] - low[i], 1e-9 * Math.max(Math.abs(high[i]), 1)) * 0.06);
      return [low[0] - room[0], high[0] + room[0], low[1] - room[1], high[1] + room[1]];
    }

    // A run: the turns arrive as lines of JSON.
    async fetchTurns() {
      const token = this.run = {};
      const response = await fetch("/blackboard/frames", { method: "POST", body: new URLSearchParams(new FormData(byId("board-form"))) });
      if (!response.ok) { byId("turn").textContent = await response.text(); this.run = null; this.pause(); return; }
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (this.run !== token) { reader.cancel(); return; }
        if (done) break;
        text += value;
        const lines = text.split("\n");
        text = lines.pop();
        this.turns.push(...lines.filter(Boolean).map((line) => JSON.parse(line)));
      }
      token.done = true;
    }
    play() {
      if (this.run && this.run.done && this.at >= this.turns.length) this.stop();
      this.playing = true; byId("play").textContent = "Pause";
      if (!this.run) this.fetchTurns();
      clearInterval(this.timer);
      this.timer = setInterval(() => this.advance(), TURN);
    }
    pause() { this.playing = false; byId("play").textContent = "Run"; clearInterval(this.timer); }
    step() {
      this.pause();
      if (!this.run) this.fetchTurns().then(() => 0);
      const wait = setInterval(() => { if (this.at < this.turns.length || !this.run || this.run.done) { clearInterval(wait); this.advance(); } }, 50);
    }
    advance() {
      if (this.at < this.turns.length) { this.at += 1; this.show(this.turns[this.at - 1]); }
      else if (this.run && this.run.done) this.pause();
    }
    show(turn) {
      const { points } = this.picture;
      this.picture = { points, view: this.view(), independent: Number(byId("independent").value), ...(turn || {}) };
      let text = points.length + (points.length === 1 ? " point" : " points");
      if (turn) {
        const last = this.run && this.run.done && this.at === this.turns.length;
        text += ", turn " + turn.turn + (turn.settled ? ": settled." : last ? ": not settled. The last turn moved a membership by " + short(turn.delta) + "; these lines are not final." : ".");
      }
      byId("turn").textContent = text;
      byId("turn").classList.toggle("unsettled", text.includes("not settled"));
      this.canvas.setAttribute("aria-label", text);
      this.canvas.dataset.turn = turn ? turn.turn : "";
      for (const key of KEYS) {
        const values = this.turns.slice(0, this.at).map((each) => key === "delta" ? Math.log10(Math.max(each[key], 1e-12)) : each[key]);
        byId("r-" + key).textContent = turn ? short(turn[key]) : "–";
        const low = Math.min(...values), span = (Math.max(...values) - low) || 1;
        byId("s-" + key).firstElementChild.setAttribute("points", values.map((v, k) => (3 + 114 * k / Math.max(values.length - 1, 1)).toFixed(1) + "," + (25 - 22 * (v - low) / span).toFixed(1)).join(" "));
      }
      this.draw();
    }

    // Between pixels and the plane.
    place(x, y) {
      const [x0, x1, y0, y1] = this.picture.view;
      const w = this.canvas.clientWidth - MARGIN.left - MARGIN.right;
      const h = this.canvas.clientHeight - MARGIN.top - MARGIN.bottom;
      return [MARGIN.left + (x - x0) / (x1 - x0) * w, MARGIN.top + (y1 - y) / (y1 - y0) * h];
    }
    point(left, top) {
      const [x0, x1, y0, y1] = this.picture.view;
      const w = this.canvas.clientWidth - MARGIN.left - MARGIN.right;
      const h = this.canvas.clientHeight - MARGIN.top - MARGIN.bottom;
      return [x0 + (left - MARGIN.left) / w * (x1 - x0), y1 - (top - MARGIN.top) / h * (y1 - y0)];
    }

    released(event) {
      if (!this.press) return;
      const { from } = this.press, to = [event.offsetX, event.offsetY];
      this.press = null;
      const far = Math.hypot(to[0] - from[0], to[1] - from[1]);
      const [x, y] = this.point(...from), [xto, yto] = this.point(...to), radius = far < DRAG ? 0 : Math.hypot(xto - x, yto - y);
      const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
      const added = radius ? Array.from({ length: CLUSTER }, () => [x + radius / 2 * normal(), y + radius / 2 * normal()]) : [[x, y]];
      this.put([...this.picture.points, ...added]);
    }

    draw() {
      const { canvas, picture } = this, ratio = window.devicePixelRatio || 1;
      const wide = canvas.clientWidth, high = canvas.clientHeight;
      if (!wide || !high) return;
      if (canvas.width !== wide * ratio || canvas.height !== high * ratio) {
        canvas.width = wide * ratio; canvas.height = high * ratio;
      }
      const pen = canvas.getContext("2d"), colors = night.matches ? DARK : LIGHT;
      const style = getComputedStyle(document.body), ink = style.color;
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, wide, high);
      this.axes(pen, ink);
      pen.save();
      pen.beginPath();
      pen.rect(MARGIN.left, MARGIN.top, wide - MARGIN.left - MARGIN.right, high - MARGIN.top - MARGIN.bottom);
      pen.clip();
      this.joins(pen, ink);
      this.points(pen, colors, ink);
      this.lines(pen, colors);
      this.dragged(pen, ink);
      pen.restore();
    }

    axes(pen, ink) {
      const [x0, x1, y0, y1] = this.picture.view, { canvas } = this;
      pen.font = "11px system-ui, sans-serif";
      pen.fillStyle = ink; pen.strokeStyle = ink; pen.lineWidth = 1;
      for (const value of ticks(x0, x1)) {
        const [left] = this.place(value, y0);
        pen.globalAlpha = 0.15; segment(pen, left, MARGIN.top, left, canvas.clientHeight - MARGIN.bottom);
        pen.globalAlpha = 0.8; pen.textAlign = "center"; pen.fillText(short(value), left, canvas.clientHeight - 10);
      }
      for (const value of ticks(y0, y1)) {
        const [, top] = this.place(x0, value);
        pen.globalAlpha = 0.15; segment(pen, MARGIN.left, top, canvas.clientWidth - MARGIN.right, top);
        pen.globalAlpha = 0.8; pen.textAlign = "right"; pen.fillText(short(value), MARGIN.left - 6, top + 4);
      }
      pen.globalAlpha = 1;
    }

    // Where a point goes: only its dependent coordinate changes.
    target(k) {
      const [x, y] = this.picture.points[k], z = this.picture.released[k];
      return this.picture.independent === 0 ? [x, z] : [z, y];
    }

    joins(pen, ink) {
      if (!this.picture.released) return;
      pen.strokeStyle = ink; pen.globalAlpha = this.picture.points.length > 500 ? 0.12 : 0.3; pen.lineWidth = 1;
      pen.beginPath();
      for (let k = 0; k < this.picture.points.length; k++) {
        pen.moveTo(...this.place(...this.picture.points[k]));
        pen.lineTo(...this.place(...this.target(k)));
      }
      pen.stroke();
      pen.globalAlpha = 1;
    }

    points(pen, colors, ink) {
      const { points, labels, strength, released } = this.picture, size = points.length > 500 || this.canvas.clientWidth < 400 ? 4 : 7;
      for (let k = 0; k < points.length; k++) {
        const [left, top] = this.place(...points[k]);
        pen.fillStyle = labels ? colors[labels[k] % colors.length] : ink;
        pen.globalAlpha = strength ? 0.15 + 0.85 * Math.max(0, strength[k]) : 0.8;
        pen.fillRect(left - size / 2, top - size / 2, size, size);
        if (!released) continue;
        const [to, at] = this.place(...this.target(k));
        pen.strokeStyle = pen.fillStyle; pen.lineWidth = 1.2;
        pen.beginPath(); pen.arc(to, at, size / 2 + 0.5, 0, 2 * Math.PI); pen.stroke();
      }
      pen.globalAlpha = 1;
    }

    lines(pen, colors) {
      const { lines, view, independent } = this.picture;
      if (!lines) return;
      pen.lineWidth = 2.5; pen.font = "bold 12px system-ui, sans-serif"; pen.textAlign = "left";
      lines.forEach((line, k) => {
        if (!line) return;
        const [a, b] = line, [from, to] = independent === 0 ? [view[0], view[1]] : [view[2], view[3]];
        const ends = [from, to].map((x) => independent === 0 ? this.place(x, a + b * x) : this.place(a + b * x, x));
        pen.strokeStyle = pen.fillStyle = colors[k % colors.length];
        segment(pen, ...ends[0], ...ends[1]);
        const seen = this.inside(...ends);
        if (!seen) return;
        const at = seen[0] + (0.04 + 0.08 * k) * (seen[1] - seen[0]);
        const label = ends[0].map((v, i) => v + at * (ends[1][i] - v));
        pen.fillText(String(k + 1), label[0] + 3, label[1] - 5);
      });
    }

    // From where to where, of the way from one place to another, it is in view; none of it: null.
    inside(from, to) {
      const low = [MARGIN.left, MARGIN.top + 16];
      const high = [this.canvas.clientWidth - MARGIN.right - 14, this.canvas.clientHeight - MARGIN.bottom];
      let first = 0, last = 1;
      for (const i of [0, 1]) {
        const step = to[i] - from[i];
        const [a, b] = [(low[i] - from[i]) / step, (high[i] - from[i]) / step].sort((x, y) => x - y);
        if (step) { first = Math.max(first, a); last = Math.min(last, b); }
        else if (from[i] < low[i] || from[i] > high[i]) return null;
      }
      return first < last ? [first, last] : null;
    }

    dragged(pen, ink) {
      if (!this.press) return;
      const [a, b] = this.press.from, far = Math.hypot(this.press.to[0] - a, this.press.to[1] - b);
      if (far < DRAG) return;
      pen.strokeStyle = ink; pen.setLineDash([4, 4]); pen.lineWidth = 1.5;
      pen.beginPath(); pen.arc(a, b, far, 0, 2 * Math.PI); pen.stroke(); pen.setLineDash([]);
    }
  }

  function segment(pen, x0, y0, x1, y1) { pen.beginPath(); pen.moveTo(x0, y0); pen.lineTo(x1, y1); pen.stroke(); }

  function ticks(low, high) {
    const rough = (high - low) / 6, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const unit = [1, 2, 5, 10].map((u) => u * power).find((u) => u >= rough), values = [];
    for (let v = Math.ceil(low / unit) * unit; v <= high + unit * 1e-9; v += unit) values.push(v);
    return values;
  }
  function short(value) { return Math.abs(value) < 1e-12 ? "0" : String(Number(value.toPrecision(4))); }

  // The small pictures are drawn as the board is, each from its last turn in the page.
  function drawSmall() {
    for (const canvas of document.querySelectorAll("canvas.small")) {
      const { points, independent } = board.picture, own = canvas.picture || { points, independent, view: board.view(), ...JSON.parse(canvas.dataset.turn) };
      canvas.picture = own;
      Object.assign(Object.create(Board.prototype), { canvas, picture: own, press: null }).draw();
    }
  }

  const board = new Board(byId("board"));
  document.addEventListener("htmx:afterSwap", drawSmall);
  night.addEventListener("change", drawSmall);
  window.addEventListener("resize", drawSmall);
  drawSmall();
})();
