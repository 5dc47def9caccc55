/** A table of numbers whose cells and rows are buttons, walked with the arrow keys, one stop for the Tab key. */

import { make } from "./dom.js";

/**
 * One matrix as a figure.
 *
 * @param given.id        names it; a cell's `data-cell` is "id:i,j", a row's "id:i"
 * @param given.hue       "query", "key", "value", "weight": the colour it has in the film
 * @param given.title     its caption
 * @param given.rows      names of the rows; given.columns those of the columns; `corner` what they are
 * @param given.cells     printed numbers
 * @param given.names     (i, j) → what a screen reader says before the number
 * @param given.strength  percents, how strongly each cell is coloured; given.hidden which are hatched
 * @param given.press     (i, j) when a cell is pressed; given.pressRow (i); without them it is only to be read
 */
export function matrix(given) {
  const head = make("tr", {}, make("td", {}, given.corner ?? ""));
  for (const name of given.columns) head.append(make("th", { scope: "col" }, name));
  const body = make("tbody");
  given.cells.forEach((texts, i) => {
    const row = make("tr", {}, make("th", { scope: "row" }, rowHead(given, i)));
    texts.forEach((text, j) => row.append(cell(given, i, j, text)));
    body.append(row);
  });
  const table = make("table", { class: given.hue }, make("thead", {}, head), body);
  const first = table.querySelector("button");
  if (first) first.tabIndex = 0;
  return make(
    "figure",
    { class: "matrix", "data-matrix": given.id },
    make("figcaption", {}, given.title),
    make("div", { class: "scroll" }, table),
  );
}

function rowHead(given, i) {
  if (!given.pressRow) return given.rows[i];
  return button(`${given.id}:${i}`, given.rowName(i), () => given.pressRow(i), given.rows[i]);
}

function cell(given, i, j, text) {
  const isHidden = Boolean(given.hidden?.[i][j]);
  const node = make("td", { class: isHidden ? "hidden" : null });
  if (given.strength) node.style.setProperty("--heat", `${given.strength[i][j]}%`);
  node.append(
    given.press ? button(`${given.id}:${i},${j}`, `${given.names(i, j)}: ${text}`, () => given.press(i, j), text) : text,
  );
  return node;
}

function button(key, label, press, text) {
  return make(
    "button",
    { type: "button", tabindex: "-1", "data-cell": key, "aria-label": label, "aria-pressed": "false", onclick: press },
    text,
  );
}

/** Where an arrow key leads from a cell: the button one row or column on, or null at the edge. */
export function neighbour(from, key) {
  const place = from.closest("td, th");
  const row = place.closest("tr");
  const at = [...row.children].indexOf(place);
  const beside = { ArrowLeft: () => row.children[at - 1], ArrowRight: () => row.children[at + 1] };
  const above = { ArrowUp: row.previousElementSibling, ArrowDown: row.nextElementSibling };
  const goal = key in beside ? beside[key]() : above[key]?.children[at];
  return goal?.querySelector("button") ?? null;
}

/** Move the focus in a table; the Tab key comes back to where it went. True if the key was an arrow. */
export function walk(from, key) {
  if (!key.startsWith("Arrow")) return false;
  const goal = neighbour(from, key);
  if (goal) {
    from.tabIndex = -1;
    goal.tabIndex = 0;
    goal.focus();
  }
  return true;
}
