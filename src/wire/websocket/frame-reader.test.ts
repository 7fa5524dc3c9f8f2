import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OPCODE } from './frame.ts';
import { type ClientWord, WebSocketInput } from './frame-reader.ts';

/** A frame as clients send them. */
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

function read(...chunks: readonly Uint8Array[]): ClientWord[] {
  const input = new WebSocketInput();
  return chunks.flatMap((chunk) => [...input.read(chunk)]);
}

test('pings are told with what they carry, and data is dropped', () => {
  const words = read(
    masked(OPCODE.text, Buffer.from('hello')),
    masked(OPCODE.ping, Buffer.from('hi')),
    masked(OPCODE.binary, Buffer.alloc(1000)),
    masked(OPCODE.ping, Buffer.alloc(0)),
  );
  expect(words).toEqual([
    { type: 'ping', payload: new Uint8Array(Buffer.from('hi')) },
    { type: 'ping', payload: new Uint8Array() },
  ]);
});

test('nothing after a close is read', () => {
  const close = masked(OPCODE.close, Buffer.from([3, 232]));
  expect(read(Buffer.concat([close, masked(OPCODE.ping, Buffer.alloc(0))]))).toEqual([{ type: 'close' }]);
});

test.each([
  ['not masked', Buffer.from([0x81, 2, 104, 105])],
  ['of an unknown kind', masked(3, Buffer.alloc(0))],
  ['a control frame in parts', masked(OPCODE.ping, Buffer.alloc(0), 0)],
  ['a long control frame', masked(OPCODE.ping, Buffer.alloc(126))],
  ['with bits that mean nothing', masked(OPCODE.text, Buffer.alloc(0), 0xc0)],
])('a frame that is %s is broken', (_, bytes) => {
  expect(read(bytes)).toEqual([{ type: 'broken' }]);
});

test('a frame that announces more than there is memory is dropped bit by bit', () => {
  const head = Buffer.from([0x82, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4]);
  expect(read(head, Buffer.alloc(100_000), masked(OPCODE.ping, Buffer.alloc(0)))).toEqual([]);
});

test('it is the same however the bytes are cut', () => {
  const bytes = Buffer.concat([
    masked(OPCODE.text, Buffer.alloc(300, 7)),
    masked(OPCODE.ping, Buffer.from('one')),
    masked(OPCODE.pong, Buffer.from('two')),
    masked(OPCODE.close, Buffer.alloc(0)),
  ]);
  const whole = read(bytes);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 8 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      expect(read(...at.slice(1).map((end, index) => bytes.subarray(at[index], end)))).toEqual(whole);
    }),
  );
});
