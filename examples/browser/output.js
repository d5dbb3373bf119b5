/** What code prints: shown in one go for each frame, and only the last of it when there is much. */

const KEPT = 200_000; // characters
const FRAME = 30; // milliseconds; a timer, since frames stop in a tab that nobody sees
const ESCAPES = /\x1b\[[0-9;?]*[A-Za-z]/g;

export class Output {
  #waiting = [];
  #shown = null;
  #length = 0;
  #dropped = 0;

  constructor(place) {
    this.place = place;
  }

  clear() {
    this.#waiting = [];
    this.#length = this.#dropped = 0;
    this.place.replaceChildren();
  }

  /** Settles when it is shown, so that a program does not print faster than a page can show. */
  write(text, kind) {
    this.#waiting.push([text.replace(ESCAPES, ""), kind]);
    this.#shown ??= new Promise((resolve) =>
      setTimeout(() => {
        this.flush();
        resolve();
      }, FRAME)
    );
    return this.#shown;
  }

  /** Something else than text, after all that was written. */
  add(node) {
    this.flush();
    this.place.append(node);
    this.#scroll();
  }

  flush() {
    this.#shown = null;
    for (const [text, kind] of this.#waiting.splice(0)) this.#append(text, kind);
    this.#trim();
    this.#scroll();
  }

  #append(text, kind) {
    const last = this.place.lastChild;
    this.#length += text.length;
    if (last?.className === kind && last.textContent.length < KEPT / 10) return last.append(text);
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = text.slice(-KEPT);
    this.place.append(span);
  }

  #trim() {
    const spans = [...this.place.children].filter((each) => !each.classList.contains("info"));
    for (const span of spans.slice(0, -1)) {
      if (this.#length - this.#dropped <= KEPT) break;
      this.#dropped += span.textContent.length;
      span.remove();
    }
    if (this.#dropped === 0) return;
    const note = this.place.querySelector(".info") ?? document.createElement("span");
    note.className = "info";
    note.textContent = `(${this.#dropped.toLocaleString("en")} characters before this are not shown)\n`;
    this.place.prepend(note);
  }

  #scroll() {
    this.place.scrollTop = this.place.scrollHeight;
  }
}
