import type { Entry } from '../store.ts';
import type { KeyNames } from './key-names.ts';
import type { KeyValue } from './messages/kv.ts';

/** Converts etcd's key and value to a store entry. */
export function toEntry(kv: KeyValue, names: KeyNames): Entry {
  return {
    key: names.fromEtcd(kv.key ?? ''),
    value: kv.value ?? new Uint8Array(),
    createRevision: kv.createRevision ?? 0,
    modRevision: kv.modRevision ?? 0,
  };
}
