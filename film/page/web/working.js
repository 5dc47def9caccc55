/** The panel's heart: Q, K, V, S, A and Y of the lesson, and how the pressed cell or row came about. */

import { make } from "./dom.js";
import { matrix } from "./table.js";
import { cellLines, mixLines } from "./sums.js";

export class Working {
  /** @param app { data, word(name, given), language, visit(step, frame) } */
  constructor(app) {
    this.app = app;
    this.table = app.data.table;
    this.view = this.table.view;
    this.picked = null;
    this.root = make("section", { class: "working" });
    this.tables = make("div", { class: "tables" });
    this.detail = make("div", { class: "detail", "aria-live": "polite" });
  }

  get now() {
    return this.table.views[this.view];
  }

  /** Build everything anew: after a change of language or view. */
  render() {
    const { word } = this.app;
    const switches = Object.keys(this.table.views).map((name) =>
      make(
        "button",
        { type: "button", "aria-pressed": String(name === this.view), "data-view": name, onclick: () => this.look(name) },
        word(name === "full" ? "full_view" : name),
      ),
    );
    this.tables.replaceChildren(...this.matrices());
    this.root.replaceChildren(
      make("h2", {}, word("handout")),
      make("div", { class: "switch", role: "group", "aria-label": word("view") }, ...switches),
      make("p", { class: "hint" }, word("hint")),
      this.tables,
      this.detail,
    );
    this.show();
    return this.root;
  }

  /** See the lesson under another mask. */
  look(view) {
    this.view = view;
    this.render();
    this.root.querySelector(`[data-view="${view}"]`).focus();
  }

  matrices() {
    const { table, now } = this;
    const { word, language } = this.app;
    const tokens = table.tokens[language];
    const numbers = (rows) => rows[0].map((_, c) => String(c));
    const keys = table.k[0].map((_, c) => table.k.map((row) => row[c]));
    const names = (i, j) => word("cell", { i, j, a: tokens[i], b: tokens[j] });
    const whole = { rows: tokens, rowName: (i) => word("row", { i, name: tokens[i] }) };
    const plain = (i, c) => `${tokens[i]} ${c}`;
    const square = { ...whole, columns: tokens, names, hidden: now.hidden, corner: "↓Q K→" };
    return [
      matrix({
        id: "q", hue: "query", title: word("q"), rows: tokens, columns: numbers(table.q), cells: table.q,
        names: plain, press: (i, c) => this.visit("q", i, c),
      }),
      matrix({
        id: "k", hue: "key", title: `${word("k")} (Kᵀ)`, rows: numbers(table.k), columns: tokens, cells: keys,
        names: (c, j) => plain(j, c), press: (c, j) => this.visit("k", j, c),
      }),
      matrix({
        id: "v", hue: "value", title: word("v"), rows: tokens, columns: numbers(table.v), cells: table.v,
        names: plain, press: (j, c) => this.visit("v", j, c),
      }),
      matrix({
        ...square, id: "score", hue: "weight", title: word("score"), cells: table.score,
        press: (i, j) => this.pick("score", i, j), pressRow: (i) => this.pickRow("score", i),
      }),
      matrix({
        ...square, id: "weights", hue: "weight", title: word("weights"), cells: now.weights, strength: now.strength,
        press: (i, j) => this.pick("weights", i, j), pressRow: (i) => this.pickRow("weights", i),
      }),
      matrix({
        ...whole, id: "output", hue: "value", title: word("output"), columns: numbers(table.v), cells: now.output,
        names: plain, press: (i) => this.pickRow("output", i), pressRow: (i) => this.pickRow("output", i),
      }),
    ];
  }

  /** [step, frame] at which a number is made, or undefined if this folder shows it nowhere. */
  moment(name, ...index) {
    const place = index.join(",");
    return this.table.moments[name]?.[place] ?? this.now.moments[name]?.[place];
  }

  visit(name, ...index) {
    const moment = this.moment(name, ...index);
    if (moment) this.app.visit(...moment);
  }

  pick(name, i, j) {
    this.turnTo(name, { i, j });
    this.visit(name, i, j);
  }

