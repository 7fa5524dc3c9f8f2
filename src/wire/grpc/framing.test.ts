import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Deframer, frame } from './framing.ts';

test('messages are reassembled from pieces of any size', () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 10 });
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (sent, sizes) => {
      const stream = Buffer.concat(sent.map(frame));
      const deframer = new Deframer(40);
      const received: Uint8Array[] = [];
      for (let at = 0, turn = 0; at < stream.length; turn++) {
        const size = sizes[turn % sizes.length] as number;
        deframer.push(stream.subarray(at, at + size), (message) => received.push(message));
        at += size;
      }
      expect(received.map((message) => [...message])).toEqual(sent.map((message) => [...message]));
      expect(deframer.isInside).toBe(false);
    }),
  );
});

test('an incomplete message is detected, and one above the limit is rejected before it arrives', () => {
  const deframer = new Deframer(10);
  deframer.push(frame(new Uint8Array(5)).subarray(0, 3), () => undefined);
  expect(deframer.isInside).toBe(true);

  expect(() => new Deframer(10).push(frame(new Uint8Array(11)).subarray(0, 5), () => undefined)).toThrow(
    /larger than max/,
  );
});
