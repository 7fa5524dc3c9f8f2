import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameReader } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';

interface Message {
  readonly kind: number;
  readonly id: number;
  readonly name: string;
  readonly size: number;
}

const message = fc.record({
  kind: fc.integer({ min: 0, max: 255 }),
  id: fc.integer({ min: 0, max: 0xffff_ffff }),
  name: fc.string({ unit: 'binary' }),
  size: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 60_000, max: 200_000 })),
});

test('frames are read as they were written, however their bytes are split', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 20 }),
      fc.integer({ min: 1, max: 100_000 }),
      async (messages, cut) => {
        const bytes = Buffer.concat(await written(messages));
        const found: Message[] = [];
        const reader = new FrameReader((kind, id, body) => {
          const [revision, name, value] = [body.number(), body.text(), body.bytes()];
          expect([revision, value.every((byte) => byte === kind)]).toEqual([2 ** 53 - 1, true]);
          found.push({ kind, id, name, size: value.length });
        });
        for (let at = 0; at < bytes.length; at += cut) reader.read(bytes.subarray(at, at + cut));
        expect(found).toEqual(messages);
      },
    ),
    { numRuns: 50 },
  );
});

test('bytes that are not a frame are refused', () => {
  const reader = new FrameReader(() => undefined);
  expect(() => reader.read(Buffer.alloc(20, 0xff))).toThrow(/Cannot read a frame/);
  const short = new FrameReader((_kind, _id, body) => void body.text());
  const frame = Buffer.alloc(13);
  frame.writeUInt32LE(9, 0);
  frame.writeUInt32LE(1000, 9);
  expect(() => short.read(frame)).toThrow(/ends too early/);
});

async function written(messages: readonly Message[]): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  const writer = new FrameWriter((bytes) => void pieces.push(bytes));
  for (const { kind, id, name, size } of messages)
    writer
      .begin(kind, id)
      .number(2 ** 53 - 1)
      .text(name)
      .bytes(Buffer.alloc(size, kind))
      .end();
  await new Promise((resolve) => void setImmediate(resolve));
  return pieces;
}
