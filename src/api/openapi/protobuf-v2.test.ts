import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Member } from './document.ts';
import { OpenApiV2 } from './openapi-v2.ts';
import { protobufV2 } from './protobuf-v2.ts';
import { everything } from './testing/documents.ts';

function testdata(name: string): Buffer {
  return readFileSync(new URL(`testdata/${name}`, import.meta.url));
}

test('protobufV2() writes the bytes that gnostic writes', () => {
  const expected = Buffer.from(testdata('document-v2.protobuf.base64').toString(), 'base64');
  const document = JSON.parse(testdata('document-v2.json').toString()) as Record<string, object>;
  const members = (name: string): Member[] =>
    Object.entries(document[name] ?? {}).map(([key, value]) => new Member(key, JSON.stringify(value)));
  const large = { paths: members('paths'), definitions: members('definitions'), parameters: members('parameters') };
  const bytes = Buffer.from(protobufV2({ ...document, ...large }));
  expect(bytes.toString('latin1')).toBe(expected.toString('latin1'));
});

test('protobufV2() writes the whole document of Kubernetes', async () => {
  const { sources, resources } = await everything();
  const bytes = Buffer.from(new OpenApiV2(sources).document(resources).protobuf());
  const topLevel = [...fields(bytes)].map(({ number, value }) => [number, value.length > 1000]);
  expect(topLevel).toEqual([
    [1, false], // swagger
    [2, false], // info
    [8, true], // paths
    [9, true], // definitions
    [10, true], // parameters
    [12, false], // security
    [13, false], // securityDefinitions
  ]);
});

/** The fields of a message in which all have a length. */
function* fields(message: Buffer): Generator<{ number: number; value: Buffer }> {
  let position = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[position++] ?? 0;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  while (position < message.length) {
    const tag = varint();
    expect(tag % 8).toBe(2);
    const length = varint();
    yield { number: Math.floor(tag / 8), value: message.subarray(position, position + length) };
    position += length;
  }
  expect(position).toBe(message.length);
}
