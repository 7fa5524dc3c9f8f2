import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../built-in.ts';
import { canonicalize, DecodeError, encodeJson } from '../json/index.ts';
import { decodeProtobuf, openProtobufEnvelope } from './decode-protobuf.ts';
import { encodeProtobuf, encodeProtobufEnvelope, travelsInProtobuf, wrapProtobuf } from './encode-protobuf.ts';
import { ProtobufReader, ProtobufWriter } from '../../wire/protobuf/index.ts';

const types = builtInTypes();
const configMap = types.struct('io.k8s.api.core.v1.ConfigMap');
const pod = types.struct('io.k8s.api.core.v1.Pod');
const objectMeta = types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
const watchEvent = types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent');
const schema = types.struct('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('encodeProtobuf()', () => {
  test('writes zero values, but not absent pointers, and an unset time as an empty message', () => {
    const struct = types.struct('io.k8s.api.core.v1.NodeCondition');

    expect(hex(encodeProtobuf({}, struct))).toBe('0a00 1200 1a00 2200 2a00 3200'.replaceAll(' ', ''));
    expect(hex(encodeProtobuf({ replicas: 0 }, types.struct('io.k8s.api.autoscaling.v1.ScaleSpec')))).toBe('0800');
    expect(hex(encodeProtobuf({}, types.struct('io.k8s.api.core.v1.GRPCAction')))).toBe('0800');
  });

  test('puts fields that are flat in JSON into their embedded message', () => {
    const volume = types.struct('io.k8s.api.core.v1.Volume');
    const encoded = encodeProtobuf({ name: 'v', emptyDir: {} }, volume);

    expect(hex(encoded)).toBe(hex(bytes('0a0176 1204 1202 0a00')));
    expect(decodeProtobuf(encoded, volume)).toEqual({ name: 'v', emptyDir: {} });
  });

  test('writes maps by key, even if JavaScript orders them differently', () => {
    const encoded = encodeProtobuf(canonicalize({ data: { '9': 'b', '10': 'a' } }, configMap), configMap);

    expect(Buffer.from(encoded).toString('latin1').indexOf('10')).toBeLessThan(
      Buffer.from(encoded).toString('latin1').indexOf('9'),
    );
  });

  test('writes long strings and many of them', () => {
    const data = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`k${String(index).padStart(3, '0')}`, 'é'.repeat(index * 7)]),
    );
    const value = canonicalize({ data }, configMap);

    expect(decodeProtobuf(encodeProtobuf(value, configMap), configMap)).toEqual(value);
  });

  test('knows which types have a protobuf form', () => {
    expect(travelsInProtobuf(pod)).toBe(true);
    expect(travelsInProtobuf(types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.Table'))).toBe(false);
  });
});

describe('the envelope', () => {
  test('contains apiVersion and kind', () => {
    const value = canonicalize({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: 'b' } }, configMap);
    const body = encodeProtobufEnvelope(value, configMap);
    const { typeMeta, raw, contentEncoding, contentType } = openProtobufEnvelope(body);

    expect(Buffer.from(body).subarray(0, 4).toString('latin1')).toBe('k8s\0');
    expect({ typeMeta, contentEncoding, contentType }).toEqual({
      typeMeta: { apiVersion: 'v1', kind: 'ConfigMap' },
      contentEncoding: '',
      contentType: '',
    });
    expect(encodeJson(decodeProtobuf(raw, configMap, { typeMeta }))).toBe(encodeJson(value));
    expect(hex(wrapProtobuf(raw, typeMeta))).toBe(hex(body));
  });

  test("is reported missing in Kubernetes' words", () => {
    expect(() => openProtobufEnvelope(new Uint8Array())).toThrow('empty data');
    expect(() => openProtobufEnvelope(Buffer.from('k8s\0'))).toThrow('empty body');
    expect(() => openProtobufEnvelope(Buffer.from('{}'))).toThrow(
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    );
  });

  test('may be inside an object, which then keeps the bytes', () => {
    const inner = encodeProtobufEnvelope({ kind: 'ConfigMap', apiVersion: 'v1' }, configMap);
    const encoded = encodeProtobuf({ type: 'ADDED', object: inner }, watchEvent);

    expect(decodeProtobuf(encoded, watchEvent)).toEqual({ type: 'ADDED', object: Uint8Array.from(inner) });
  });
});

