import { array, assert, integer, property, uint8Array } from 'fast-check';
import { expect, it } from 'vitest';
import { FrameReader, framed } from './tcp-frames.ts';

it('FrameReader.push() finds the same messages whatever pieces they arrive in', () => {
  const messages = array(uint8Array({ maxLength: 600 }), { maxLength: 5 });
  assert(
    property(messages, array(integer({ min: 1, max: 700 }), { minLength: 1 }), (sent, sizes) => {
      const stream = Buffer.concat(sent.map(framed));
      const reader = new FrameReader();
      const found: string[] = [];
      for (let at = 0, turn = 0; at < stream.length; turn++) {
        const size = sizes[turn % sizes.length] as number;
        for (const message of reader.push(stream.subarray(at, at + size))) found.push(message.toString('hex'));
        at += size;
      }
      expect(found).toEqual(sent.map((message) => Buffer.from(message).toString('hex')));
      expect(reader.isWithinMessage).toBe(false);
    }),
  );
});

it('FrameReader.push() keeps what is not whole yet', () => {
  const reader = new FrameReader();
  const frame = framed(Buffer.from('message'));

  expect([...reader.push(frame.subarray(0, 1))]).toEqual([]);
  expect(reader.isWithinMessage).toBe(true);
  expect([...reader.push(frame.subarray(1))].map(String)).toEqual(['message']);
});
