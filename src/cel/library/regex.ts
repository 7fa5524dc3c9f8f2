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
const MAX_AUTOMATON_BYTES = 2 << 20;

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
    if (!this.#isQuick(input)) boundAutomaton(this.#compiled);
    try {
      return this.#compiled.test(input);
    } catch (error) {
      if (error === TOO_MUCH_WORK) return TOO_MUCH_WORK;
      throw error;
    }
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
interface Automaton {
  match(input: { endPos(): number }, position: number, anchor: number): boolean | null;
  clearCache(): void;
  /** Makes room for further states; null if there is none. */
  resetCache(current: unknown): unknown;
}

interface Engine {
  readonly prog: unknown;
  readonly dfa: Automaton & { readonly constructor: new (prog: unknown, maxMem: number) => Automaton };
  lazyDFA: Pick<Automaton, 'match'> | null;
}

/** The patterns whose automaton is bounded. */
const bounded = new WeakSet<RE2JS>();

/** Makes a pattern give up where its automaton becomes too large for a long text, instead of matching it step by step. */
function boundAutomaton(compiled: RE2JS): void {
  if (bounded.has(compiled)) return;
  bounded.add(compiled);
  const engine = compiled.re2Input as unknown as Engine;
  const size = compiled.programSize();
  const automaton = new engine.dfa.constructor(engine.prog, MAX_AUTOMATON_BYTES);
  automaton.resetCache = () => null; // making states again and again takes longer than it saves
  engine.lazyDFA = {
    match(input, position, anchor) {
      const answer = automaton.match(input, position, anchor);
      if (answer !== null) return answer;
      automaton.clearCache();
      if (input.endPos() * size > MAX_STEPS) throw TOO_MUCH_WORK;
      return answer;
    },
  };
}
