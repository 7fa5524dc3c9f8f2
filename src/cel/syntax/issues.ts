import { NO_LOCATION, type Location, type Source } from './source.ts';

/** One mistake in an expression. */
export interface Issue {
  readonly location: Location;
  readonly message: string;
}

/** Max issues kept; the rest are counted. */
const MAX_ISSUES = 100;
const MAX_SNIPPET_BYTES = 16_384;
const WIDE_DOT = '\uff0e';
const WIDE_POINTER = '\uff3e';

/** The mistakes found in an expression, in the form that Kubernetes shows them. */
export class Issues {
  readonly #source: Source;
  readonly #issues: Issue[] = [];
  #count = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get size(): number {
    return this.#count;
  }

  /** Drops all but the first `size` issues. */
  truncate(size: number): void {
    this.#count = Math.min(this.#count, size);
    this.#issues.length = Math.min(this.#issues.length, size);
  }

  get list(): readonly Issue[] {
    return this.#issues;
  }

  /** Records a mistake at an offset into the text, or without a position. */
  report(offset: number | undefined, message: string): void {
    this.reportAt(offset === undefined ? NO_LOCATION : this.#source.locationOf(offset), message);
  }

  reportAt(location: Location, message: string): void {
    this.#count += 1;
    if (this.#count <= MAX_ISSUES) this.#issues.push({ location, message });
  }

  /** Each mistake with its line and a pointer below it, in the order of the text. */
  toString(): string {
    const ordered = [...this.#issues].sort(
      ({ location: a }, { location: b }) => a.line - b.line || a.column - b.column,
    );
    const shown = ordered.map((issue) => this.#show(issue));
    if (this.#count > MAX_ISSUES) shown.push(`${this.#count - MAX_ISSUES} more errors were truncated`);
    return shown.join('\n');
  }

  #show({ location, message }: Issue): string {
    const headline = `ERROR: <input>:${location.line}:${location.column + 1}: ${message}`;
    const line = this.#source.line(location.line);
    if (line === undefined || Buffer.byteLength(line) > MAX_SNIPPET_BYTES) return headline;
    const snippet = line.replaceAll('\t', ' ');
    let pointer = '';
    let column = 0;
    for (const character of snippet) {
      if (column >= location.column) break;
      pointer += character < '\x80' ? '.' : WIDE_DOT;
      column += 1;
    }
    const marked = [...snippet][location.column] ?? '';
    return `${headline}\n | ${snippet}\n | ${pointer}${marked < '\x80' ? '^' : WIDE_POINTER}`;
  }
}
