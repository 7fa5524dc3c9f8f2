import { WordRandom } from './random.ts';

/**
 * Chance that repeats: the same seed gives the same draws, on every machine. Never for secrets.
 *
 * The generator is xoshiro128** by Blackman and Vigna (public domain), its state filled from the seed by splitmix32.
 */
export class SeededRandom extends WordRandom {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number | string) {
    super();
    const fill = splitmix(typeof seed === 'number' ? hash(String(seed)) : hash(seed));
    this.#a = fill();
    this.#b = fill();
    this.#c = fill();
    this.#d = fill() | 1; // an all-zero state would only ever yield zeros
  }

  protected override nextWord(): number {
    const word = Math.imul(rotate(Math.imul(this.#b, 5), 7), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = rotate(this.#d, 11);
    return word;
  }
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** FNV-1a over UTF-16 code units. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  return state;
}

function splitmix(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    const first = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    const second = Math.imul(first ^ (first >>> 15), 0x735a2d97);
    return second ^ (second >>> 15);
  };
}
