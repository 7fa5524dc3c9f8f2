import { RecentForms, type RecentFormsOptions } from './recent-forms.ts';
import { LEAST_LARGE_BYTES, type StoredObject } from './stored-object.ts';

const MIB = 1024 * 1024;
/** Watches this far behind find the forms of past revisions ready made; those further behind have them made again. */
const PAST: RecentFormsOptions<StoredObject> = {
  maxCount: 256,
  maxBytes: 8 * MIB,
  forget: (stored, remade) => stored.forget(remade),
};
/** Large objects, and those that expire: there may be thousands of them. */
const MANY: RecentFormsOptions<StoredObject> = {
  maxCount: 256,
  maxBytes: 8 * MIB,
  forget: (stored, remade) => stored.forgetEncodings(remade),
};
/** As many as a client has in a few pages of a list, which it may ask for again. */
const READ: RecentFormsOptions<StoredObject> = {
  maxCount: 16_384,
  maxBytes: 16 * MIB,
  forget: (stored, remade) => stored.forgetEncodings(remade),
};
/** Those who watch, and the answer to the writer, need what was written soon or never. */
const WRITTEN = { maxCount: 512, maxBytes: 2 * MIB };

/** Decides how long what was made of the objects of one kind is kept. It is several times as large as their bytes. */
export class KeptForms {
  readonly #superseded = new RecentForms(PAST);
  readonly #many = new RecentForms(MANY);
  readonly #read = new RecentForms(READ);
  readonly #written = new RecentForms<StoredObject>({
    ...WRITTEN,
    forget: (stored) => stored.forgetEncodings(this.#read.add),
  });
  /** Objects of this kind expire. */
  isExpiring = false;

  /** The object is now stored in this state. */
  written(stored: StoredObject): void {
    (this.#isOneOfMany(stored) ? this.#many : this.#written).add(stored);
  }

  /** The object was found in the store, and nothing has been made of it yet. */
  found(stored: StoredObject): void {
    stored.forgetEncodings((this.#isOneOfMany(stored) ? this.#many : this.#read).add); // told when something is made of it
  }

  /** Past revisions stay in the store's history for minutes: their bytes do, and what was made of the newest of them. */
  superseded(stored: StoredObject): void {
    this.#superseded.add(stored);
  }

  #isOneOfMany({ bytes }: StoredObject): boolean {
    return this.isExpiring || bytes >= LEAST_LARGE_BYTES;
  }
}
