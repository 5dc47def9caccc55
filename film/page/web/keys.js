/**
 * What a key means. Pure: takes what a keyboard event says, returns a command or null.
 *
 * A remote control sends PageUp, PageDown, "." or "b". With an input method on, `key` is "Process" or a character
 * of the other script, so the place of the key on the keyboard (`code`) is asked as well.
 */

const BY_KEY = {
  ArrowRight: "next", PageDown: "next", " ": "next", Spacebar: "next", Enter: "next",
  ArrowLeft: "back", PageUp: "back",
  Home: "first", End: "last",
  f: "full", b: "blank", ".": "blank", "。": "blank", r: "replay", c: "captions", m: "mute",
  s: "speaker", n: "notes", t: "table", j: "jump", l: "language",
  "+": "faster", "=": "faster", "＋": "faster", "-": "slower", "_": "slower", "−": "slower", "－": "slower",
  "?": "help", "？": "help", h: "help", Escape: "escape",
};

const BY_CODE = {
  Space: "next", NumpadEnter: "next", KeyF: "full", KeyB: "blank", Period: "blank", NumpadDecimal: "blank",
  KeyR: "replay", KeyC: "captions", KeyM: "mute", KeyS: "speaker", KeyN: "notes", KeyT: "table", KeyJ: "jump",
  KeyL: "language", KeyH: "help", NumpadAdd: "faster", Equal: "faster", NumpadSubtract: "slower", Minus: "slower",
};

/**
 * The command of a key press: { name } or { name: "stage", number }, or null if it is none of ours.
 *
 * A key held down is one press: its repeats are { name: "ignored" }, swallowed so that nothing scrolls.
 */
export function commandOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const command = named(event);
  return command && event.repeat ? { name: "ignored" } : command;
}

function named(event) {
  const digit = /^[0-9]$/.test(event.key) ? event.key : (/^(?:Digit|Numpad)([0-9])$/.exec(foreign(event)) || [])[1];
  if (digit !== undefined) return { name: "stage", number: digit === "0" ? 10 : Number(digit) };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const name = BY_KEY[key] ?? (foreign(event) === "Slash" && event.shiftKey ? "help" : BY_CODE[foreign(event)]);
  return name ? { name } : null;
}

/** The place of the key, where its character says nothing: taken by an input method, or of another script. */
function foreign(event) {
  const isPlain = event.key.length === 1 && event.key.charCodeAt(0) < 128;
  const isNamed = event.key.length > 1 && event.key !== "Process" && event.key !== "Unidentified";
  return isPlain || isNamed ? "" : event.code || "";
}

/** How long and how level a movement of the finger must be to count as a swipe, in CSS pixels. */
const SWIPE_PX = 45;

/** "next" for a swipe to the left, "back" for one to the right, "" for anything else. */
export function swipeOf(dx, dy) {
  if (Math.abs(dx) < SWIPE_PX || Math.abs(dx) < 1.5 * Math.abs(dy)) return "";
  return dx < 0 ? "next" : "back";
}
