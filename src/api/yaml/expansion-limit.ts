import type { DecodeError } from '../json/index.ts';
import { yamlError } from './go-yaml-error.ts';

/** How many characters aliases may add to a document: as many as the largest body has bytes. */
const MAX_ALIASED_CHARACTERS = 3 * 1024 * 1024;

/**
 * Limits how much aliases expand a document. The ratio is Go's: the larger a document gets, the less of it may come from
 * aliases. It counts nodes of any length, so the repeated text has a separate limit.
 */
export class ExpansionLimit {
  #all = 0;
  #aliased = 0;
  #aliasedCharacters = 0;

  count(characters: number, isAliased: boolean): void {
    this.#all += 1;
    if (isAliased) {
      this.#aliased += 1;
      this.#aliasedCharacters += characters;
    }
    if (this.#aliasedCharacters > MAX_ALIASED_CHARACTERS) throw excessiveAliasing();
    if (this.#aliased <= 100 || this.#all <= 1000) return;
    if (this.#aliased / this.#all > allowedRatio(this.#all)) throw excessiveAliasing();
  }
}

function excessiveAliasing(): DecodeError {
  return yamlError('document contains excessive aliasing');
}

const LOW = 400_000;
const HIGH = 4_000_000;

function allowedRatio(count: number): number {
  if (count <= LOW) return 0.99;
  return count >= HIGH ? 0.1 : 0.99 - (0.89 * (count - LOW)) / (HIGH - LOW);
}
