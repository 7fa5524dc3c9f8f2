import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EventFraming, eventFraming, EventSplitter } from './event-splitter.ts';

function joined(framing: EventFraming, events: readonly string[]): Buffer {
  return Buffer.concat(
    events.map((event) => {
      const bytes = Buffer.from(event);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return framing === 'lines' ? bytes : Buffer.concat([length, bytes]);
    }),
  );
}

test.each([
  ['lines', ['{"a":1}\n', '{}\n', '{"b":"long"}\n']],
  ['lengths', ['first', '', 'third\n']],
] as const)('events in %s come out whole, however the stream is cut', (framing, events) => {
  const bytes = joined(framing, events);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 8 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const splitter = new EventSplitter(framing);
      const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      const out = chunks.flatMap((chunk) => [...splitter.split(chunk)].map((event) => Buffer.from(event).toString()));
      expect(out).toEqual(events);
    }),
  );
});

test('the content type determines the framing', () => {
  expect(eventFraming('application/json')).toBe('lines');
  expect(eventFraming('application/vnd.kubernetes.protobuf;stream=watch')).toBe('lengths');
  expect(eventFraming('text/plain')).toBeUndefined();
});
