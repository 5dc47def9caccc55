/**
 * How a cell or a row came about, written out. Every number is a string of the lesson's data, as the film prints
 * it: nothing is calculated or rounded here.
 */

/** A factor as it stands in a product: negative ones in brackets. */
export function factor(text) {
  return text.startsWith("\u2212") ? `(${text})` : text;
}

/** The terms of a sum: a negative one in brackets, if it is not the first. */
export function total(terms) {
  return terms.map((term, n) => (n ? factor(term) : term)).join(" + ");
}

/** Query i · Key j, component by component: "1×1 + 2×0 = 1". */
export function dotLine(table, i, j) {
  const parts = table.q[i].map((q, c) => `${factor(q)}×${factor(table.k[j][c])}`);
  return `${parts.join(" + ")} = ${table.score[i][j]}`;
}

/**
 * The working of cell (i, j) under one view of the mask, line by line: { name, text, says, isRounded }.
 *
 * `name` is a key of the page's words and of the moments in the film; `says` a key of the words, or "".
 */
export function cellLines(table, view, i, j) {
  const isHidden = view.hidden[i][j];
  const lines = [
    { name: "dot", text: dotLine(table, i, j), isRounded: table.scoreIsRounded[i][j] },
    { name: "scale", text: `${table.score[i][j]} ÷ ${table.sqrtD} = ${table.scaled[i][j]}` },
    isHidden
      ? { name: "mask", text: `${table.scaled[i][j]} → ${view.masked[i][j]}`, says: "hiddenSays" }
      : { name: "mask", text: view.masked[i][j], says: "openSays" },
  ];
  if (view.needsShift) {
    const text = `${view.masked[i][j]} − ${factor(view.shift[i])} = ${view.shifted[i][j]}`;
    lines.push({ name: "shift", text });
  }
  lines.push({ name: "exp", text: `exp(${view.shifted[i][j]}) = ${view.exp[i][j]}` });
  if (view.isEmpty[i]) {
    lines.push({ name: "share", text: view.weights[i][j], says: "empty" });
    return lines.map(whole);
  }
  lines.push({ name: "sum", text: `${total(view.exp[i])} = ${view.rowSum[i]}`, isRounded: view.sumIsRounded[i] });
  lines.push({ name: "share", text: `${view.exp[i][j]} ÷ ${view.rowSum[i]} = ${view.weights[i][j]}` });
  return lines.map(whole);
}

function whole(line) {
  return { says: "", isRounded: false, ...line };
}

/** A row of numbers as a vector: "[0.33, 1.34]". */
export function vector(texts) {
  return `[${texts.join(", ")}]`;
}

/**
 * The value mix of row i: one line a Key with weight, Value and their product, then the sum.
 *
 * @returns { terms: [{ weight, value, product }], result, isRounded }
 */
export function mixLines(table, view, i) {
  return {
    terms: table.v.map((value, j) => ({
      weight: view.weights[i][j], value: vector(value), product: vector(view.weighted[i][j]),
    })),
    result: vector(view.output[i]),
    isRounded: view.outputIsRounded[i].some(Boolean),
  };
}
