/** Building a page out of text, never out of markup: a token may be called `<script>`. */

/**
 * A new element. `given` are attributes; "on…" are listeners; null and false are left out. Children are nodes
 * or text.
 */
export function make(tag, given = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

/** The element of this id. */
export function byId(id) {
  return document.getElementById(id);
}
