import { randomFillSync } from 'node:crypto';

/** The source of randomness for all of Keelson: `CryptoRandom` in a running cluster, `SeededRandom` in tests. */
export interface Random {
  /** At least 0 and below 1, with 53 random bits. */
  float(): number;
  /** A whole number from 0 up to but not including `bound`, uniformly distributed. */
  int(bound: number): number;
  bytes(count: number): Uint8Array;
  /** The letters and digits that Kubernetes appends to generated names: no vowels, and no look-alikes. */
  nameSuffix(length: number): string;
}

const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const WORDS = 2 ** 32;

/** Implements `Random` on top of 32-bit words. */
export abstract class WordRandom implements Random {
  /** The next 32 random bits as an unsigned number. */
  protected abstract nextWord(): number;

  float(): number {
    return ((this.nextWord() >>> 5) * 2 ** 26 + (this.nextWord() >>> 6)) / 2 ** 53;
  }

  int(bound: number): number {
    if (!Number.isSafeInteger(bound) || bound < 1)
      throw new RangeError(`Cannot draw a number below ${bound}: the bound must be an integer >= 1`);
    if (bound > WORDS) return Math.floor(this.float() * bound);
    const unbiasedBelow = WORDS - (WORDS % bound);
    for (;;) {
      const word = this.nextWord();
      if (word < unbiasedBelow) return word % bound;
    }
  }

  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    for (let offset = 0; offset < count; offset += 4) {
      const word = this.nextWord();
      bytes[offset] = word;
      bytes[offset + 1] = word >>> 8;
      bytes[offset + 2] = word >>> 16;
      bytes[offset + 3] = word >>> 24;
    }
    return bytes;
  }

  nameSuffix(length: number): string {
    let suffix = '';
    for (let index = 0; index < length; index++) suffix += NAME_ALPHABET[this.int(NAME_ALPHABET.length)];
    return suffix;
  }
}

const BATCH_WORDS = 1024;

/** Unpredictable random numbers, for names, uids, keys and tokens; reads 4 KiB from the system at a time. */
export class CryptoRandom extends WordRandom {
  readonly #batch = new Uint32Array(BATCH_WORDS);
  #used = BATCH_WORDS;

  override bytes(count: number): Uint8Array {
    return count > BATCH_WORDS ? randomFillSync(new Uint8Array(count)) : super.bytes(count);
  }

  protected override nextWord(): number {
    if (this.#used === BATCH_WORDS) {
      randomFillSync(this.#batch);
      this.#used = 0;
    }
    const word = this.#batch[this.#used] as number;
    this.#batch[this.#used++] = 0; // a returned word, perhaps part of a key, does not stay in memory
    return word;
  }
}

/** The state of a seeded generator. */
export type SeededState = readonly [number, number, number, number];

/**
 * Reproducible random numbers: the same seed yields the same sequence on every machine. Never for secrets.
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

  /** A generator that continues with the same sequence. */
  clone(): SeededRandom {
    return SeededRandom.resumed(this.state);
  }

  /** The current state, for `resumed`. */
  get state(): SeededState {
    return [this.#a, this.#b, this.#c, this.#d];
  }

  /** A generator that continues from a saved state. */
  static resumed([a, b, c, d]: SeededState): SeededRandom {
    const random = new SeededRandom(0);
    [random.#a, random.#b, random.#c, random.#d] = [a, b, c, d];
    return random;
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
