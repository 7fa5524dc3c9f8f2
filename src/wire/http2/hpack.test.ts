import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HpackDecoder } from './hpack-decoder.ts';
import { type AnswerHeaders, HpackEncoder } from './hpack-encoder.ts';
import { WriteBuffer } from './write-buffer.ts';

function decoded(decoder: HpackDecoder, block: Buffer): string[] {
  const fields: string[] = [];
  decoder.decode(block, { field: (name, value) => void fields.push(`${name}: ${value}`) });
  return fields;
}

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}

const FIRST = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'];
const SECOND = [...FIRST, 'cache-control: no-cache'];
const THIRD = [
  ':method: GET',
  ':scheme: https',
  ':path: /index.html',
  ':authority: www.example.com',
  'custom-key: custom-value',
];

describe('the examples of RFC 7541', () => {
  test.each<[string, readonly string[]]>([
    [
      'C.3, plain',
      [
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ],
    ],
    [
      'C.4, in Huffman’s code',
      [
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ],
    ],
  ])('%s', (_name, blocks) => {
    const decoder = new HpackDecoder();
    expect(blocks.map((block) => decoded(decoder, hex(block)))).toEqual([FIRST, SECOND, THIRD]);
  });

  test('C.2: single headers, indexed or not', () => {
    expect(
      decoded(new HpackDecoder(), hex('400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572')),
    ).toEqual(['custom-key: custom-header']);
    expect(decoded(new HpackDecoder(), hex('040c 2f73 616d 706c 652f 7061 7468'))).toEqual([':path: /sample/path']);
    expect(decoded(new HpackDecoder(), hex('1008 7061 7373 776f 7264 0673 6563 7265 74'))).toEqual([
      'password: secret',
    ]);
  });

  test('C.6: a table of 256 bytes that drops its oldest entries', () => {
    const decoder = new HpackDecoder();
    const blocks = [
      '3fe1 0148 8264 0258 85ae c377 1a4b 6196 d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff 6e91 9d29 ad17 1863 c78f 0b97 c8e9 ae82 ae43 d3',
      '4883 640e ffc1 c0bf',
      '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
    ].map((block) => decoded(decoder, hex(block)));
    expect(blocks[1]).toEqual([
      ':status: 307',
      'cache-control: private',
      'date: Mon, 21 Oct 2013 20:13:21 GMT',
      'location: https://www.example.com',
    ]);
    expect(blocks[2]).toEqual([
      ':status: 200',
      'cache-control: private',
      'date: Mon, 21 Oct 2013 20:13:22 GMT',
      'location: https://www.example.com',
      'content-encoding: gzip',
      'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
    ]);
  });
});

describe('a block that is broken', () => {
  test.each([
    ['Huffman’s code padded with zeros', '4081 1000'],
    ['Huffman’s code padded with a whole byte', '4082 1fff 00'],
    ['the end of a string within Huffman’s code', '4084 ffff fffc 00'],
    ['a size of the table behind a header', '82 20'],
    ['a header that ends too soon', '40'],
  ])('%s is refused', (_name, block) => {
    expect(() => decoded(new HpackDecoder(), hex(block))).toThrow(/Cannot unpack headers/);
  });

  test('random bytes are rejected or decoded, within the limits', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decoded(new HpackDecoder(), Buffer.from(bytes));
        } catch (error) {
          expect(error).toMatchObject({ name: 'ConnectionError' });
        }
      }),
      { numRuns: 500 },
    );
  });
});

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
const value = fc.oneof(fc.stringMatching(/^[ -~]{0,200}$/), fc.constantFrom('no-cache, private', 'application/json'));
const answer = fc.record({
  code: fc.constantFrom(200, 201, 404, 422, 500),
  headers: fc.dictionary(name, fc.oneof(value, fc.nat(), fc.array(value, { maxLength: 3 }))),
  tableBytes: fc.option(fc.constantFrom(0, 100, 500, 4096, 65_536), { freq: 5 }),
});

function expected(code: number, headers: AnswerHeaders): string[] {
  const fields = Object.keys(headers).flatMap((key) => [headers[key] ?? []].flat().map((one) => `${key}: ${one}`));
  return [`:status: ${code}`, ...fields];
}

test('encoded headers are decoded again, whatever sizes the table takes in between', () => {
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 20 }), (answers) => {
      const encoder = new HpackEncoder();
      const decoder = new HpackDecoder();
      const buffer = new WriteBuffer();
      for (const { code, headers, tableBytes } of answers) {
        if (tableBytes !== null) encoder.limitTable(tableBytes);
        buffer.begin(100);
        encoder.encode(code, headers, buffer);
        expect(decoded(decoder, buffer.take())).toEqual(expected(code, headers));
      }
    }),
  );
});

test('headers that responses have in common take a byte each, and individual values are not indexed', () => {
  const encoder = new HpackEncoder();
  const buffer = new WriteBuffer();
  const pack = (id: string): Buffer => {
    buffer.begin(100);
    encoder.encode(
      200,
      {
        'audit-id': id,
        'cache-control': 'no-cache, private',
        'content-type': 'application/json',
        'content-length': 12,
      },
      buffer,
    );
    return buffer.take();
  };
  pack('first');
  const second = pack('again');
  expect(second.length).toBe(1 + (2 + 'audit-id'.length + 1 + 'again'.length) + 1 + 1 + (2 + 1 + 2));
  expect(second.includes('no-cache')).toBe(false);
  expect(second[1]).toBe(0x10);
});
