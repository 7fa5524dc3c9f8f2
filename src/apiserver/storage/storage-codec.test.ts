import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { type ApiObject, builtInTypes, type Struct, structuralKind, type StructuralSchema } from '../../api/index.ts';
import { jsonStorage } from './storage-codec.ts';

const pod = builtInTypes().struct('io.k8s.api.core.v1.Pod');

/** A kind with sorted members, as custom resources are encoded. */
const sorted: Struct = {
  ...pod,
  name: 'Any',
  fields: [],
  field: () => undefined,
  kind: undefined,
  preservesUnknown: true,
};

const UID = '0b1c8a6e-7d0e-4a52-9c5f-0d6a9f6d7e11';

function jsonAt(object: object, type: Struct): string {
  const codec = jsonStorage(type);
  return Buffer.from(codec.jsonAt?.(codec.encode(object as ApiObject), 7) ?? '').toString();
}

test('resourceVersion is inserted after the uid where members are in the order of declaration', () => {
  const metadata = { name: 'a', uid: UID, generation: 1, labels: { uid: 'x' } };
  expect(jsonAt({ kind: 'Pod', apiVersion: 'v1', metadata }, pod)).toBe(
    `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"${UID}","resourceVersion":"7","generation":1,"labels":{"uid":"x"}}}`,
  );
});

test('resourceVersion is never inserted into ownerReferences, which precede the uid where members are sorted', () => {
  const metadata = {
    annotations: { 'a"\\': ',"uid":"]}' },
    name: 'a',
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'b', uid: UID }],
    uid: UID,
  };
  const text = jsonAt({ apiVersion: 'x/v1', kind: 'Gadget', metadata, spec: {} }, sorted);
  expect(JSON.parse(text)).toEqual({
    apiVersion: 'x/v1',
    kind: 'Gadget',
    metadata: { ...metadata, resourceVersion: '7' },
    spec: {},
  });
  expect(Object.keys(JSON.parse(text).metadata)).toEqual([
    'annotations',
    'name',
    'ownerReferences',
    'resourceVersion',
    'uid',
  ]);
});

test('uids may have any length, and objects without a preceding member are parsed', () => {
  expect(jsonAt({ metadata: { name: 'a', uid: 'short' } }, pod)).toContain('"uid":"short","resourceVersion":"7"');
  expect(jsonAt({ metadata: {} }, pod)).toBe('');
  expect(jsonAt({ spec: { metadata: { uid: 'x' } } }, pod)).toBe('');
});

test('the version in which an object is stored is read from its first bytes', () => {
  const { encode, storedVersion } = jsonStorage(pod);
  const versionOf = (object: object): string | undefined => storedVersion?.(encode(object as ApiObject));
  expect(versionOf({ kind: 'Pod', apiVersion: 'v1', metadata: {} })).toBe('v1');
  expect(versionOf({ apiVersion: 'x.example.com/v1beta1', kind: 'Gadget', metadata: {} })).toBe(
    'x.example.com/v1beta1',
  );
  expect(versionOf({ metadata: { apiVersion: 'v1' } })).toBe(undefined);
});

test('a stored object of a custom kind gets the current defaults of its kind, and loses removed fields', () => {
  const typeOf = (properties: Record<string, StructuralSchema>): Struct =>
    structuralKind(
      { type: 'object', properties: { spec: { type: 'object', properties } } },
      { group: 'x.dev', version: 'v1', kind: 'Gadget' },
      { types: builtInTypes() },
    );
  const before = jsonStorage(typeOf({ a: { type: 'string' } }));
  const after = jsonStorage(typeOf({ b: { type: 'string', default: 'late' } }));
  const object = { apiVersion: 'x.dev/v1', kind: 'Gadget', metadata: { name: 'a' }, spec: { a: 'x' } };
  const stored = before.encode(object as ApiObject);
  expect(before.decode(stored)).toEqual(object);
  expect(after.decode(stored)).toEqual({ ...object, spec: { b: 'late' } });
  expect(after.jsonAt?.(stored, 7)).toBeUndefined(); // clients get other bytes than the stored ones
  const other = { ...object, apiVersion: 'x.dev/v2' };
  expect(after.decode(before.encode(other as ApiObject))).toEqual(other);
});

test('the pieces of a large object equal its whole encoding', () => {
  const codec = jsonStorage(pod);
  const large = { name: 'a', uid: UID, labels: { a: 'x'.repeat(40_000) } };
  const value = codec.encode({ kind: 'Pod', apiVersion: 'v1', metadata: large });
  const pieces = codec.jsonPiecesAt?.(value, 7) ?? [];

  expect(pieces).toHaveLength(2);
  expect(Buffer.concat(pieces).equals(codec.jsonAt?.(value, 7) ?? value)).toBe(true);
});

test('an object that is small, or whose metadata begins with long members, has no pieces', () => {
  const codec = jsonStorage(sorted);
  const metadataOf = (annotation: string): ApiObject['metadata'] => ({
    annotations: { a: annotation },
    name: 'a',
    uid: UID,
  });
  const piecesOf = (annotation: string): readonly Uint8Array[] | undefined =>
    codec.jsonPiecesAt?.(codec.encode({ kind: 'A', apiVersion: 'v1', metadata: metadataOf(annotation) }), 7);
  expect(piecesOf('x')).toBeUndefined();
  for (const length of [3_600, 3_800, 3_900, 4_000, 4_100, 40_000])
    expect(piecesOf('x'.repeat(length))).toBeUndefined();
});

test.each([3_000, 3_500, 3_700, 3_750, 3_800, 3_850, 3_900, 3_950, 4_000, 4_050, 4_100])(
  'metadata whose beginning takes %d bytes goes in pieces right or not at all',
  (length) => {
    const codec = jsonStorage(sorted);
    const metadata = { annotations: { a: 'x'.repeat(length) }, name: 'a', uid: UID };
    const value = codec.encode({ kind: 'A', apiVersion: 'v1', metadata, text: 'x'.repeat(40_000) });
    const whole = codec.jsonAt?.(value, 7) ?? value;
    expect(Buffer.concat(codec.jsonPiecesAt?.(value, 7) ?? [whole]).equals(whole)).toBe(true);
  },
);
