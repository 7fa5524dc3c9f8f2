import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OPCODE } from './frame.ts';
import { FrameReader, type FrameWord } from './frame-reader.ts';

/** A frame as clients send it. */
function masked(opcode: number, payload: Uint8Array, first = 0x80): Buffer {
  const mask = [1, 2, 3, 4];
  const size = Buffer.alloc(payload.length < 126 ? 1 : 3);
  if (payload.length < 126) size[0] = 0x80 | payload.length;
  else {
    size[0] = 0x80 | 126;
    size.writeUInt16BE(payload.length, 1);
  }
  const body = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Buffer.concat([Buffer.from([first | opcode]), size, Buffer.from(mask), body]);
}

function read(...chunks: readonly Uint8Array[]): FrameWord[] {
  const reader = new FrameReader('client');
  return chunks.flatMap((chunk) => [...reader.read(Buffer.from(chunk))]);
}

/** The frames with the parts of each message joined. */
function joined(words: readonly FrameWord[]): unknown[] {
  const all: unknown[] = [];
  let parts: Uint8Array[] = [];
  for (const word of words) {
    if (word.type !== 'data') all.push(word);
    else if (parts.push(word.payload) > 0 && word.isEnd) {
      all.push({ isText: word.isText, data: Buffer.concat(parts).toString() });
      parts = [];
    }
  }
  return all;
}

test('data, pings and pongs are reported with their payload', () => {
  const words = read(
    masked(OPCODE.text, Buffer.from('hello')),
    masked(OPCODE.ping, Buffer.from('hi')),
    masked(OPCODE.binary, Buffer.alloc(1000)),
    masked(OPCODE.ping, Buffer.alloc(0)),
  );
  expect(joined(words)).toEqual([
    { isText: true, data: 'hello' },
    { type: 'ping', payload: Buffer.from('hi') },
    { isText: false, data: '\0'.repeat(1000) },
    { type: 'ping', payload: Buffer.alloc(0) },
  ]);
});

test('nothing after a close is read', () => {
  const close = masked(OPCODE.close, Buffer.from([3, 232]));
  expect(read(Buffer.concat([close, masked(OPCODE.ping, Buffer.alloc(0))]))).toEqual([
    { type: 'close', code: 1000, reason: '' },
  ]);
});

test.each([
  ['not masked', Buffer.from([0x81, 2, 104, 105])],
  ['of an unknown kind', masked(3, Buffer.alloc(0))],
  ['a control frame in parts', masked(OPCODE.ping, Buffer.alloc(0), 0)],
  ['a long control frame', masked(OPCODE.ping, Buffer.alloc(126))],
  ['with bits that mean nothing', masked(OPCODE.text, Buffer.alloc(0), 0xc0)],
  ['a continuation of nothing', masked(OPCODE.continuation, Buffer.alloc(0))],
  ['a close with half a code', masked(OPCODE.close, Buffer.alloc(1))],
  ['a close with a code that is never sent', masked(OPCODE.close, Buffer.from([3, 237]))],
])('a frame that is %s is invalid', (_, bytes) => {
  expect(read(bytes)).toEqual([{ type: 'broken' }]);
});

test('a message may have several frames, with pings between them and none of another message', () => {
  const start = masked(OPCODE.text, Buffer.from('he'), 0);
  const end = masked(OPCODE.continuation, Buffer.from('llo'));
  expect(joined(read(start, masked(OPCODE.ping, Buffer.alloc(0)), end))).toEqual([
    { type: 'ping', payload: Buffer.alloc(0) },
    { isText: true, data: 'hello' },
  ]);
  expect(joined(read(start, masked(OPCODE.text, Buffer.alloc(0))))).toEqual([{ type: 'broken' }]);
});

test('a frame that announces more than the memory is passed on in pieces', () => {
  const head = Buffer.from([0x82, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4]);
  const words = read(head, Buffer.alloc(100_000), masked(OPCODE.ping, Buffer.alloc(0)));
  expect(words.map((word) => word.type === 'data' && word.payload.length)).toEqual([100_000, 6]);
});

test('the result does not depend on how the bytes are split', () => {
  const bytes = Buffer.concat([
    masked(OPCODE.text, Buffer.alloc(300, 7)),
    masked(OPCODE.ping, Buffer.from('one')),
    masked(OPCODE.pong, Buffer.from('two')),
    masked(OPCODE.close, Buffer.alloc(0)),
  ]);
  const whole = joined(read(bytes));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 8 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      expect(joined(read(...at.slice(1).map((end, index) => bytes.subarray(at[index], end))))).toEqual(whole);
    }),
  );
});
