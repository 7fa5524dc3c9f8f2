import { codePointCount } from '../../base/index.ts';

/** A place in an expression: lines from 1, columns from 0, in code points. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/** The location of a problem without a position. */
export const NO_LOCATION: Location = { line: -1, column: -1 };

/** The text of an expression, with its lines. Offsets are UTF-16 code units. */
export class Source {
  readonly text: string;
  /** Where each line begins. */
  #lines: readonly number[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  locationOf(offset: number): Location {
    const lines = this.#lineStarts();
    let line = lines.length;
    while (line > 1 && (lines[line - 1] as number) > offset) line -= 1;
    return { line, column: codePointCount(this.text.slice(lines[line - 1], offset)) };
  }

  /** The text of a line; undefined when the line does not exist or the text is empty. */
  line(line: number): string | undefined {
    const lines = this.#lineStarts();
    const start = lines[line - 1];
    if (start === undefined || this.text === '') return undefined;
    const next = lines[line];
    return this.text.slice(start, next === undefined ? undefined : next - 1);
  }

  #lineStarts(): readonly number[] {
    if (this.#lines === undefined) {
      const lines = [0];
      for (let at = this.text.indexOf('\n'); at >= 0; at = this.text.indexOf('\n', at + 1)) lines.push(at + 1);
      this.#lines = lines;
    }
    return this.#lines;
  }
}
