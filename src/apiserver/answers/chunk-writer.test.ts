import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChunkWriter, varintLength } from './chunk-writer.ts';

describe('ChunkWriter', () => {
  test('keeps pieces of all sizes in order', () => {
    const sizes = fc.array(fc.oneof(fc.nat(50), fc.nat(20_000), fc.integer({ min: 60_000, max: 300_000 })), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const writer = new ChunkWriter();
        const expected: Buffer[] = [];
        for (const [index, length] of lengths.entries()) {
          const piece = Buffer.alloc(length, 97 + index);
          expected.push(piece);
          if (index % 3 === 0) writer.text(piece.toString());
          else writer.bytes(piece);
        }
        expect(Buffer.concat(writer.finish()).equals(Buffer.concat(expected))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test('splits a large body into chunks of the transport’s size', () => {
    const writer = new ChunkWriter();
    for (let index = 0; index < 5000; index++) writer.bytes(Buffer.alloc(1000));

    const sizes = writer.finish().map(({ length }) => length);

    expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024);
    expect(sizes.length).toBeLessThan(90);
  });

  test('does not copy large pieces', () => {
    const large = Buffer.alloc(1_000_000);
    const writer = new ChunkWriter();
    writer.text('{');
    writer.bytes(large);

    expect(writer.finish()[1]).toBe(large);
  });

  test('writes non-ASCII text as UTF-8', () => {
    const writer = new ChunkWriter();
    writer.text('ä€😀');

    expect(Buffer.concat(writer.finish()).toString()).toBe('ä€😀');
  });

  test('writes numbers as protobuf does', () => {
    const writer = new ChunkWriter();
    writer.varint(300);
    writer.varint(2 ** 31 + 1);

    expect(Buffer.concat(writer.finish()).toString('hex')).toBe('ac028180808008');
    expect([0, 127, 128, 2 ** 31].map(varintLength)).toEqual([1, 1, 2, 5]);
  });
});
