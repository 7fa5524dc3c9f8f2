import { compareUtf8 } from '../../base/index.ts';
import type { Entry, KeyRange } from '../store.ts';
import type { KeyValue } from './messages/kv.ts';

/** The smallest key there is: etcd refuses the empty one. As the end of a range it means "no end". */
export const FIRST_KEY = '\0';

/** A range of keys as etcd's requests name it. */
export interface EtcdRange {
  readonly key: string;
  readonly rangeEnd: string;
}

/** All keys. */
export const EVERYTHING: EtcdRange = { key: FIRST_KEY, rangeEnd: FIRST_KEY };

/** `undefined` when no key can be in the range, which etcd has no way to say. */
export function toEtcdRange(range: KeyRange): EtcdRange | undefined {
  const key = range.from === '' ? FIRST_KEY : range.from;
  return compareUtf8(key, range.to) < 0 ? { key, rangeEnd: range.to } : undefined;
}

const NOTHING = new Uint8Array();

export function toEntry(kv: KeyValue): Entry {
  return {
    key: kv.key ?? '',
    value: kv.value ?? NOTHING,
    createRevision: kv.createRevision ?? 0,
    modRevision: kv.modRevision ?? 0,
  };
}
