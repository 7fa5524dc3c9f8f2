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
