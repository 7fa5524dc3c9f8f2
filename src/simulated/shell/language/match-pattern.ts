import { ShellFailure } from '../shell-failure.ts';

type Step = { readonly type: 'star' } | { readonly type: 'any' } | { readonly type: 'one'; readonly test: Test };
type Test = (character: string) => boolean;

/** Steps of one comparison; more than any script needs, and done in milliseconds. */
const MAX_COMPARISONS = 1_000_000;

/** A compiled pattern with `*`, `?` and `[…]`. A backslash takes the next character literally. */
export class ShellPattern {
  readonly #steps: readonly Step[];
  #budget = MAX_COMPARISONS;

  constructor(pattern: string) {
    this.#steps = stepsOf(pattern);
  }

  matches(text: string): boolean {
    const steps = this.#steps;
    let [at, step, star, retry] = [0, 0, -1, 0];
    while (at < text.length) {
      if (--this.#budget < 0) throw new ShellFailure('pattern is too complex');
      const current = steps[step];
      if (current?.type === 'star') {
        star = step++;
        retry = at;
      } else if (current !== undefined && (current.type === 'any' || current.test(text.charAt(at)))) {
        step++;
        at++;
      } else if (star === -1) {
        return false;
      } else {
        step = star + 1;
        at = ++retry;
      }
    }
    while (steps[step]?.type === 'star') step++;
    return step === steps.length;
  }

  /** The length of the shortest or longest prefix that matches; undefined when none does. */
  prefixOf(text: string, isLongest: boolean): number | undefined {
    return this.#startOf(text, this.#steps, isLongest);
  }

  /** The length of the shortest or longest suffix that matches; undefined when none does. */
  suffixOf(text: string, isLongest: boolean): number | undefined {
    return this.#startOf([...text].reverse().join(''), [...this.#steps].reverse(), isLongest);
  }

  /** Follows all ways to match at once, so that the text is read only once. */
  #startOf(text: string, steps: readonly Step[], isLongest: boolean): number | undefined {
    let found: number | undefined;
    let states = behindStars(new Set([0]), steps);
    for (let at = 0; ; at++) {
      if (states.has(steps.length)) found = at;
      if ((found !== undefined && !isLongest) || at >= text.length || states.size === 0) return found;
      const next = new Set<number>();
      for (const state of states) {
        if (--this.#budget < 0) throw new ShellFailure('pattern is too complex');
        const step = steps[state];
        if (step?.type === 'star') next.add(state);
        else if (step !== undefined && (step.type === 'any' || step.test(text.charAt(at)))) next.add(state + 1);
      }
      states = behindStars(next, steps);
    }
  }
}

/** Adds the states behind stars, which may stand for nothing. The set grows while it is iterated. */
function behindStars(states: Set<number>, steps: readonly Step[]): Set<number> {
  for (const state of states) if (steps[state]?.type === 'star') states.add(state + 1);
  return states;
}

export function isPattern(text: string): boolean {
  return /[*?[]/.test(text);
}

/** Makes all characters of a text stand for themselves. */
export function literalPattern(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}

function stepsOf(pattern: string): readonly Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '*') {
      if (steps.at(-1)?.type !== 'star') steps.push({ type: 'star' });
    } else if (character === '?') {
      steps.push({ type: 'any' });
    } else if (character === '\\' && at + 1 < pattern.length) {
      steps.push(exactly(pattern.charAt(++at)));
    } else {
      const close = character === '[' ? closingBracket(pattern, at) : -1;
      if (close === -1) {
        steps.push(exactly(character));
      } else {
        steps.push({ type: 'one', test: setOf(pattern.slice(at + 1, close)) });
        at = close;
      }
    }
  }
  return steps;
}

function exactly(wanted: string): Step {
  return { type: 'one', test: (character) => character === wanted };
}

function closingBracket(pattern: string, open: number): number {
  let at = open + 1;
  if (/[!^]/.test(pattern.charAt(at))) at++;
  if (pattern.charAt(at) === ']') at++;
  for (; at < pattern.length; at++) {
    if (pattern.startsWith('[:', at)) at = Math.max(at, pattern.indexOf(':]', at) + 1);
    else if (pattern.charAt(at) === '\\') at++;
    else if (pattern.charAt(at) === ']') return at;
  }
  return -1;
}

export const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  digit: /[0-9]/,
  lower: /[a-z]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

function setOf(inside: string): Test {
  const isNegated = /^[!^]/.test(inside);
  const tests: Test[] = [];
  for (let at = isNegated ? 1 : 0; at < inside.length; at++) {
    const named = /^\[:(\w+):\]/.exec(inside.slice(at, at + 16));
    if (named !== null) {
      const known = CLASSES[named[1] ?? ''];
      tests.push((character) => known?.test(character) === true);
      at += named[0].length - 1;
      continue;
    }
    if (inside.charAt(at) === '\\') at++;
    const from = inside.charAt(at);
    const isRange = inside.charAt(at + 1) === '-' && at + 2 < inside.length;
    const to = isRange ? inside.charAt(at + 2) : from;
    if (isRange) at += 2;
    tests.push((character) => character >= from && character <= to);
  }
  return (character) => tests.some((test) => test(character)) !== isNegated;
}
