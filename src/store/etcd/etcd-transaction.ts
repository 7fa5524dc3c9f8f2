import type { CommitResult, Operation, Transaction } from '../store.ts';
import { missingInAnswer } from './etcd-client.ts';
import { toEntry } from './etcd-keys.ts';
import { COMPARE_MOD_REVISION, type RequestOp, type TxnRequest, type TxnResponse } from './messages/kv.ts';

/** The transaction in etcd's words. When a condition does not hold, etcd reads the keys of all of them instead. */
export function toTxn(transaction: Transaction, leases: ReadonlyMap<number, number>): TxnRequest {
  return {
    compare: transaction.conditions.map(({ key, modRevision }) => ({ target: COMPARE_MOD_REVISION, key, modRevision })),
    success: transaction.operations.map((operation) => toRequestOp(operation, leases)),
    failure: transaction.conditions.map(({ key }) => ({ range: { key } })),
  };
}

export function toCommitResult(response: TxnResponse): CommitResult {
  const revision = response.header?.revision;
  if (revision === undefined) throw missingInAnswer('revision');
  if (response.succeeded === true) return { ok: true, revision };
  const current = (response.responses ?? []).map(({ range }) => {
    const kv = range?.kvs?.[0];
    return kv === undefined ? undefined : toEntry(kv);
  });
  return { ok: false, revision, current };
}

/** The times to live that a transaction needs leases for, and for how many keys each. */
export function timesToLive(transaction: Transaction): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const operation of transaction.operations) {
    if (operation.type !== 'put' || operation.ttlSeconds === undefined) continue;
    found.set(operation.ttlSeconds, (found.get(operation.ttlSeconds) ?? 0) + 1);
  }
  return found;
}

function toRequestOp(operation: Operation, leases: ReadonlyMap<number, number>): RequestOp {
  const { key } = operation;
  if (operation.type === 'delete') return { deleteRange: { key } };
  const lease = operation.ttlSeconds === undefined ? undefined : leases.get(operation.ttlSeconds);
  return { put: { key, value: operation.value, lease } };
}
