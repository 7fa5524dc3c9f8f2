import { StoreError } from './errors.ts';
import type { Operation, Transaction } from './store.ts';

/** Limits of one transaction. */
export interface TransactionLimits {
  /** Max bytes of all keys and values; default 1.5 MiB, etcd's limit. */
  readonly maxTransactionBytes?: number;
  /** Max operations, and max conditions; default 128, etcd's limit. */
  readonly maxOperations?: number;
}

const DEFAULT_MAX_TRANSACTION_BYTES = 1.5 * 1024 * 1024;
const DEFAULT_MAX_OPERATIONS = 128;

/** Refuses what no backend accepts: throws `TooLarge` beyond the limits, a TypeError for a programming mistake. */
export function checkTransaction(transaction: Transaction, limits: TransactionLimits): void {
  const { conditions, operations } = transaction;
  const maxOperations = limits.maxOperations ?? DEFAULT_MAX_OPERATIONS;
  if (operations.length > maxOperations || conditions.length > maxOperations) {
    const count = Math.max(operations.length, conditions.length);
    throw new StoreError(
      'TooLarge',
      `Cannot commit ${count} operations: at most ${maxOperations} fit into one transaction`,
    );
  }
  if (operations.length > 1) refuseRepeatedKeys(operations);
  let bytes = 0;
  for (const operation of operations) bytes += sizeOf(operation);
  const maxBytes = limits.maxTransactionBytes ?? DEFAULT_MAX_TRANSACTION_BYTES;
  if (bytes > maxBytes) {
    throw new StoreError('TooLarge', `Cannot commit ${bytes} bytes: at most ${maxBytes} fit into one transaction`);
  }
}

function sizeOf(operation: Operation): number {
  const { key } = operation;
  if (key === '') throw new TypeError('Cannot write the empty key');
  if (!key.isWellFormed()) throw new TypeError(`Cannot write key ${JSON.stringify(key)}: it is not valid Unicode`);
  const keyBytes = Buffer.byteLength(key);
  if (operation.type === 'delete') return keyBytes;
  const { ttlSeconds } = operation;
  if (ttlSeconds !== undefined && !(ttlSeconds > 0 && ttlSeconds < Infinity)) {
    throw new TypeError(`Cannot write key ${JSON.stringify(key)}: a time to live of ${ttlSeconds} s is not above 0`);
  }
  return keyBytes + operation.value.byteLength;
}

function refuseRepeatedKeys(operations: readonly Operation[]): void {
  const seen = new Set<string>();
  for (const { key } of operations) {
    if (seen.has(key)) throw new TypeError(`Cannot write key ${JSON.stringify(key)} twice in one transaction`);
    seen.add(key);
  }
}
