/** Finds the line of positions in a text. Positions in ascending order together cost one pass over the text. */
export class LineCounter {
  readonly #text: string;
  #line = 1;
  #lineStart = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Counted from 1. */
  at(position: number): number {
    if (position < this.#lineStart) {
      this.#line = 1;
      this.#lineStart = 0;
    }
    for (let end = this.#text.indexOf('\n', this.#lineStart); end >= 0 && end < position;) {
      this.#line += 1;
      this.#lineStart = end + 1;
      end = this.#text.indexOf('\n', this.#lineStart);
    }
    return this.#line;
  }
}