  pickRow(name, i) {
    this.turnTo(name, { i, j: null });
    this.visit("output", i, 0);
  }

  turnTo(name, picked) {
    this.picked = picked;
    this.show();
    // Beside the film the working is always in view, and must not cover what was pressed; below it, it may be far.
    const isBeside = getComputedStyle(this.detail).position === "sticky";
    const goal = isBeside ? this.tables.querySelector(`.picked[data-cell^="${name}:"]`) : this.detail;
    goal.scrollIntoView({ block: "nearest" });
  }

  /** Light what belongs to the pressed cell or row, and write it out. */
  show() {
    const { picked } = this;
    for (const one of this.tables.querySelectorAll(".lit, .picked")) one.classList.remove("lit", "picked");
    for (const one of this.tables.querySelectorAll("[aria-pressed=true]")) one.setAttribute("aria-pressed", "false");
    this.detail.replaceChildren();
    if (!picked) return;
    const { i, j } = picked;
    if (j === null) {
      this.lightRow(i);
      this.detail.append(...this.mix(i));
      return;
    }
    this.light("q", (r) => r === i);
    this.light("k", (_, c) => c === j);
    for (const id of ["score", "weights"]) this.mark(`${id}:${i},${j}`);
    this.detail.append(...this.cell(i, j));
  }

  lightRow(i) {
    this.light("weights", (r) => r === i);
    this.light("v", () => true);
    this.light("output", (r) => r === i);
    for (const id of ["score", "weights", "output"]) this.mark(`${id}:${i}`);
  }

  light(id, isLit) {
    for (const button of this.tables.querySelectorAll(`[data-matrix="${id}"] td button`)) {
      const [r, c] = button.dataset.cell.split(":")[1].split(",").map(Number);
      if (isLit(r, c)) button.classList.add("lit");
    }
  }

  mark(key) {
    const button = this.tables.querySelector(`[data-cell="${key}"]`);
    button.classList.add("picked");
    button.setAttribute("aria-pressed", "true");
  }

  cell(i, j) {
    const { word, language } = this.app;
    const tokens = this.table.tokens[language];
    const moments = { dot: "score", scale: "scaled", mask: "masked", exp: "exp", sum: "row_sum", share: "weights" };
    const lines = cellLines(this.table, this.now, i, j).map((line) => {
      const index = line.name === "sum" ? [i] : [i, j];
      const says = [line.says && word(line.says), line.isRounded && word("rounded")].filter(Boolean).join(" ");
      return this.line(word(line.name), line.text, says, moments[line.name] && this.moment(moments[line.name], ...index));
    });
    const title = `${word("asks", { name: tokens[i] })}, ${word("asked", { name: tokens[j] })}`;
    return [make("h3", {}, `A[${i}, ${j}] = ${this.now.weights[i][j]}`, make("small", {}, title)), make("dl", {}, ...lines)];
  }

  mix(i) {
    const { word, language } = this.app;
    const tokens = this.table.tokens[language];
    const { terms, result, isRounded } = mixLines(this.table, this.now, i);
    const lines = terms.map(({ weight, value, product }, j) =>
      this.line(tokens[j], `${weight} × ${value} = ${product}`, this.now.hidden[i][j] ? word("hiddenCell") : "", undefined),
    );
    const says = [this.now.isEmpty[i] && word("empty"), isRounded && word("rounded")].filter(Boolean).join(" ");
    lines.push(this.line(word("sum"), `Y[${i}] = ${result}`, says, this.moment("output", i, 0)));
    return [make("h3", {}, word("mix"), make("small", {}, word("row", { i, name: tokens[i] }))), make("dl", {}, ...lines)];
  }

  /** One line of working: its name, the sum, a remark, and a button to its place in the film. */
  line(name, text, says, moment) {
    const { word, visit } = this.app;
    const label = `${word("seen")}: ${name}`;
    const link =
      moment &&
      make("button", { type: "button", class: "see", "aria-label": label, title: label, onclick: () => visit(...moment) }, "▶");
    return make("div", {}, make("dt", {}, name), make("dd", {}, make("span", { class: "sum" }, text), says && make("small", {}, says), link));
  }
}
