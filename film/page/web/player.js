/**
 * The film of each step in a <video> of its own, stacked; the neighbours are loaded ahead.
 *
 * One rule keeps black and wrong pictures away: the picture in front stays until the one that is to come has been
 * decoded and drawn, too faint to be seen. Only then is it shown, and the old one stays under it until it is.
 *
 * A browser on a busy computer may say that a picture has been sought and yet leave the one before on the screen, for
 * good if the film stands still. It does not while a video is asked which pictures it hands over
 * (HTMLVideoElement.requestVideoFrameCallback), so each is, all the time, and a picture that is not told of is asked
 * for again.
 */

import { make } from "./dom.js";
import { lastPicture, timeOf } from "./deck.js";

const SLOTS = 4;

/** How long a picture may take from being sought to being handed to the screen, in ms, and how often it is asked for. */
const PATIENCE = 300;
const TIMES = 2;

const TELLS = "requestVideoFrameCallback" in HTMLVideoElement.prototype;

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
    const slot = Object.assign(watched(video), { step: -1 });
    video.addEventListener("ended", () => slot === this.front && this.arrive(slot));
    video.addEventListener("error", () => slot === this.front && this.told.failed(slot.step));
    return slot;
  }

  /** The slot of a step, loading it if no slot has it; the one farthest from `near` makes room. */
  slotOf(step, near) {
    const found = this.slots.find((slot) => slot.step === step);
    if (found) return found;
    const distance = (slot) => (slot.step < 0 ? Infinity : Math.abs(slot.step - near));
    const free = this.slots.filter((slot) => slot !== this.front).sort((a, b) => distance(b) - distance(a))[0];
    free.step = step;
    load(free, this.steps[step]);
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

/** A video and what is known of it: { video, failed, fps, shown }, shown being the time of the picture last handed over. */
export function watched(video) {
  const slot = { video, failed: false, fps: 1, shown: NaN };
  video.addEventListener("error", () => (slot.failed = video.hasAttribute("src")));
  if (!TELLS) return slot;
  const note = (_, { mediaTime }) => {
    // A picture of the film before may still be told of while the next is being loaded.
    if (video.readyState >= 2) slot.shown = mediaTime;
    video.requestVideoFrameCallback(note);
  };
  video.requestVideoFrameCallback(note);
  return slot;
}

/** Have a slot load the film of a step. */
export function load(slot, { file, fps }) {
  Object.assign(slot, { failed: false, fps, shown: NaN });
  slot.video.src = file;
  slot.video.load();
}

/**
 * Resolves once the picture at `time` seconds is decoded and drawn, unseen, or cannot be had.
 *
 * A later call for the same slot takes over from an earlier one.
 */
export async function settled(slot, time) {
  const { video, fps } = slot;
  const order = (slot.order = (slot.order ?? 0) + 1);
  const isWanted = () => slot.order === order && !slot.failed;
  while (isWanted() && video.readyState < 2) await once(video, ["loadeddata", "seeked", "error"]);
  for (let n = 0; n < TIMES && isWanted(); n++) {
    // Asked for a second time in the very same place, a browser may take it to be there already.
    await sought(video, time + (n % 2) * (0.2 / fps), isWanted);
    if (await isHandedOver(slot, time, isWanted)) break;
  }
  await painted();
}

async function sought(video, time, isWanted) {
  while (isWanted() && (video.seeking || Math.abs(video.currentTime - time) > 1e-3)) {
    const arrived = once(video, ["seeked", "error"]);
    if (Math.abs(video.currentTime - time) > 1e-3) video.currentTime = time;
    await arrived;
  }
}

/** Whether the picture at a time has been handed to the screen, which may take a moment; a hidden page hands over none. */
async function isHandedOver(slot, time, isWanted) {
  if (!TELLS) return true;
  const isThere = () => document.hidden || Math.abs((time - slot.shown) * slot.fps - 0.25) < 0.5;
  const until = performance.now() + PATIENCE;
  while (isWanted() && !isThere() && performance.now() < until) await painted();
  return isThere();
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
