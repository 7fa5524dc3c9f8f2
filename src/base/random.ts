import { randomFillSync } from 'node:crypto';

/** Chance as everything in Keelson sees it. `CryptoRandom` runs a cluster, `SeededRandom` runs a test. */
export interface Random {
  /** At least 0 and below 1, with 53 random bits. */
  float(): number;
  /** A whole number from 0 up to but not including `bound`, each as likely as the others. */
  int(bound: number): number;
  bytes(count: number): Uint8Array;
  /** Letters and digits as Kubernetes appends to generated names: no vowels, and nothing that looks like another. */
  nameSuffix(length: number): string;
}

const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const WORDS = 2 ** 32;

/** Everything a `Random` does, from a source of 32-bit words. */
export abstract class WordRandom implements Random {
  /** The next 32 random bits as a number that is not negative. */
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

/** Unpredictable chance, good for names, uids, keys and tokens; the system is asked for 4 KiB at a time. */
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
    this.#batch[this.#used++] = 0; // what was handed out, perhaps as a key, is not kept
    return word;
  }
}

/** Where seeded chance stands. */
export type SeededState = readonly [number, number, number, number];

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

  /** Chance that goes on as this one does. */
  clone(): SeededRandom {
    return SeededRandom.resumed(this.state);
  }

  /** What follows from here on; for `resumed`. */
  get state(): SeededState {
    return [this.#a, this.#b, this.#c, this.#d];
  }

  /** Chance that goes on as the one whose state it was. */
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
