/** What is around the film: buttons, caption, notes, messages, contents and help. */

import { byId, make } from "./dom.js";

const BUTTONS = [
  ["back", "◀", "←"], ["next", "▶", "→"], ["replay", "↻", "R"], ["jump", "≡", "J"], ["captions", "CC", "C"],
  ["notes", "¶", "N"], ["table", "▦", "T"], ["slower", "−", "−"], ["faster", "+", "+"], ["mute", "♪", "M"],
  ["blank", "■", "B"], ["full", "□", "F"], ["speaker", "▣", "S"], ["language", "", "L"], ["look", "◐", ""],
  ["help", "?", "?"],
];

export class Room {
  /** @param app { data, at, language, captions, word, press(command), where(), jump(step) } */
  constructor(app) {
    this.app = app;
    this.sayings = 0;
  }

  /** Every word of the page that is not the panel's, anew. */
  render() {
    const { app } = this;
    const { word } = app;
    document.documentElement.lang = app.language === "zh" ? "zh-CN" : "en";
    document.title = app.data.title[app.language];
    byId("film").setAttribute("aria-label", word("film"));
    byId("panel").setAttribute("aria-label", word("table"));
    byId("start").textContent = word("start");
    const bar = byId("bar");
    bar.setAttribute("aria-label", word("controls"));
    const buttons = BUTTONS.map(([name, sign, key]) =>
      make(
        "button",
        { type: "button", class: `do-${name}`, "data-command": name, title: key ? `${word(name)} (${key})` : word(name), onclick: () => app.press({ name }) },
        make("span", { class: "sign", "aria-hidden": "true" }, sign), make("span", { class: "label" }, word(name)),
      ),
    );
    bar.replaceChildren(...buttons, make("span", { class: "where", id: "where" }));
    this.renderHelp();
    this.renderJump();
    this.update();
  }

  /** Follow the film. */
  update() {
    const { app } = this;
    const step = app.data.steps[app.at.step];
    byId("where").textContent = app.where();
    const caption = byId("caption");
    caption.hidden = app.captions === "off";
    if (!caption.hidden) {
      caption.lang = app.captions === "zh" ? "zh-CN" : "en";
      caption.textContent = step.caption[app.captions];
    }
    const notes = byId("notes");
    notes.hidden = !app.hasNotes;
    if (app.hasNotes) {
      notes.replaceChildren(make("h2", {}, app.word("note")), make("p", {}, step.note[app.language]));
    }
    for (const [name, on] of [["notes", app.hasNotes], ["table", app.hasTable], ["captions", app.captions !== "off"], ["mute", app.isMuted]]) {
      byId("bar").querySelector(`.do-${name}`).setAttribute("aria-pressed", String(on));
    }
    for (const one of byId("jump").querySelectorAll("[data-number]")) {
      one.setAttribute("aria-current", String(Number(one.dataset.number) === step.number));
    }
  }

  /** A few words at the foot of the film, for a moment. */
  say(text) {
    const status = byId("status");
    const mine = ++this.sayings;
    status.textContent = text;
    status.classList.add("on");
    setTimeout(() => mine === this.sayings && status.classList.remove("on"), 2500);
  }

  /** The speaker window was refused: say so, and offer what works without it. */
  sayBlocked() {
    const { word, press } = this.app;
    const message = byId("message");
    const close = () => (message.hidden = true);
    const notes = () => (close(), press({ name: "showNotes" }));
    message.replaceChildren(
      make("p", {}, word("blocked")),
      make("button", { type: "button", onclick: notes }, word("showNotes")),
      make("button", { type: "button", onclick: close }, word("close")),
    );
    message.hidden = false;
  }

  /** A film that is not there: its place and the remedy, or nothing. */
  sayFault(step) {
    const fault = byId("fault");
    fault.hidden = step < 0;
    fault.textContent = step < 0 ? "" : this.app.word("missing", { file: this.app.data.steps[step].file });
  }

  renderHelp() {
    const { word, data } = this.app;
    const rows = this.app.keys().map(([keys, what]) => make("tr", {}, make("th", { scope: "row" }, keys), make("td", {}, what)));
    const help = byId("help");
    help.setAttribute("aria-label", word("help"));
    help.replaceChildren(
      make("h2", {}, word("help")),
      make("table", {}, make("tbody", {}, ...rows)),
      ...absent(this.app),
      make("button", { type: "button", onclick: () => help.close() }, word("close")),
    );
  }

  renderJump() {
    const { word, data, language, jump } = this.app;
    const items = data.stages.map(({ number, title }) =>
      make("li", {}, make("button", { type: "button", "data-number": number, onclick: () => jump(number) }, `${number}  ${title[language]}`)),
    );
    const dialog = byId("jump");
    dialog.setAttribute("aria-label", word("jump"));
    dialog.replaceChildren(
      make("h2", {}, word("jump")),
      make("ul", {}, ...items),
      ...absent(this.app),
      make("button", { type: "button", onclick: () => dialog.close() }, word("close")),
    );
  }
}

/** The stages that have no film yet, named; nothing if all are there. */
function absent({ word, data }) {
  return data.missing.length ? [make("p", {}, word("absent", { names: data.missing.join(", ") }))] : [];
}
