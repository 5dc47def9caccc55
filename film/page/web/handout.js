/** What is under the tables: the heads of the real model, the shapes, the questions. */

import { make } from "./dom.js";
import { matrix } from "./table.js";

/** The weights and outputs of every head, one sequence at a time. */
export class Heads {
  constructor(app) {
    this.app = app;
    this.batch = 0;
    this.root = make("section", { class: "heads" });
  }

  render() {
    const { word, data } = this.app;
    const { heads } = data;
    const b = this.batch;
    const switches = heads.weights.map((_, n) =>
      make(
        "button",
        { type: "button", "aria-pressed": String(n === b), "data-batch": n, onclick: () => this.look(n) },
        word("batch", { b: n }),
      ),
    );
    const places = heads.hidden.map((_, n) => String(n));
    const square = { rows: places, columns: places, hidden: heads.hidden, hue: "weight", corner: "↓Q K→" };
    const pairs = heads.weights[b].flatMap((cells, h) => [
      matrix({ ...square, id: `head${h}`, title: word("headTable", { h }), cells, strength: heads.strength[b][h] }),
      matrix({
        id: `headOutput${h}`, hue: "value", title: word("headOutput", { h }), rows: places,
        columns: heads.output[b][h][0].map((_, c) => String(c)), cells: heads.output[b][h],
      }),
    ]);
    const mean = matrix({
      ...square, id: "headMean", title: word("mean"), cells: heads.mean[b], strength: heads.meanStrength[b],
    });
    this.root.replaceChildren(
      make("h2", {}, word("heads")),
      make("p", { class: "hint" }, word("headsNote")),
      make("div", { class: "switch", role: "group", "aria-label": word("heads") }, ...switches),
      make("div", { class: "tables" }, ...pairs, mean),
    );
    return this.root;
  }

  look(batch) {
    this.batch = batch;
    this.render();
    this.root.querySelector(`[data-batch="${batch}"]`).focus();
  }
}

/** The table of shapes. */
export function shapes(app) {
  const { word, language, data } = app;
  const rows = data.shapes.map(({ what, symbol, here }) =>
    make("tr", {}, make("th", { scope: "row" }, what[language]), make("td", {}, symbol), make("td", {}, here)),
  );
  const head = make("tr", {}, ...["what", "symbol", "here"].map((name) => make("th", { scope: "col" }, word(name))));
  return make(
    "section",
    { class: "shapes" },
    make("h2", {}, word("shapes")),
    make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))),
  );
}

/** The questions of the film; an answer comes when it is asked for. */
export function questions(app) {
  const { word, language, data, visit } = app;
  const items = data.questions.map(({ question, answer, step }, n) => {
    const id = `answer${n}`;
    const text = make("p", { id, hidden: true }, answer[language]);
    const ask = make("button", { type: "button", "aria-expanded": "false", "aria-controls": id }, word("answer"));
    ask.addEventListener("click", () => {
      text.hidden = !text.hidden;
      ask.setAttribute("aria-expanded", String(!text.hidden));
      ask.textContent = word(text.hidden ? "answer" : "hide");
    });
    const label = `${word("seen")}: ${n + 1}`;
    const see = make("button", { type: "button", class: "see", "aria-label": label, title: label, onclick: () => visit(step) }, "▶");
    return make("li", {}, make("p", {}, question[language]), ask, see, text);
  });
  if (!items.length) return make("section", {});
  return make("section", { class: "questions" }, make("h2", {}, word("questions")), make("ol", {}, ...items));
}
