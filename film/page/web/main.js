/** The page: one position, changed by presses from keys, mouse, touch, the speaker's window, or the table. */

import { WORDS, words } from "./words.js";
import { byId } from "./dom.js";
import { backward, changeSpeed, firstOfStage, forward, fromHash, toHash } from "./deck.js";
import { commandOf, swipeOf } from "./keys.js";
import { Player } from "./player.js";
import { walk } from "./table.js";
import { Working } from "./working.js";
import { Heads, questions, shapes } from "./handout.js";
import { Speaker } from "./speaker.js";
import { Room } from "./room.js";

const WIDE = matchMedia("(min-width: 1000px)");
const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const CAPTIONS = ["off", "zh", "en"];

class App {
  constructor(data) {
    this.data = data;
    this.language = data.language;
    this.captions = "off";
    this.hasNotes = false;
    this.hasTable = true;
    this.isMuted = false;
    this.startedAt = 0;
    this.byKeyboard = false;
    this.word = (name, given) => words(this.language, name, given);
    this.visit = this.visit.bind(this);
    this.press = this.press.bind(this);
    this.jump = this.jump.bind(this);
    this.at = fromHash(data.steps, location.hash);
    this.player = new Player(byId("screen"), data.steps, {
      ended: (step) => this.ended(step),
      failed: (step) => this.failed(step),
      muted: () => this.setMuted(true),
    });
    this.room = new Room(this);
    this.working = new Working(this);
    this.heads = new Heads(this);
    this.speaker = new Speaker(this);
    this.render();
    this.listen();
    this.go(this.at);
  }

  keys() {
    return WORDS[this.language].keys;
  }

  /** "Step 12 of 93 · 3 Scores" */
  where() {
    const step = this.data.steps[this.at.step];
    const stage = this.data.stages.find((one) => one.number === step.number);
    const count = this.word("step", { n: this.at.step + 1, of: this.data.steps.length });
    return `${count} · ${step.number} ${stage.title[this.language]}`;
  }

  render() {
    this.room.render();
    byId("panel").replaceChildren(this.working.render(), this.heads.render(), shapes(this), questions(this));
    document.body.classList.toggle("no-panel", !this.hasTable);
  }

  // ---- where the lesson stands

  /** Go to a position; everything on the page follows. */
  go(at) {
    this.at = at;
    byId("film").dataset.phase = at.phase;
    byId("start").hidden = this.startedAt !== 0 || at.step !== 0 || at.phase !== "start";
    if (at.phase === "playing" && !this.startedAt) this.startedAt = Date.now();
    history.replaceState(null, "", `#${toHash(this.data.steps, at)}`);
    this.room.sayFault(-1);
    this.room.update();
    this.speaker.update();
    this.player.show(at.step, at.phase, at.frame);
  }

  /** The film of a step has come to its last picture by itself. */
  ended(step) {
    if (step !== this.at.step || this.at.phase !== "playing") return;
    this.at = { step, phase: "end" };
    byId("film").dataset.phase = "end";
    history.replaceState(null, "", `#${toHash(this.data.steps, this.at)}`);
    this.speaker.update();
  }

  failed(step) {
    if (step !== this.at.step) return;
    this.room.sayFault(step);
    if (this.at.phase === "playing") this.ended(step);
  }

  /** Show a step playing, from its start or from a frame of it: a cell of the table leads to where it is made. */
  visit(step, frame = 0) {
    this.go({ step, phase: CALM.matches ? "start" : "playing", frame });
  }

  /** Go to the start of a stage; say so if it has no film. */
  jump(number) {
    byId("jump").close();
    const step = firstOfStage(this.data.steps, number);
    if (step >= 0) this.go({ step, phase: "start" });
    else if (this.data.missing.length) this.room.say(this.word("absent", { names: this.data.missing.join(", ") }));
  }

  restart() {
    this.startedAt = Date.now();
    this.speaker.update();
  }

  // ---- presses

  /** Do what a key or button asks. While the screen is blank, a press only brings the film back. */
  press(command) {
    const { name } = command;
    const blank = byId("blank");
    if (!blank.hidden && name !== "ignored") {
      blank.hidden = true;
      return;
    }
    const last = this.data.steps.length - 1;
    const does = {
      next: () => this.go(forward(this.at, last + 1)),
      back: () => this.go(backward(this.at)),
      first: () => this.go({ step: 0, phase: "start" }),
      last: () => this.go({ step: last, phase: "end" }),
      replay: () => this.go({ step: this.at.step, phase: "playing" }),
      stage: () => this.jump(command.number),
      jump: () => this.toggleDialog("jump"),
      help: () => this.toggleDialog("help"),
      blank: () => this.blank(),
      captions: () => this.nextCaptions(),
      faster: () => this.changeSpeed(1),
      slower: () => this.changeSpeed(-1),
      mute: () => this.setMuted(!this.isMuted),
      full: () => this.toggleFull(),
      speaker: () => this.speaker.open() ? this.speaker.update() : this.room.sayBlocked(),
      notes: () => this.showNotes(!this.hasNotes),
      showNotes: () => this.showNotes(true),
      table: () => this.showTable(!this.hasTable),
      language: () => this.setLanguage(this.language === "zh" ? "en" : "zh"),
      look: () => this.toggleTheme(),
      escape: () => this.leave(),
    };
    does[name]?.();
  }

