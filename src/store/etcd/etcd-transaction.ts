import type { CommitResult, Operation, Transaction } from '../store.ts';
import { missingFromAnswer } from './etcd-client.ts';
import { toEntry } from './etcd-entry.ts';
import type { KeyNames } from './key-names.ts';
import { COMPARE_MOD_REVISION, type RequestOp, type TxnRequest, type TxnResponse } from './messages/kv.ts';

/** Converts a transaction to etcd's request. When a condition fails, etcd reads the keys of all conditions instead. */
export function toTxn(transaction: Transaction, names: KeyNames, leases: ReadonlyMap<number, number>): TxnRequest {
  const { conditions, operations } = transaction;
  const keys = conditions.map(({ key }) => names.toEtcd(key));
  return {
    compare: conditions.map(({ modRevision }, index) => ({
      target: COMPARE_MOD_REVISION,
      key: keys[index],
      modRevision,
    })),
    success: operations.map((operation) => toRequestOp(operation, names.toEtcd(operation.key), leases)),
    failure: keys.map((key) => ({ range: { key } })),
  };
}

export function toCommitResult(response: TxnResponse, names: KeyNames): CommitResult {
  const revision = response.header?.revision;
  if (revision === undefined) throw missingFromAnswer('revision');
  if (response.succeeded === true) return { ok: true, revision };
  const current = (response.responses ?? []).map(({ range }) => {
    const kv = range?.kvs?.[0];
    return kv === undefined ? undefined : toEntry(kv, names);
  });
  return { ok: false, revision, current };
}

/** The times to live for which a transaction needs leases, each with its number of keys. */
export function timesToLive(transaction: Transaction): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const operation of transaction.operations) {
    if (operation.type !== 'put' || operation.ttlSeconds === undefined) continue;
    found.set(operation.ttlSeconds, (found.get(operation.ttlSeconds) ?? 0) + 1);
  }
  return found;
}

function toRequestOp(operation: Operation, key: string, leases: ReadonlyMap<number, number>): RequestOp {
  if (operation.type === 'delete') return { deleteRange: { key } };
  const lease = operation.ttlSeconds === undefined ? undefined : leases.get(operation.ttlSeconds);
  return { put: { key, value: operation.value, lease } };
}
