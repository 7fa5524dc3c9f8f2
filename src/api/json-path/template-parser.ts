import { ValueError } from '../values/index.ts';
import * as step from './path-steps.ts';
import type { PathStep, Slice } from './path-steps.ts';

const TERMINATORS = new Set([' ', '\t', '\r', '\n', '.', ',', '[', ']', '$', '@', '{', '}', '']);
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const QUOTED_KEY = /^'([^']*)'$/;
const COMPARISON = /^([^!<>=]+)([!<>=]+)(.+?)$/s;

/** Parses a template into its parts: literal text and paths in braces. */
export class TemplateParser {
  readonly #input: string;
  #position = 0;

  constructor(input: string) {
    this.#input = input;
  }

  parse(): (readonly PathStep[])[] {
    const parts: (readonly PathStep[])[] = [];
    while (this.#position < this.#input.length) {
      const brace = this.#input.indexOf('{', this.#position);
      const end = brace < 0 ? this.#input.length : brace;
      if (end > this.#position) parts.push([step.text(this.#input.slice(this.#position, end))]);
      this.#position = end + 1;
      if (brace >= 0) parts.push(this.#path());
    }
    return parts;
  }

  /** A path in braces, up to the closing one. */
  #path(): readonly PathStep[] {
    const steps: PathStep[] = [];
    let isAfterDescent = false;
    for (;;) {
      if (this.#takes('}')) return steps;
      if (this.#startsWith('..')) {
        if (isAfterDescent) throw new ValueError('invalid multiple recursive descent');
        this.#position += 2;
        steps.push(step.everyDepth);
        isAfterDescent = !/[\p{L}\p{Nd}_]/u.test(this.#peek());
        if (!isAfterDescent) steps.push(this.#member());
        continue;
      }
      const next = this.#takes('[?(') ? [this.#filter()] : this.#step();
      if (next.length > 0) isAfterDescent = false;
      steps.push(...next);
    }
  }

  #step(): readonly PathStep[] {
    const letter = this.#peek();
    if (letter === '' || letter === '\n' || letter === '\r') throw new ValueError('unclosed action');
    if (/[+\-\p{Nd}]/u.test(letter)) return [this.#number()];
    if (/[\p{L}_]/u.test(letter)) return [this.#word()];
    this.#position += letter.length;
    switch (letter) {
      case ' ':
      case '@':
      case '$':
        return [];
      case '[':
        return this.#index();
      case '"':
      case "'":
        return [this.#quoted(letter)];
      case '.':
        return [this.#member()];
      default:
        throw new ValueError(`unrecognized character in action: ${unicodeName(letter)}`);
    }
  }

  #member(): PathStep {
    let name = '';
    while (!TERMINATORS.has(this.#peek())) {
      this.#takes('\\');
      name += this.#take();
    }
    return name === '*' ? step.everyPart : step.member(name);
  }

  #word(): PathStep {
    let name = '';
    while (!TERMINATORS.has(this.#peek())) name += this.#take();
    return name === 'true' || name === 'false' ? step.constant(name === 'true') : step.identifier(name);
  }

  #number(): PathStep {
    let digits = this.#take();
    while (/^[\p{Nd}.]/u.test(this.#peek())) digits += this.#take();
    if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(digits)) throw new ValueError(`cannot parse number ${digits}`);
    return step.constant(Number(digits));
  }

  #quoted(quote: string): PathStep {
    let value = '';
    for (;;) {
      const letter = this.#take();
      if (letter === '' || letter === '\n') throw new ValueError('unterminated quoted string');
      if (letter === quote) return step.text(value);
      value += letter === '\\' ? this.#escaped() : letter;
    }
  }

  #escaped(): string {
    const letter = this.#take();
    const code = { x: 2, u: 4, U: 8 }[letter];
    if (code === undefined) return ESCAPES[letter] ?? letter;
    const digits = this.#input.slice(this.#position, this.#position + code);
    this.#position += digits.length;
    const value = Number.parseInt(digits, 16);
    if (digits.length < code || !(value <= 0x10ffff)) throw new ValueError('unquote string error invalid syntax');
    return String.fromCodePoint(value);
  }

  /** A name, an index, a slice or several of them, in brackets. */
  #index(): readonly PathStep[] {
    const end = this.#input.indexOf(']', this.#position);
    const inner = this.#input.slice(this.#position, end);
    if (end < 0 || inner.includes('\n')) throw new ValueError('unterminated array');
    this.#position = end + 1;
    const alternatives = inner.split(',');
    if (alternatives.length === 1) return indexSteps(inner);
    return [step.union(alternatives.map((one) => indexSteps(one.trim())))];
  }

  #filter(): PathStep {
    const inner = this.#filterText();
    const [, left, operator, right] = COMPARISON.exec(inner) ?? [];
    return step.filter({
      left: parsePath(left ?? inner),
      operator: left === undefined ? undefined : operator,
      right: parsePath(right ?? ''),
    });
  }

  /** Up to the closing parenthesis, which may also be inside a quoted string. */
  #filterText(): string {
    const start = this.#position;
    let quote = '';
    let isClosed = true;
    for (;;) {
      const before = this.#input[this.#position - 1];
      const letter = this.#take();
      if (letter === '' || letter === '\n') throw new ValueError('unterminated filter');
      if (letter === ')' && isClosed) break;
      if (letter !== '"' && letter !== "'") continue;
      if (quote === '') [quote, isClosed] = [letter, false];
      else if (letter === quote && before !== '\\') isClosed = true;
    }
    const inner = this.#input.slice(start, this.#position - 1);
    if (!this.#takes(']')) throw new ValueError('unclosed array expect ]');
    return inner;
  }

  #startsWith(text: string): boolean {
    return this.#input.startsWith(text, this.#position);
  }

  #takes(text: string): boolean {
    if (!this.#startsWith(text)) return false;
    this.#position += text.length;
    return true;
  }

  /** The next character; empty at the end. */
  #peek(): string {
    const code = this.#input.codePointAt(this.#position);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  #take(): string {
    const letter = this.#peek();
    this.#position += letter.length;
    return letter;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function parsePath(inner: string): readonly PathStep[] {
  return new TemplateParser(`{${inner}}`).parse()[0] ?? [];
}

function indexSteps(inner: string): readonly PathStep[] {
  const key = QUOTED_KEY.exec(inner)?.[1];
  if (key !== undefined) return parsePath(`.${key}`);
  const parts = SLICE.exec(inner === '*' ? ':' : inner);
  if (parts === null) throw new ValueError(`invalid array index ${inner}`);
  const [, start, end, every] = parts;
  const wanted: Slice = {
    start: numberIn(start),
    end: end === undefined ? 'next' : numberIn(end.slice(1)),
    step: numberIn(every?.slice(1)),
  };
  return [step.slice(wanted)];
}

function numberIn(digits: string | undefined): number | undefined {
  if (digits === undefined || digits === '') return undefined;
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) throw new ValueError(`array index ${digits} is not a number`);
  return value;
}

/** A character as Go's `%#U` prints it. */
function unicodeName(letter: string): string {
  const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `U+${code} '${letter}'`;
}
