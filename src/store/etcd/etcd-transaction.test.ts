// The requests sent to etcd for a transaction, without a running etcd (issue 12, F).
import { expect, test } from 'vitest';
import { timesToLive, toCommitResult, toTxn } from './etcd-transaction.ts';
import { keyNames } from './key-names.ts';
import { COMPARE_MOD_REVISION, txnRequest } from './messages/kv.ts';

const names = keyNames('/other');
const value = Buffer.from('v');

test('every condition is sent, and its key is read when one fails', () => {
  const transaction = {
    conditions: [
      { key: '/registry/a', modRevision: 7 },
      { key: '/registry/b', modRevision: 0 },
      { key: '/registry/c', modRevision: 9 },
    ],
    operations: [
      { type: 'put', key: '/registry/a', value },
      { type: 'put', key: '/registry/t', value, ttlSeconds: 60 },
      { type: 'delete', key: '/registry/c' },
    ],
  } as const;
  expect(timesToLive(transaction)).toEqual(new Map([[60, 1]]));

  const request = toTxn(transaction, names, new Map([[60, 1234]]));

  expect(request).toEqual({
    compare: [
      { target: COMPARE_MOD_REVISION, key: '/other/a', modRevision: 7 },
      { target: COMPARE_MOD_REVISION, key: '/other/b', modRevision: 0 },
      { target: COMPARE_MOD_REVISION, key: '/other/c', modRevision: 9 },
    ],
    success: [
      { put: { key: '/other/a', value, lease: undefined } },
      { put: { key: '/other/t', value, lease: 1234 } },
      { deleteRange: { key: '/other/c' } },
    ],
    failure: [{ range: { key: '/other/a' } }, { range: { key: '/other/b' } }, { range: { key: '/other/c' } }],
  });
  const { compare = [] } = txnRequest.decode(txnRequest.encode(request));
  expect(compare.map(({ key, modRevision = 0 }) => [key, modRevision])).toEqual([
    ['/other/a', 7],
    ['/other/b', 0],
    ['/other/c', 9],
  ]);
});

test('an answer without `succeeded` is a refusal, with the entries of the conditions in order', () => {
  const kv = { key: '/other/c', value, createRevision: 3, modRevision: 8, version: 2 };
  const responses = [{ range: {} }, { range: { kvs: [kv] } }];

  const result = toCommitResult({ header: { revision: 12 }, responses }, names);

  expect(result).toMatchObject({
    ok: false,
    revision: 12,
    current: [undefined, { key: '/registry/c', modRevision: 8 }],
  });
  expect(toCommitResult({ header: { revision: 13 }, succeeded: true }, names)).toEqual({ ok: true, revision: 13 });
  const refusal = expect.objectContaining({ message: "The server's answer has no revision" });
  expect(() => toCommitResult({ succeeded: true }, names)).toThrow(refusal);
});
