import { randomFillSync } from 'node:crypto';
import { WordRandom } from './random.ts';

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
