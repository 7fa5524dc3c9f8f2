import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../src/api/built-in.ts';
import { canonicalize, decodeJson, encodeJson, JsonBody } from '../../src/api/json/index.ts';
import {
  decodeProtobuf,
  encodeProtobuf,
  encodeProtobufEnvelope,
  openProtobufEnvelope,
  wrapProtobuf,
} from '../../src/api/protobuf/index.ts';

/** Random objects of every kind as Kubernetes' own Go types print them; see main.go. */
interface Vector {
  readonly type: string;
  readonly text: string;
  readonly protobuf: Buffer;
}

const types = builtInTypes();
const file = process.env['KEELSON_VECTORS'] ?? new URL('vectors.jsonl.gz', import.meta.url);
const vectors = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n').map(readVector);

/** A line is `{"type":…,"json":…,"protobuf":…}`; the text of the object must not be parsed: numbers and order count. */
function readVector(line: string): Vector {
  const [, type = '', text = '', protobuf = ''] =
    /^\{"type":"([^"]*)","json":(.*),"protobuf":"([^"]*)"\}$/s.exec(line) ?? [];
  return { type, text, protobuf: Buffer.from(protobuf, 'base64') };
}

/** Each vector is a check; they are too many to be tests. The first differences are shown, with what is around them. */
function differences(check: (vector: Vector) => { readonly is: string; readonly should: string }): unknown[] {
  const found: unknown[] = [];
  for (const vector of vectors) {
    const { is, should } = check(vector);
    if (is === should || found.length === 5) continue;
    let at = 0;
    while (is[at] === should[at]) at += 1;
    const around = (text: string): string => text.slice(Math.max(0, at - 60), at + 60);
    found.push({ type: vector.type, is: around(is), should: around(should) });
  }
  return found;
}

describe('objects of every kind, made by Go', () => {
  test('are there, with 64-bit integers beyond 2^53 among them', () => {
    expect(new Set(vectors.map((vector) => vector.type)).size).toBeGreaterThan(150);
    expect(vectors.some((vector) => vector.text.includes(':9007199254740993'))).toBe(true);
  });

  test('decode from JSON to the same text', () => {
    expect(
      differences(({ type, text }) => ({
        is: encodeJson(decodeJson(text, types.struct(type), { fieldValidation: 'Strict' }).value),
        should: text,
      })),
    ).toEqual([]);
  });

  test('are canonical already', () => {
    expect(
      differences(({ type, text }) => {
        const { value } = decodeJson(new JsonBody(text), types.struct(type));
        return { is: encodeJson(canonicalize(value, types.struct(type))), should: text };
      }),
    ).toEqual([]);
  });

  test('encode to the same protobuf bytes, bare and in the envelope', () => {
    expect(
      differences(({ type, text, protobuf }) => {
        const struct = types.struct(type);
        const { value } = decodeJson(text, struct);
        const { raw, typeMeta } = openProtobufEnvelope(protobuf);
        expect(Buffer.from(encodeProtobuf(value, struct)).equals(raw)).toBe(true);
        expect(Buffer.from(wrapProtobuf(raw, typeMeta)).equals(protobuf)).toBe(true);
        return {
          is: Buffer.from(encodeProtobufEnvelope(value, struct)).toString('base64'),
          should: protobuf.toString('base64'),
        };
      }),
    ).toEqual([]);
  });

  test('decode from protobuf to the same JSON', () => {
    expect(
      differences(({ type, text, protobuf }) => {
        const { raw, typeMeta } = openProtobufEnvelope(protobuf);
        return { is: encodeJson(decodeProtobuf(raw, types.struct(type), { typeMeta })), should: text };
      }),
    ).toEqual([]);
  });
});
