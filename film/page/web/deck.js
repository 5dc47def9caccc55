/**
 * Where the lesson stands, and where a press leads: plain values, no page.
 *
 * A position is { step, phase, frame }: phase "start" shows the first picture of a step, "playing" its film, "end"
 * its last picture. With a frame, a step starts and plays from that picture of it: where a number is about to be
 * made. The start of a step looks like the end of the one before, so that forwards and backwards are one picture a
 * press, and going back never shows an answer.
 */

/** The position after "next": start plays, playing finishes, the end goes on to the step after it. */
export function forward(at, count) {
  if (at.phase === "start") return { ...at, phase: "playing" };
  if (at.phase === "playing") return { step: at.step, phase: "end" };
  return at.step + 1 < count ? { step: at.step + 1, phase: "playing" } : at;
}

/** The position after "back": to the start of this step, and from there to the start of the one before. */
export function backward(at) {
  if (at.phase !== "start" || at.frame) return { step: at.step, phase: "start" };
  return at.step > 0 ? { step: at.step - 1, phase: "start" } : at;
}

/** Index of the first step of the stage with this number (counted from 1), or -1 if it is not in the folder. */
export function firstOfStage(steps, number) {
  return steps.findIndex((step) => step.number === number);
}

/** The part after "#": "score/dot" at its end, "score/dot/start" before it is played, "score/dot/12" from there on. */
export function toHash(steps, at) {
  const { stage, beat } = steps[at.step];
  return `${stage}/${beat}${at.phase === "end" ? "" : `/${at.frame || "start"}`}`;
}

/** The position an address names; a stage alone is its first step; the very start for what is not there. */
export function fromHash(steps, hash) {
  const [stage, beat, phase] = hash.replace(/^#/, "").split("/");
  const step = steps.findIndex((one) => one.stage === stage && (!beat || one.beat === beat));
  if (step < 0) return { step: 0, phase: "start" };
  const frame = /^\d+$/.test(phase ?? "") ? Math.min(Number(phase), steps[step].frames - 1) : 0;
  if (frame) return { step, phase: "start", frame };
  return { step, phase: beat && phase !== "start" ? "end" : "start" };
}

/** Seconds at which a picture of a step is on screen: the middle of its time, so that rounding finds no other. */
export function timeOf(step, frame) {
  return frame ? (frame + 0.5) / step.fps : 0;
}

/** Seconds at which the last picture of a step is on screen, half a frame before its film is over. */
export function lastPicture(step) {
  return timeOf(step, Math.max(0, step.frames - 1));
}

/** Playing speeds, slowest first. */
export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2];

/** The next speed up (+1) or down (-1), or the same at either end. */
export function changeSpeed(speed, by) {
  const at = SPEEDS.indexOf(speed) + by;
  return SPEEDS[Math.min(Math.max(at, 0), SPEEDS.length - 1)];
}
