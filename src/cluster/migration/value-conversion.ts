import { isEncrypted, type ValueTransformer } from '../../apiserver/index.ts';
import { messageOf } from '../../base/index.ts';
import type { Encryption } from '../../encryption/index.ts';
import { keyNames, type Snapshot, type SnapshotEntry, StoreError, type StoredForm } from '../../store/index.ts';
import type { RecodedKind, StoredKinds } from './stored-kinds.ts';

/** The form of values in a store: their encoding, and the names of keys that encryption binds them to. */
export interface ValueForm {
  readonly form: StoredForm;
  /** What '/registry' is called in etcd. */
  readonly etcdPrefix?: string;
}

export interface ConversionParts {
  readonly kinds: StoredKinds;
  /** Decrypts and encrypts values. */
  readonly encryption?: Encryption;
}

/**
 * Turns values as they lie in one store into what they are in another.
 *
 * Encrypted values stay encrypted: they are copied as they are where neither their encoding nor the name of their key changes, else they
 * are decrypted and encrypted again, for which the keys are needed.
 */
export class ValueConversion {
  readonly #from: ValueForm;
  readonly #to: ValueForm;
  readonly #parts: ConversionParts;
  readonly #fromName: (key: string) => string;
  readonly #toName: (key: string) => string;

  constructor(from: ValueForm, to: ValueForm, parts: ConversionParts) {
    this.#from = from;
    this.#to = to;
    this.#parts = parts;
    this.#fromName = nameOf(from);
    this.#toName = nameOf(to);
  }

  /** The same snapshot with converted values. */
  convert(snapshot: Snapshot): Snapshot {
    const { form, etcdPrefix } = this.#to;
    const { etcdPrefix: _, ...head } = snapshot.head;
    return {
      ...snapshot,
      head: { ...head, form, ...(etcdPrefix === undefined ? {} : { etcdPrefix }) },
      batches: this.#batches(snapshot.batches),
      [Symbol.asyncDispose]: () => snapshot[Symbol.asyncDispose](),
    };
  }

  /** Whether two values in the new form say the same; encrypted ones never look the same. */
  async isSame(key: string, wanted: Uint8Array, found: Uint8Array): Promise<boolean> {
    if (Buffer.compare(wanted, found) === 0) return true;
    if (this.#parts.encryption === undefined || !isEncrypted(wanted) || !isEncrypted(found)) return false;
    const transformer = this.#transformer(key, this.#parts.kinds.of(key));
    const [left, right] = await Promise.all(
      [wanted, found].map(async (value) => (await transformer.fromStorage(value, this.#toName(key))).value),
    );
    return Buffer.compare(left as Uint8Array, right as Uint8Array) === 0;
  }

  async *#batches(
    batches: AsyncIterable<readonly SnapshotEntry[]>,
  ): AsyncGenerator<readonly SnapshotEntry[], void, undefined> {
    for await (const batch of batches) {
      const converted: SnapshotEntry[] = [];
      for (const { entry, deadlineMs } of batch)
        converted.push({ entry: { ...entry, value: await this.#value(entry.key, entry.value) }, deadlineMs });
      yield converted;
    }
  }

  async #value(key: string, value: Uint8Array): Promise<Uint8Array> {
    const kind = this.#parts.kinds.of(key);
    const recodes = kind !== undefined && this.#from.form !== this.#to.form;
    const isInCipher = isEncrypted(value);
    const isRenamed = isInCipher && this.#fromName(key) !== this.#toName(key);
    if (!recodes && !isRenamed) return value;
    try {
      const transformer = isInCipher ? this.#transformer(key, kind) : undefined;
      const plain =
        transformer === undefined ? value : (await transformer.fromStorage(value, this.#fromName(key))).value;
      const recoded = recodes ? kind.codecs[this.#to.form].encode(kind.codecs[this.#from.form].decode(plain)) : plain;
      return transformer === undefined ? recoded : transformer.toStorage(recoded, this.#toName(key));
    } catch (cause) {
      if (cause instanceof StoreError) throw cause;
      const problem = `the value of ${JSON.stringify(key)} cannot be read: ${messageOf(cause)}`;
      throw new StoreError('Damaged', `Cannot copy the store: ${problem}`, { cause });
    }
  }

  #transformer(key: string, kind: RecodedKind | undefined): ValueTransformer {
    const { encryption } = this.#parts;
    if (encryption !== undefined) return encryption.transformerFor(kind ?? customKindOf(key));
    const problem = `the value of ${JSON.stringify(key)} is encrypted, and has to be opened to be copied there; --encryption-provider-config names the keys`;
    throw new StoreError('Unavailable', `Cannot copy the store: ${problem}`);
  }
}

/** Objects of custom kinds are kept under `/registry/GROUP/PLURAL/`. */
function customKindOf(key: string): { readonly group: string; readonly plural: string } {
  const [, , group = '', plural = ''] = key.split('/');
  return { group, plural };
}

function nameOf({ form, etcdPrefix }: ValueForm): (key: string) => string {
  if (form === 'embedded') return (key) => key;
  const names = keyNames(etcdPrefix);
  return (key) => names.toEtcd(key);
}
