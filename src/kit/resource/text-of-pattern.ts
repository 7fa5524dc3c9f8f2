import type { Random } from '../../base/index.ts';

/** Maximum number of repetitions beyond the minimum, for a repetition without an upper bound. */
const MAX_MORE = 4;
/** Nested repetitions grow fast; a pattern that takes more steps is not supported. */
const MAX_STEPS = 10_000;
const PRINTABLE = [...'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 -_.'];
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  d: [...'0123456789'],
  w: [...'abcxyzABC0189_'],
  s: [' '],
  D: [...'abc-'],
  W: [...'-. '],
  S: [...'abc019-'],
};

/**
 * A text that a regular expression is likely to match: supports literals, classes, groups, alternatives and repetitions.
 * Undefined for anything else. The caller has to test the expression on the text to be sure.
 */
export function textOfPattern(pattern: string, random: Random): string | undefined {
  const reader = new PatternReader(pattern, random);
  const text = reader.alternatives();
  return reader.isAtEnd ? text : undefined;
}

class PatternReader {
  readonly #pattern: string;
  readonly #random: Random;
  #at = 0;
  #isUnknown = false;
  #steps = 0;

  constructor(pattern: string, random: Random) {
    this.#pattern = pattern;
    this.#random = random;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#pattern.length && !this.#isUnknown;
  }

  alternatives(): string {
    const choices = [this.#sequence()];
    while (this.#take('|')) choices.push(this.#sequence());
    return this.#oneOf(choices);
  }

  #sequence(): string {
    let text = '';
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#next())) {
      const from = this.#at;
      const first = this.#atom();
      const to = this.#at;
      const count = this.#repetitions();
      const after = this.#at;
      if (count > 0) text += first;
      for (let more = 1; more < count && !this.#isUnknown; more++) {
        this.#at = from; // draw the atom again for each repetition
        text += this.#atom();
      }
      this.#at = Math.max(after, to);
    }
    return text;
  }

  #atom(): string {
    this.#steps += 1;
    this.#isUnknown ||= this.#steps > MAX_STEPS;
    if (this.#take('(')) {
      if (this.#take('?')) this.#isUnknown ||= !this.#take(':');
      const text = this.alternatives();
      this.#isUnknown ||= !this.#take(')');
      return text;
    }
    if (this.#take('[')) return this.#class();
    if (this.#take('\\')) return this.#escaped();
    const letter = this.#next();
    this.#at += 1;
    if (letter === '^' || letter === '$') return '';
    return letter === '.' ? this.#oneOf(PRINTABLE) : letter;
  }

  #escaped(): string {
    const letter = this.#next();
    this.#at += 1;
    const known = CLASSES[letter];
    this.#isUnknown ||= known === undefined && /[A-Za-z0-9]/.test(letter);
    return known === undefined ? letter : this.#oneOf(known);
  }

  #class(): string {
    const isNegated = this.#take('^');
    const letters: string[] = [];
    while (this.#at < this.#pattern.length && !this.#take(']')) {
      if (this.#take('\\')) {
        const letter = this.#next();
        letters.push(...(CLASSES[letter] ?? [letter]));
        this.#at += 1;
        continue;
      }
      const from = this.#next();
      this.#at += 1;
      const isRange = this.#next() === '-' && !['', ']'].includes(this.#pattern[this.#at + 1] ?? '');
      if (isRange) this.#at += 1;
      letters.push(...lettersBetween(from, isRange ? this.#next() : from));
      if (isRange) this.#at += 1;
    }
    return this.#oneOf(isNegated ? PRINTABLE.filter((letter) => !letters.includes(letter)) : letters);
  }

  #repetitions(): number {
    let least = 1;
    let most = 1;
    const counts = /^\{(\d+)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#at));
    if (this.#take('*')) [least, most] = [0, MAX_MORE];
    else if (this.#take('+')) most = 1 + MAX_MORE;
    else if (this.#take('?')) least = 0;
    else if (counts !== null) {
      this.#at += counts[0].length;
      least = Number(counts[1]);
      most = counts[3] === '' ? (counts[2] === '' ? least : least + MAX_MORE) : Number(counts[3]);
    }
    this.#take('?'); // lazy or not, the same texts match
    return least + this.#random.int(Math.min(most - least, 64) + 1);
  }

  #oneOf(choices: readonly string[]): string {
    this.#isUnknown ||= choices.length === 0;
    return choices.length === 0 ? '' : (choices[this.#random.int(choices.length)] ?? '');
  }

  #next(): string {
    return this.#pattern[this.#at] ?? '';
  }

  #take(letter: string): boolean {
    if (this.#next() !== letter) return false;
    this.#at += 1;
    return true;
  }
}

function lettersBetween(from: string, to: string): string[] {
  const [low, high] = [from.charCodeAt(0), to.charCodeAt(0)];
  return Array.from({ length: Math.min(Math.max(high - low + 1, 0), 256) }, (_, index) =>
    String.fromCharCode(low + index),
  );
}
