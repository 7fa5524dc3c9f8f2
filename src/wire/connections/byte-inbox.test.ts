import { expect, test } from 'vitest';
import { ByteInbox } from './byte-inbox.ts';

async function piecesOf(inbox: ByteInbox): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of inbox) pieces.push(piece);
  return pieces;
}

test('small pieces that wait are joined, in order, and large ones are passed on as they are', async () => {
  const inbox = new ByteInbox();
  const large = Buffer.alloc(10_000, 'L');
  for (let index = 0; index < 30_000; index++) void inbox.offer(Buffer.of(index % 251));
  void inbox.offer(large);
  for (let index = 0; index < 100; index++) void inbox.offer(Buffer.of(index));
  inbox.finish();
  const pieces = await piecesOf(inbox);
  expect(pieces.length).toBeLessThan(10);
  expect(pieces).toContain(large);
  const expected = [
    ...Array.from({ length: 30_000 }, (_, index) => index % 251),
    ...large,
    ...Array.from({ length: 100 }, (_, index) => index),
  ];
  expect(Buffer.concat(pieces).equals(Buffer.from(expected))).toBe(true);
});

test('a piece that the reader has got does not change when more arrives', async () => {
  const inbox = new ByteInbox();
  const reader = inbox[Symbol.asyncIterator]();
  for (const text of ['a', 'b', 'c']) void inbox.offer(Buffer.from(text));
  const first = (await reader.next()).value as Uint8Array;
  for (const text of ['d', 'e']) void inbox.offer(Buffer.from(text));
  expect([first, (await reader.next()).value].map(String)).toEqual([
    Buffer.from('abc').join(','),
    Buffer.from('de').join(','),
  ]);
});

test('a dropped queue gives its reader nothing more, and its writers stop waiting', async () => {
  const inbox = new ByteInbox();
  void inbox.offer(Buffer.alloc(200 * 1024));
  const waiting = inbox.offer(Buffer.alloc(200 * 1024));
  expect(waiting).toBeInstanceOf(Promise);
  const reader = inbox[Symbol.asyncIterator]();
  await reader.next();
  inbox.drop();
  await waiting;
  expect(await reader.next()).toEqual({ done: true, value: undefined });
  expect(inbox.offer(Buffer.from('late'))).toBeUndefined();
});