  blank() {
    this.player.pause();
    if (this.at.phase === "playing") this.go({ step: this.at.step, phase: "end" });
    byId("blank").hidden = false;
    this.room.say(this.word("blankIs"));
  }

  nextCaptions() {
    this.captions = CAPTIONS[(CAPTIONS.indexOf(this.captions) + 1) % CAPTIONS.length];
    this.room.update();
    this.room.say(this.word("captionsAre", { what: this.word(this.captions) }));
  }

  changeSpeed(by) {
    this.player.setSpeed(changeSpeed(this.player.speed, by));
    this.room.say(this.word("speedIs", { x: this.player.speed }));
  }

  setMuted(isMuted) {
    this.isMuted = isMuted;
    this.player.mute(isMuted);
    this.room.update();
    this.room.say(this.word(isMuted ? "muted" : "sound"));
  }

  showNotes(isShown) {
    this.hasNotes = isShown;
    this.room.update();
  }

  showTable(isShown) {
    this.hasTable = isShown;
    document.body.classList.toggle("no-panel", !isShown);
    this.room.update();
    if (isShown && !WIDE.matches) byId("panel").scrollIntoView({ block: "start" });
  }

  setLanguage(language) {
    this.language = language;
    this.render();
    this.speaker.rebuild();
  }

  toggleTheme() {
    const root = document.documentElement;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    this.speaker.rebuild();
  }

  /** Full screen, or, where the browser has none (some phones), the film alone in the window. */
  toggleFull() {
    if (document.fullscreenElement) return document.exitFullscreen();
    const ask = document.documentElement.requestFullscreen?.();
    if (ask) return ask.catch(() => this.setAlone(true));
    return this.setAlone(!document.body.classList.contains("alone"));
  }

  setAlone(isAlone) {
    document.body.classList.toggle("alone", isAlone);
  }

  toggleDialog(id) {
    const dialog = byId(id);
    if (dialog.open) return dialog.close();
    for (const other of document.querySelectorAll("dialog[open]")) other.close();
    return dialog.showModal();
  }

  /** Back to the film from wherever the focus is. */
  leave() {
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    if (!document.fullscreenElement) this.setAlone(false);
    this.focusFilm();
  }

  focusFilm() {
    this.byKeyboard = false;
    byId("film").focus({ preventScroll: true });
  }

  // ---- where presses come from

  /** One key, in whichever window it was pressed. */
  onKey(event) {
    if (event.key === "Tab") {
      this.byKeyboard = true;
      return;
    }
    if (this.byKeyboard && this.isForFocused(event)) return;
    const command = commandOf(event);
    if (!command) return;
    event.preventDefault();
    event.stopPropagation();
    const isStep = ["next", "back", "first", "last", "stage"].includes(command.name);
    if (isStep) for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    this.press(command);
  }

  /** Keys that belong to the button that was walked to with Tab: it is pressed, or its table walked. */
  isForFocused(event) {
    const button = event.target.closest?.("button");
    if (!button) return false;
    if (event.key === "Enter" || event.key === " ") {
      if (event.repeat) event.preventDefault();
      return true;
    }
    if (button.dataset.cell === undefined || !walk(button, event.key)) return false;
    event.preventDefault();
    return true;
  }

  listen() {
    addEventListener("keydown", (event) => this.onKey(event), true);
    addEventListener("hashchange", () => {
      const at = fromHash(this.data.steps, location.hash);
      if (toHash(this.data.steps, at) !== toHash(this.data.steps, this.at)) this.go(at);
    });
    addEventListener("pointerdown", () => (this.byKeyboard = false), true);
    // A button that was clicked must not keep the focus: the next press of the space bar is for the film.
    addEventListener("click", (event) => event.detail > 0 && event.target.closest?.("button")?.blur());
    document.addEventListener("fullscreenchange", () => this.setAlone(Boolean(document.fullscreenElement)));
    byId("start").addEventListener("click", () => this.press({ name: "next" }));
    this.listenToHand(byId("film"));
    this.listenToPointer();
  }

  /** A click or tap on the film is next, a swipe next or back; the second click of a double click is nothing. */
  listenToHand(film) {
    let from = null;
    film.addEventListener("pointerdown", (event) => {
      from = event.isPrimary ? { x: event.clientX, y: event.clientY } : null;
    });
    film.addEventListener("click", (event) => {
      if (event.target.closest("button") || event.detail > 1) return;
      const swipe = from ? swipeOf(event.clientX - from.x, event.clientY - from.y) : "";
      from = null;
      if (!swipe) this.press({ name: "next" });
    });
    film.addEventListener("pointerup", (event) => {
      const swipe = from ? swipeOf(event.clientX - from.x, event.clientY - from.y) : "";
      if (swipe) this.press({ name: swipe });
    });
  }

  /** Full screen shows the buttons only while the mouse moves. */
  listenToPointer() {
    let timer = 0;
    addEventListener("pointermove", () => {
      document.body.classList.add("awake");
      clearTimeout(timer);
      timer = setTimeout(() => document.body.classList.remove("awake"), 2000);
    });
  }
}

new App(JSON.parse(byId("lesson").textContent));
