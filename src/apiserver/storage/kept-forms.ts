import { RecentForms } from './recent-forms.ts';
import { MIN_LARGE_BYTES, type StoredObject } from './stored-object.ts';

const MIB = 1024 * 1024;
/** Watches that lag at most this far find the forms of past revisions cached; for others they are made again. */
const PAST = { maxCount: 512, maxBytes: 8 * MIB };
/** For large objects, and those that expire: there may be thousands of them. */
const MANY = { maxCount: 512, maxBytes: 16 * MIB };
/** Enough for several pages of lists, which clients may request again. */
const READ = { maxCount: 8192, maxBytes: 8 * MIB };
/** Watches, and the answer to the writer, need the forms of a written object soon or never. */
const WRITTEN = { maxCount: 1024, maxBytes: 4 * MIB };

type Remade = (stored: StoredObject) => void;

/** Decides how long decoded and encoded forms of a server's objects are cached. They are several times as large as the stored bytes. */
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

  /** Called when the object has been stored in this state. */
  written(stored: StoredObject, options: { readonly isExpiring: boolean }): void {
    (isOneOfMany(stored, options) ? this.#many : this.#written).add(stored);
  }

  /** Called when the object was found in the store, before any form of it is made. */
  found(stored: StoredObject, options: { readonly isExpiring: boolean }): void {
    stored.forgetEncodings((isOneOfMany(stored, options) ? this.#many : this.#read).add); // called when a form is made
  }

  /** Past revisions stay in the store's history for minutes: their bytes do, and the forms of the newest of them. */
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
  return isExpiring || bytes >= MIN_LARGE_BYTES;
}
