import { RecentForms } from './recent-forms.ts';
import { LEAST_LARGE_BYTES, type StoredObject } from './stored-object.ts';

const MIB = 1024 * 1024;
/** Watches this far behind find the forms of past revisions ready made; those further behind have them made again. */
const PAST = { maxCount: 512, maxBytes: 8 * MIB };
/** Large objects, and those that expire: there may be thousands of them. */
const MANY = { maxCount: 512, maxBytes: 16 * MIB };
/** As many as clients have in some pages of lists, which they may ask for again. */
const READ = { maxCount: 8192, maxBytes: 8 * MIB };
/** Those who watch, and the answer to the writer, need what was written soon or never. */
const WRITTEN = { maxCount: 1024, maxBytes: 4 * MIB };

type Remade = (stored: StoredObject) => void;

/** Decides how long what was made of the objects of a server is kept. It is several times as large as their bytes. */
export class KeptForms implements Disposable {
  readonly #superseded = new RecentForms<StoredObject>({
    ...PAST,
    forget: (stored, remade) => stored.forget(remade),
  });
  readonly #many = new RecentForms<StoredObject>({ ...MANY, forget: forgetEncodings });
  readonly #read = new RecentForms<StoredObject>({ ...READ, forget: forgetEncodings });
  readonly #written = new RecentForms<StoredObject>({
    ...WRITTEN,
    forget: (stored) => stored.forgetEncodings(this.#read.add),
  });

  /** The object is now stored in this state. */
  written(stored: StoredObject, options: { readonly isExpiring: boolean }): void {
    (isOneOfMany(stored, options) ? this.#many : this.#written).add(stored);
  }

  /** The object was found in the store, and nothing has been made of it yet. */
  found(stored: StoredObject, options: { readonly isExpiring: boolean }): void {
    stored.forgetEncodings((isOneOfMany(stored, options) ? this.#many : this.#read).add); // told when something is made of it
  }

  /** Past revisions stay in the store's history for minutes: their bytes do, and what was made of the newest of them. */
  superseded(stored: StoredObject): void {
    this.#many.remove(stored);
    this.#read.remove(stored);
    this.#written.remove(stored);
    this.#superseded.add(stored);
  }

  [Symbol.dispose](): void {
    for (const all of [this.#superseded, this.#many, this.#read, this.#written]) all.clear();
  }
}

function forgetEncodings(stored: StoredObject, remade: Remade): void {
  stored.forgetEncodings(remade);
}

function isOneOfMany({ bytes }: StoredObject, { isExpiring }: { readonly isExpiring: boolean }): boolean {
  return isExpiring || bytes >= LEAST_LARGE_BYTES;
}
