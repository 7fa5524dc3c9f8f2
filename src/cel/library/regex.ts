import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { CelError } from '../values/index.ts';

/**
 * A compiled regular expression with RE2's guarantees: time is linear in the input, times the size of the pattern. Where that
 * would be too much, each method answers with TOO_MUCH_WORK.
 */
export interface Pattern {
  test(input: string): boolean | CelError;
  /** The first match, empty when there is none. */
  find(input: string): string | CelError;
  /** All matches that do not overlap, or the first `limit`. */
  findAll(input: string, limit: number): string[] | CelError;
}

/**
 * Steps of the pattern times characters of the text that may be done one by one: some 60 ms at worst. Most patterns need less, since an
 * automaton with one step a character is made of them.
 */
const MAX_STEPS = 2_000_000;
/** The memory of that automaton; a pattern that needs more is matched step by step. */
const MAX_AUTOMATON_BYTES = 512 << 10;
/** Below this many steps it does not matter how the engine matches. */
const FEW_STEPS = 100_000;

export const TOO_MUCH_WORK = new CelError('the text is too long to be matched with the regular expression');

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly error: CelError };

/** Max cached patterns; patterns that are not literals are compiled at evaluation. */
const CACHE_SIZE = 256;
const cache = new Map<string, CompiledPattern>();

/** Compiles a pattern, or returns it from the cache. */
export function compilePattern(source: string): CompiledPattern {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const compiled = compile(source);
  if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value as string); // evicts the oldest
  cache.set(source, compiled);
  return compiled;
}

function compile(source: string): CompiledPattern {
  const library = loadRe2();
  try {
    const compiled = library.RE2JS.compile(source);
    return { ok: true, pattern: new Re2Pattern(compiled) };
  } catch (error) {
    return { ok: false, error: new CelError((error as Error).message) };
  }
}

let loaded: { readonly RE2JS: typeof RE2JS } | undefined;

/** Loads the engine with the first pattern; synchronously, since evaluation is synchronous. */
function loadRe2(): { readonly RE2JS: typeof RE2JS } {
  loaded ??= createRequire(import.meta.url)('re2js') as { readonly RE2JS: typeof RE2JS };
  return loaded;
}

class Re2Pattern implements Pattern {
  readonly #compiled: RE2JS;

  constructor(compiled: RE2JS) {
    this.#compiled = compiled;
  }

  test(input: string): boolean | CelError {
    const isShort = input.length * this.#compiled.programSize() <= FEW_STEPS;
    return isShort ? this.#compiled.test(input) : testLong(this.#compiled, input, { isQuick: this.#isQuick(input) });
  }

  /** Whether the text can be matched step by step. */
  #isQuick(input: string): boolean {
    return input.length * this.#compiled.programSize() <= MAX_STEPS;
  }

  find(input: string): string | CelError {
    if (!this.#isQuick(input)) return TOO_MUCH_WORK;
    const matcher = this.#compiled.matcher(input);
    return matcher.find() ? (matcher.group() ?? '') : '';
  }

  findAll(input: string, limit: number): string[] | CelError {
    if (!this.#isQuick(input)) return TOO_MUCH_WORK;
    const found: string[] = [];
    const matcher = this.#compiled.matcher(input);
    let lastEnd = -1;
    while ((limit < 0 || found.length < limit) && matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()];
      const isEmptyBehindMatch = start === end && start === lastEnd; // Go leaves these out
      if (!isEmptyBehindMatch) found.push(matcher.group() ?? '');
      lastEnd = end;
    }
    return found;
  }
}

/** What the engine's own type leaves open. */
interface State {
  readonly isMatch: boolean;
  /** The states that follow, by the class of the next character; null where one was not needed yet. */
  readonly next: readonly (State | null)[] | null;
}

interface Text {
  readonly charSequence: string;
  /** The character at a position: its code times 8, plus the number of its UTF-16 units. */
  step(position: number): number;
}

interface Automaton {
  readonly latin1Class: Int32Array;
  readonly numClasses: number;
  runeClass(rune: number): number;
  start(text: Text, position: number): State | null;
  /** The state that follows; null if there is no room for it. */
  step(state: State, characterClass: number, rune: number, anchor: number): State | null;
  clearCache(): void;
}

interface Engine {
  readonly prog: unknown;
  readonly dfa: Automaton & { readonly constructor: new (prog: unknown, maxMem: number) => Automaton };
  lazyDFA: { match(text: Text, position: number, anchor: number): boolean | null } | null;
  /** Matches some patterns without an automaton, but more slowly. */
  onepass: unknown;
}

const END_OF_TEXT = -1;

/**
 * Matches a long text with an automaton, one step a character: a few nanoseconds. Where that becomes too large, matches step
 * by step if the text is short enough, and gives up otherwise.
 */
function testLong(compiled: RE2JS, input: string, { isQuick }: { readonly isQuick: boolean }): boolean | CelError {
  const engine = compiled.re2Input as unknown as Engine;
  const automaton = automatonOf(engine);
  const { lazyDFA, onepass } = engine;
  engine.lazyDFA = {
    match(text, position, anchor) {
      const answer = walk(automaton, text, { position, anchor });
      if (answer !== null) return answer;
      automaton.clearCache();
      if (!isQuick) throw TOO_MUCH_WORK;
      return answer;
    },
  };
  engine.onepass = null;
  try {
    return compiled.test(input);
  } catch (error) {
    if (error !== TOO_MUCH_WORK) throw error;
    return TOO_MUCH_WORK;
  } finally {
    engine.lazyDFA = lazyDFA;
    engine.onepass = onepass;
  }
}

/** The automata for long texts. */
const automata = new WeakMap<Engine, Automaton>();

function automatonOf(engine: Engine): Automaton {
  const known = automata.get(engine);
  if (known !== undefined) return known;
  const automaton = new engine.dfa.constructor(engine.prog, MAX_AUTOMATON_BYTES);
  automata.set(engine, automaton);
  return automaton;
}

/** Whether a part of the text matches; null if the automaton became too large. */
function walk(
  automaton: Automaton,
  text: Text,
  { position, anchor }: { readonly position: number; readonly anchor: number },
): boolean | null {
  const { charSequence: characters } = text;
  const classes = automaton.latin1Class;
  let state = automaton.start(text, position);
  let at = position;
  while (state !== null && at < characters.length) {
    let rune = characters.charCodeAt(at);
    let width = 1;
    if (rune >= classes.length) {
      const step = text.step(at);
      rune = step >> 3;
      width = step & 7;
    }
    const characterClass: number = classes[rune] ?? automaton.runeClass(rune);
    state = state.next?.[characterClass] ?? automaton.step(state, characterClass, rune, anchor);
    if (state?.isMatch === true) return true;
    at += width;
  }
  if (state === null) return null;
  return automaton.step(state, automaton.numClasses, END_OF_TEXT, anchor)?.isMatch ?? null;
}
