import { describe, expect, test } from 'vitest';
import type { ReadableFile } from './durable-files.ts';
import { HEADER_LENGTH } from './file-header.ts';
import { FRAME_HEAD, sealFrame } from './frame.ts';
import { scanSegment, type SegmentTail } from './segment-scan.ts';

const SALT = 7;
const WINDOW = 2 * 1024 * 1024;

function frame(length: number): Buffer {
  const bytes = Buffer.alloc(length, 'x');
  sealFrame(bytes, { recordCount: 1, firstRevision: 1, timeMs: 0 }, SALT);
  return bytes;
}

async function scan(content: Buffer): Promise<{ readonly lengths: number[]; readonly tail: SegmentTail }> {
  const file: ReadableFile = {
    size: content.length,
    read: async (position, length) => Buffer.from(content.subarray(position, position + length)),
    close: async () => undefined,
  };
  const lengths: number[] = [];
  const visit = ({ length }: { readonly length: number }): unknown => lengths.push(length);
  return { lengths, tail: await scanSegment(file, { salt: SALT, visit }) };
}

function segment(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.alloc(HEADER_LENGTH), ...parts]);
}

describe('a segment that is read in pieces', () => {
  test.each([0, 1, FRAME_HEAD - 1, FRAME_HEAD, FRAME_HEAD + 1, 99, 100, 101])(
    'has a frame of which %i bytes are in one piece and the others in the next',
    async (before) => {
      const content = segment(frame(WINDOW - before), frame(100), frame(50), Buffer.alloc(2000));
      const { lengths, tail } = await scan(content);

      expect(lengths).toEqual([WINDOW - before, 100, 50]);
      expect(tail).toEqual({ type: 'clean', end: HEADER_LENGTH + WINDOW - before + 150 });
    },
  );

  test('may have a frame that is longer than several pieces', async () => {
    const content = segment(frame(200), frame(3 * WINDOW), frame(WINDOW), frame(300));

    expect(await scan(content)).toEqual({
      lengths: [200, 3 * WINDOW, WINDOW, 300],
      tail: { type: 'clean', end: content.length },
    });
  });

  test('reports damage to a frame that spans two pieces, and a frame truncated there', async () => {
    const content = segment(frame(WINDOW - 60), frame(100), frame(WINDOW));
    const end = HEADER_LENGTH + WINDOW - 60;
    const damaged = Buffer.from(content);
    damaged[end + 80] = 0;

    expect((await scan(damaged)).tail).toEqual({ type: 'damaged', end, next: end + 100 });
    expect((await scan(content.subarray(0, end + 80))).tail).toEqual({ type: 'cut', end });
    expect((await scan(content.subarray(0, end + 10))).tail).toEqual({ type: 'cut', end });
  });
});
