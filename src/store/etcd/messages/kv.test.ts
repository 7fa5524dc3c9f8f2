import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { COMPARE_MOD_REVISION, keyValue, rangeRequest, rangeResponse, txnRequest } from './kv.ts';
import { bool, bytes, int64, MessageTable, nested, repeated, text } from '../../../wire/protobuf/index.ts';

const hex = (data: Uint8Array): string => Buffer.from(data).toString('hex');

test('messages have the bytes that etcd expects', () => {
  // produced with etcd's own Go types
  expect(hex(rangeRequest.encode({ key: 'a', rangeEnd: 'b', limit: 300, revision: 5_000_000_000 }))).toBe(
    '0a016112016218ac022080e497d012',
  );
  const txn = txnRequest.encode({
    compare: [{ target: COMPARE_MOD_REVISION, key: 'k', modRevision: 0 }],
    success: [{ put: { key: 'k', value: Buffer.from('v'), lease: 7 } }, { deleteRange: { key: 'd' } }],
    failure: [{ range: { key: 'k' } }],
  });
  expect(hex(txn)).toBe('0a0710021a016b3000120a12080a016b120176180712051a030a01641a050a030a016b');
});

test('a field that is not in the table, or has another wire type, is skipped', () => {
  const wide = new MessageTable({ a: int64(1), b: text(2), c: bytes(3), d: bool(4), e: nested(5, keyValue) });
  const narrow = new MessageTable({ b: text(2), c: int64(3) });

  const read = narrow.decode(
    wide.encode({ a: 1, b: 'kept', c: Buffer.from('x'), d: true, e: { key: 'k', modRevision: 2 } }),
  );

  expect(read).toEqual({ b: 'kept' });
});

test('any message is read as it was written', () => {
  const table = new MessageTable({
    number: int64(1),
    flag: bool(2),
    data: bytes(3),
    name: text(4),
    list: repeated(int64(17)),
    inner: repeated(nested(200, keyValue)),
  });
  const value = fc.record(
    {
      number: fc.maxSafeInteger(),
      flag: fc.boolean(),
      data: fc.uint8Array({ maxLength: 300 }).map((data) => Buffer.from(data)),
      name: fc.string({ unit: 'grapheme' }),
      list: fc.array(fc.nat(), { minLength: 1 }),
      inner: fc.array(fc.record({ key: fc.string(), modRevision: fc.maxSafeNat() }, { requiredKeys: [] }), {
        minLength: 1,
      }),
    },
    { requiredKeys: [] },
  );

  fc.assert(
    fc.property(value, (message) => {
      expect(table.decode(table.encode(message))).toEqual(message);
    }),
  );
});

test('a truncated answer is refused', () => {
  const answer = rangeResponse.encode({ count: 1, kvs: [{ key: 'k', value: Buffer.from('value') }] });

  expect(() => rangeResponse.decode(answer.subarray(0, 8))).toThrow();
});
