import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { CelError } from '../values/index.ts';

/** A compiled regular expression with RE2's guarantees: linear time in the input. */
export interface Pattern {
  test(input: string): boolean;
  /** The first match, empty when there is none. */
  find(input: string): string;
  /** All matches that do not overlap, or the first `limit`. */
  findAll(input: string, limit: number): string[];
}

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

  test(input: string): boolean {
    return this.#compiled.matcher(input).find();
  }

  find(input: string): string {
    const matcher = this.#compiled.matcher(input);
    return matcher.find() ? (matcher.group() ?? '') : '';
  }

  findAll(input: string, limit: number): string[] {
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
