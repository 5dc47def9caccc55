/**
 * The film of each step in a <video> of its own, stacked; the neighbours are loaded ahead.
 *
 * One rule keeps black and wrong pictures away: the picture in front stays until the one that is to come has been
 * decoded and drawn, too faint to be seen. Only then is it shown, and the old one stays under it until it is.
 */

import { make } from "./dom.js";
import { lastPicture, timeOf } from "./deck.js";

const SLOTS = 4;

export class Player {
  /**
   * @param screen   the element that holds the pictures
   * @param steps    [{ file, frames, fps }]
   * @param told     { ended(step), failed(step), muted() }: what the player has to say
   */
  constructor(screen, steps, told) {
    this.steps = steps;
    this.told = told;
    this.speed = 1;
    this.turn = 0;
    this.front = null;
    this.slots = Array.from({ length: SLOTS }, () => this.newSlot(screen));
  }

  newSlot(screen) {
    const video = make("video", { playsinline: true, preload: "auto", tabindex: "-1", "aria-hidden": "true" });
    video.disablePictureInPicture = true;
    screen.append(video);
    const slot = { video, step: -1, failed: false };
    video.addEventListener("ended", () => slot === this.front && this.arrive(slot));
    video.addEventListener("error", () => {
      slot.failed = slot.step >= 0;
      if (slot === this.front) this.told.failed(slot.step);
    });
    return slot;
  }

  /** The slot of a step, loading it if no slot has it; the one farthest from `near` makes room. */
  slotOf(step, near) {
    const found = this.slots.find((slot) => slot.step === step);
    if (found) return found;
    const distance = (slot) => (slot.step < 0 ? Infinity : Math.abs(slot.step - near));
    const free = this.slots.filter((slot) => slot !== this.front).sort((a, b) => distance(b) - distance(a))[0];
    free.step = step;
    free.failed = false;
    free.video.src = this.steps[step].file;
    free.video.load();
    return free;
  }

  /** Show a step at its "start", its "end", or "playing", both from a frame. A later call overtakes one that waits. */
  async show(step, phase, frame = 0) {
    const turn = ++this.turn;
    const slot = this.slotOf(step, step);
    if (this.front) this.front.video.pause();
    await settled(slot, phase === "end" ? lastPicture(this.steps[step]) : timeOf(this.steps[step], frame));
    if (turn !== this.turn) return;
    this.bringForward(slot);
    await painted();
    if (turn !== this.turn) return;
    this.letGo();
    if (slot.failed) this.told.failed(step);
    else if (phase === "playing") await this.play(slot, turn);
    if (turn === this.turn) this.loadNeighbours(step);
  }

  /** A film is over: a busy computer may have left out its last picture, so that is asked for once more. */
  arrive(slot) {
    this.told.ended(slot.step);
    if (slot === this.front && slot.video.ended) settled(slot, lastPicture(this.steps[slot.step]));
  }

  /** Show a slot; the one that was there stays right under it for a moment. */
  bringForward(slot) {
    if (this.front === slot) return;
    this.letGo();
    if (this.front) {
      this.front.video.pause();
      this.front.video.classList.replace("front", "leaving");
    }
    slot.video.classList.add("front");
    this.front = slot;
  }

  /** The picture that was left is needed no more. */
  letGo() {
    for (const { video } of this.slots) video.classList.remove("leaving");
  }

  async play(slot, turn) {
    slot.video.playbackRate = this.speed;
    try {
      await slot.video.play();
    } catch (error) {
      // A browser may refuse sound before the first press on the page, and refuses it then only with sound.
      if (error.name !== "NotAllowedError" || turn !== this.turn) return;
      this.mute(true);
      this.told.muted();
      await slot.video.play().catch(() => this.told.failed(slot.step));
    }
  }

  loadNeighbours(step) {
    for (const near of [step + 1, step - 1]) {
      if (near < 0 || near >= this.steps.length) continue;
      const slot = this.slotOf(near, step);
      settled(slot, 0);
    }
  }

  pause() {
    this.front?.video.pause();
  }

  mute(isMuted) {
    for (const { video } of this.slots) video.muted = isMuted;
  }

  setSpeed(speed) {
    this.speed = speed;
    if (this.front) this.front.video.playbackRate = speed;
  }
}

/**
 * Resolves once the picture at `time` seconds is decoded and drawn, unseen, or cannot be had.
 *
 * A later call for the same slot takes over from an earlier one.
 */
export async function settled(slot, time) {
  const { video } = slot;
  const order = (slot.order = (slot.order ?? 0) + 1);
  const isWanted = () => slot.order === order && !slot.failed;
  while (isWanted() && video.readyState < 2) await once(video, ["loadeddata", "seeked", "error"]);
  while (isWanted() && (video.seeking || Math.abs(video.currentTime - time) > 1e-3)) {
    const arrived = once(video, ["seeked", "error"]);
    if (Math.abs(video.currentTime - time) > 1e-3) video.currentTime = time;
    await arrived;
  }
  await painted();
}

function once(video, names) {
  return new Promise((resolve) => {
    const done = () => {
      for (const name of names) video.removeEventListener(name, done);
      resolve();
    };
    for (const name of names) video.addEventListener(name, done);
  });
}

/** Two turns of the screen: what was decoded before them is on it after them. A hidden page has no turns. */
function painted() {
  if (document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const late = setTimeout(resolve, 120);
    requestAnimationFrame(() => requestAnimationFrame(() => (clearTimeout(late), resolve())));
  });
}