describe('decodeProtobuf()', () => {
  test('skips unknown fields of any wire type', () => {
    const unknown = '982f 01  992f 0102030405060708  9a2f 0261 62  9b2f 0801 9c2f  9d2f 01020304';

    expect(decodeProtobuf(bytes(`0a0161 ${unknown}`), objectMeta)).toEqual({ name: 'a' });
  });

  test('merges messages that are split into pieces', () => {
    expect(decodeProtobuf(bytes('0a03 0a0161 0a03 1a0162'), configMap)).toEqual({
      metadata: { name: 'a', namespace: 'b' },
    });
  });

  test('reads lists of numbers, packed or not', () => {
    const context = types.struct('io.k8s.api.core.v1.PodSecurityContext');

    expect(decodeProtobuf(bytes('2001 2002'), context)).toEqual({ supplementalGroups: [1, 2] });
    expect(decodeProtobuf(bytes('2203 01 ac02'), context)).toEqual({ supplementalGroups: [1, 300] });
  });

  test('fills in defaults', () => {
    expect(
      decodeProtobuf(
        encodeProtobuf({}, types.struct('io.k8s.api.apps.v1.DeploymentSpec')),
        types.struct('io.k8s.api.apps.v1.DeploymentSpec'),
        { defaults: true },
      ),
    ).toMatchObject({ replicas: 1 });
  });

  test.each([
    ['a string that ends too early', '0a05 61', 'unexpected EOF'],
    ['a length beyond everything', '0a ffffffff7f', 'unexpected EOF'],
    ['a negative length', '0a ffffffffffffffffff01', 'proto: negative length found during unmarshaling'],
    ['a number that does not end', '38 ffffffffffffffffffffff01', 'proto: integer overflow'],
    ['a tag that does not end', 'ff', 'unexpected EOF'],
    ['field number 0', '0200', 'proto: illegal tag 0 (wire type 2)'],
    ['another wire type', '0801', 'proto: wrong wireType = 0 for field Name'],
    ['a wire type that there is not', '9e2f', 'proto: illegal wireType 6'],
    ['the end of a group that never began', '0c', 'proto: wiretype end group for non-group'],
    ['a group that does not end', '9b2f 0801', 'unexpected EOF'],
    ['bytes that are no UTF-8', '0a02 c328', 'proto: string field contains invalid UTF-8'],
    ['a message that ends inside a field', '4203 08 ff', 'unexpected EOF'],
    ['a time beyond all times', '4208 08 ffffffffffff7f', 'proto: 562949953421311 seconds are beyond all times'],
  ])('refuses %s', (_what, text, message) => {
    expect(() => decodeProtobuf(bytes(text), objectMeta)).toThrow(new DecodeError('syntax', message));
  });

  test("refuses an invalid quantity in Kubernetes' words", () => {
    const resources = types.struct('io.k8s.api.core.v1.ResourceRequirements');

    expect(() => decodeProtobuf(bytes('0a08 0a0161 1203 0a0178'), resources)).toThrow(
      'quantities must match the regular expression',
    );
  });

  test('keeps a literal U+FFFD', () => {
    expect(decodeProtobuf(encodeProtobuf({ name: 'a\ufffd' }, objectMeta), objectMeta)).toEqual({ name: 'a\ufffd' });
  });

  test('refuses messages that are nested too deeply', () => {
    let nested = Buffer.alloc(0);
    for (let depth = 0; depth < 5000; depth++) {
      const writer = new ProtobufWriter();
      writer.bytes(28, nested); // not
      nested = Buffer.from(writer.finish());
    }

    expect(() => decodeProtobuf(nested, schema)).toThrow(new DecodeError('depth', 'exceeded max depth'));
  });

  test('survives any damage to a real message', () => {
    const original = encodeProtobuf(
      canonicalize(
        {
          metadata: {
            name: 'p',
            labels: { a: 'b' },
            creationTimestamp: '2026-01-02T03:04:05Z',
            managedFields: [{ fieldsV1: { a: {} } }],
          },
          spec: {
            containers: [{ name: 'c', resources: { limits: { cpu: '1' } }, livenessProbe: { httpGet: { port: 80 } } }],
          },
        },
        pod,
      ),
      pod,
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(original.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.nat(original.length),
        (changes, length) => {
          const damaged = Buffer.from(original).subarray(0, length);
          for (const [at, byte] of changes) if (at < damaged.length) damaged[at] = byte;
          try {
            decodeProtobuf(damaged, pod);
          } catch (error) {
            expect(error).toBeInstanceOf(DecodeError);
          }
        },
      ),
      { numRuns: 5000 },
    );
  });
});

describe('ProtobufWriter and ProtobufReader', () => {
  test('agree on 64-bit integers', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.maxSafeInteger(), fc.integer()),
        (value) => {
          const writer = new ProtobufWriter();
          writer.int64(1, value);
          const reader = new ProtobufReader(writer.finish());
          reader.tag();

          const read = reader.int64();
          expect(BigInt(read)).toBe(BigInt(value));
          expect(typeof read).toBe(
            BigInt(value) === BigInt(Number(value)) && Number.isSafeInteger(Number(value)) ? 'number' : 'bigint',
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('agree on strings, doubles and messages of every length', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 200 })),
        fc.double({ noNaN: true }),
        (texts, double) => {
          const writer = new ProtobufWriter(1);
          const open = writer.begin(5000);
          for (const text of texts) writer.string(1, text);
          writer.double(2, double);
          writer.end(open);
          const reader = new ProtobufReader(writer.finish());

          expect(reader.tag() >>> 3).toBe(5000);
          const end = reader.begin();
          for (const text of texts) {
            reader.tag();
            expect(reader.string()).toBe(text);
          }
          reader.tag();
          expect(reader.double()).toBe(double);
          expect(reader.hasMore(end)).toBe(false);
        },
      ),
    );
  });
});
