import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameReader, type FrameSink } from './frame-reader.ts';
import { FLAG, FRAME } from './protocol.ts';
import { frame } from './testing/raw-client.ts';

/** The calls that a sink receives, with the pieces of data joined. */
function callsOf(chunks: readonly Buffer[]): string[] {
  const lines: string[] = [];
  let content: Buffer[] = [];
  const sink: FrameSink = {
    begin: ({ length, type, flags, stream }) => void lines.push(`begin ${type} ${flags} ${stream} ${length}`),
    payload: (head, bytes, start) =>
      void lines.push(head.type > FRAME.continuation ? 'skipped' : bytes.toString('hex', start, start + head.length)),
    data: (_head, piece) => void content.push(piece),
    dataEnds() {
      lines.push(`data ${Buffer.concat(content).toString('hex')}`);
      content = [];
    },
  };
  const reader = new FrameReader(sink, 20_000);
  for (const chunk of chunks) reader.push(chunk);
  return lines;
}

const payload = fc.uint8Array({ maxLength: 60 });
const anyFrame = fc.oneof(
  payload.map((bytes) => frame(FRAME.data, 1, bytes)),
  fc
    .tuple(payload, fc.nat({ max: 30 }))
    .map(([bytes, padding]) => frame(FRAME.data, 1, [padding, ...bytes, ...Buffer.alloc(padding)], FLAG.padded)),
  payload.map((bytes) => frame(FRAME.headers, 1, bytes, FLAG.endHeaders)),
  payload.map((bytes) => frame(0x77, 3, bytes)),
  fc.constant(frame(FRAME.ping, 0, Buffer.alloc(8, 7))),
  fc.constant(frame(FRAME.goaway, 0, Buffer.alloc(5_000, 8))),
);

test('the frames do not depend on how the bytes are split', () => {
  fc.assert(
    fc.property(
      fc.array(anyFrame, { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      (frames, cuts) => {
        const bytes = Buffer.concat(frames);
        const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((left, right) => left - right), bytes.length];
        const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        expect(callsOf(chunks)).toEqual(callsOf([bytes]));
      },
    ),
  );
});

test('frames that arrive byte by byte are the same', () => {
  const bytes = Buffer.concat([
    frame(FRAME.data, 1, [2, 9, 9, 0, 0], FLAG.padded),
    frame(FRAME.headers, 1, [1, 2, 3]),
    frame(FRAME.data, 1, []),
    frame(0x20, 0, [1]),
  ]);
  expect(callsOf([...bytes].map((byte) => Buffer.from([byte])))).toEqual(callsOf([bytes]));
  expect(callsOf([bytes])).toEqual([
    'begin 0 8 1 5',
    'data 0909',
    'begin 1 0 1 3',
    '010203',
    'begin 0 0 1 0',
    'data ',
    'begin 32 0 0 1',
    'skipped',
  ]);
});

test('a large frame takes memory only for the bytes that have arrived', () => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(20_000, 0, 3);
  head.writeUInt8(FRAME.headers, 3);
  head.writeUInt32BE(1, 5);
  expect(callsOf([head, Buffer.alloc(1)])).toEqual(['begin 1 0 1 20000']);
  head.writeUIntBE(20_001, 0, 3);
  expect(() => callsOf([head])).toThrow(/20001 bytes/);
});
