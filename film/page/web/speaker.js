/**
 * The speaker's window: note, next picture, clock. It is a blank window that this page fills and reads, so that
 * nothing has to be loaded and both go in step.
 */

import { make } from "./dom.js";
import { lastPicture } from "./deck.js";
import { load, settled, watched } from "./player.js";

export class Speaker {
  /** @param app { data, at, language, word, press(command), onKey(event), startedAt, restart() } */
  constructor(app) {
    this.app = app;
    this.window = null;
    this.parts = null;
    this.scout = null;
    // A page that is loaded again is a stranger to the window it opened, and could not fill it any more.
    window.addEventListener("pagehide", () => this.window?.close());
  }

  get isOpen() {
    return Boolean(this.window && !this.window.closed);
  }

  /** Open it, or bring it to the front. False if the browser does not let us. */
  open() {
    if (this.isOpen) {
      this.window.focus();
      return true;
    }
    const opened = window.open("", "_blank", "popup,width=1000,height=720");
    if (!opened || opened.closed) return false;
    this.window = opened;
    this.build();
    return true;
  }

  build() {
    const { app } = this;
    const page = this.window.document;
    page.documentElement.lang = document.documentElement.lang;
    page.documentElement.dataset.theme = document.documentElement.dataset.theme;
    page.title = app.word("speakerTitle");
    // Made by this page's document and adopted by the other: there is one way to build an element.
    this.drawn = -1;
    const style = make("style", {}, document.querySelector("style").textContent);
    page.head.replaceChildren(make("meta", { charset: "utf-8" }), style);
    const part = (tag, name) => make(tag, { class: name });
    const parts = {
      count: part("p", "count"), caption: part("p", "now"), note: part("p", "note"), other: part("p", "other"),
      next: part("p", "next"), clock: part("p", "clock"), elapsed: part("p", "elapsed"),
      picture: make("canvas", { width: 640, height: 360, role: "img" }),
    };
    const button = (name, press) => make("button", { type: "button", onclick: press }, app.word(name));
    page.body.className = "speaker";
    page.body.replaceChildren(
      make("div", { class: "says" }, parts.count, parts.caption, parts.note, parts.other),
      make(
        "div",
        { class: "side" },
        make("h2", {}, app.word("nextIs")), parts.picture, parts.next,
        make("h2", {}, app.word("clock")), parts.clock,
        make("h2", {}, app.word("elapsed")), parts.elapsed,
        make("p", {}, button("reset", () => app.restart()), button("back", () => app.press({ name: "back" })),
          button("next", () => app.press({ name: "next" }))),
      ),
    );
    this.parts = parts;
    this.window.onkeydown = (event) => app.onKey(event);
    clearInterval(this.timer);
    this.timer = setInterval(() => this.tick(), 500);
    this.update();
  }

  /** Anew, in another language or look. */
  rebuild() {
    if (this.isOpen) this.build();
  }

  /** Follow the film. */
  update() {
    if (!this.isOpen) return;
    const { app, parts } = this;
    const { steps } = app.data;
    const step = steps[app.at.step];
    const other = app.language === "zh" ? "en" : "zh";
    parts.count.textContent = app.where();
    parts.caption.textContent = step.caption[app.language];
    parts.note.textContent = step.note[app.language];
    parts.other.textContent = step.note[other];
    parts.other.lang = other;
    // At its start a step has yet to be played: the next press shows its own last picture.
    const coming = app.at.phase === "start" ? app.at.step : app.at.step + 1;
    const next = steps[coming];
    parts.next.textContent = next ? next.caption[app.language] : app.word("nothingNext");
    parts.picture.setAttribute("aria-label", parts.next.textContent);
    if (next) this.draw(coming);
    parts.picture.hidden = !next;
    this.tick();
  }

  tick() {
    if (!this.isOpen) return clearInterval(this.timer);
    const { app, parts } = this;
    const seconds = app.startedAt ? Math.floor((Date.now() - app.startedAt) / 1000) : 0;
    const two = (n) => String(n).padStart(2, "0");
    const now = new Date();
    parts.clock.textContent = `${two(now.getHours())}:${two(now.getMinutes())}`;
    parts.elapsed.textContent = `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
  }

  /** Copy the last picture of a step; a film window may play any file of the folder, the other perhaps not. */
  async draw(n) {
    const step = this.app.data.steps[n];
    if (this.drawn === n) return;
    this.drawn = n;
    if (!this.scout) {
      const video = make("video", { muted: true, playsinline: true, preload: "auto", class: "scout", tabindex: "-1", "aria-hidden": "true" });
      video.muted = true;
      this.scout = watched(video);
      document.body.append(video);
    }
    const { video } = this.scout;
    load(this.scout, step);
    await settled(this.scout, lastPicture(step));
    if (this.drawn !== n || this.scout.failed || !this.isOpen) return;
    const { picture } = this.parts;
    picture.height = Math.round((picture.width * video.videoHeight) / video.videoWidth);
    picture.getContext("2d").drawImage(video, 0, 0, picture.width, picture.height);
  }
}
