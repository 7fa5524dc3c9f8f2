// Compares with another implementation: @bufbuild/protobuf reads what this one writes, and the other way round.
import {
  create,
  createFileRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bigint,
  bool,
  bytes,
  double,
  enumeration,
  fixed32,
  fixed64,
  float,
  int32,
  int64,
  mapOf,
  type MessageOf,
  MessageTable,
  nested,
  oneof,
  repeated,
  sint32,
  sint64,
  text,
  textMap,
  uint32,
} from './index.ts';

const inner = new MessageTable({ name: text(1), size: int64(2) });
const table = new MessageTable({
  i32: int32(1),
  u32: uint32(2),
  s32: sint32(3),
  i64: bigint(4),
  s64: sint64(5),
  f32: fixed32(6),
  f64: fixed64(7),
  real: double(8),
  small: float(9),
  flag: bool(10),
  data: bytes(11),
  label: text(12),
  state: enumeration(13),
  child: nested(14, inner),
  ...oneof('source', { path: text(15), blob: nested(16, inner) }),
  packed: repeated(int32(17)),
  flags: repeated(bool(18)),
  names: repeated(text(19)),
  children: repeated(nested(20, inner)),
  labels: textMap(21),
  byName: mapOf(22, nested(2, inner)),
  counts: mapOf(23, int32(2)),
  signed: repeated(sint64(24)),
  fixed: repeated(fixed32(25)),
});
type Sample = MessageOf<typeof table>;

/** The same message as a protobuf descriptor; types are numbers of `FieldDescriptorProto.Type`. */
const SCALARS = {
  f64: 6,
  real: 1,
  small: 2,
  i64: 3,
  i32: 5,
  f32: 7,
  flag: 8,
  label: 9,
  data: 12,
  u32: 13,
  s32: 17,
  s64: 18,
};
const NUMBERS = {
  i32: 1,
  u32: 2,
  s32: 3,
  i64: 4,
  s64: 5,
  f32: 6,
  f64: 7,
  real: 8,
  small: 9,
  flag: 10,
  data: 11,
  label: 12,
};

function descriptor(): DescMessage {
  const field = (name: string, number: number, type: number, more: object = {}): object => ({
    name,
    jsonName: name,
    number,
    type,
    label: 1,
    ...more,
  });
  const entry = (name: string, value: object): object => ({
    name,
    options: { mapEntry: true },
    field: [field('key', 1, 9), value],
  });
  const file = {
    name: 't.proto',
    package: 't',
    syntax: 'proto3',
    enumType: [{ name: 'State', value: [{ name: 'ZERO', number: 0 }] }],
    messageType: [
      { name: 'Inner', field: [field('name', 1, 9), field('size', 2, 3)] },
      {
        name: 'Sample',
        oneofDecl: [{ name: 'source' }],
        nestedType: [
          entry('LabelsEntry', field('value', 2, 9)),
          entry('ByNameEntry', field('value', 2, 11, { typeName: '.t.Inner' })),
          entry('CountsEntry', field('value', 2, 5)),
        ],
        field: [
          ...Object.entries(SCALARS).map(([name, type]) => field(name, NUMBERS[name as keyof typeof NUMBERS], type)),
          field('state', 13, 14, { typeName: '.t.State' }),
          field('child', 14, 11, { typeName: '.t.Inner' }),
          field('path', 15, 9, { oneofIndex: 0 }),
          field('blob', 16, 11, { typeName: '.t.Inner', oneofIndex: 0 }),
          field('packed', 17, 5, { label: 3 }),
          field('flags', 18, 8, { label: 3 }),
          field('names', 19, 9, { label: 3 }),
          field('children', 20, 11, { label: 3, typeName: '.t.Inner' }),
          field('labels', 21, 11, { label: 3, typeName: '.t.Sample.LabelsEntry' }),
          field('byName', 22, 11, { label: 3, typeName: '.t.Sample.ByNameEntry' }),
          field('counts', 23, 11, { label: 3, typeName: '.t.Sample.CountsEntry' }),
          field('signed', 24, 18, { label: 3 }),
          field('fixed', 25, 7, { label: 3 }),
        ],
      },
    ],
  };
  const proto = create(FileDescriptorProtoSchema, file as never);
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [proto] }));
  return registry.getMessage('t.Sample') as DescMessage;
}

const schema = descriptor();

const word = fc.string({ unit: 'grapheme', maxLength: 12 });
const i32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const i64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const innerMessage = fc.record({ name: word, size: fc.maxSafeInteger() }, { requiredKeys: [] });
const map = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<ReadonlyMap<string, T>> =>
  fc.array(fc.tuple(word, value), { minLength: 1, maxLength: 4 }).map((entries) => new Map(entries));
const list = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> => fc.array(value, { minLength: 1, maxLength: 5 });

const sample: fc.Arbitrary<Sample> = fc
  .record(
    {
      i32,
      u32,
      s32: i32,
      i64,
      s64: i64,
      f32: u32,
      f64: u64,
      real: fc.double({ noNaN: true }),
      small: fc.float({ noNaN: true }),
      flag: fc.boolean(),
      data: fc.uint8Array({ maxLength: 300 }),
      label: word,
      state: i32,
      child: innerMessage,
      packed: list(i32),
      flags: list(fc.boolean()),
      names: list(word),
      children: list(innerMessage),
      labels: map(word),
      byName: map(innerMessage),
      counts: map(i32),
      signed: list(i64),
      fixed: list(u32),
    },
    { requiredKeys: [] },
  )
  .chain((message) =>
    fc
      .oneof(fc.constant({}), fc.record({ path: word }), fc.record({ blob: innerMessage }))
      .map((source) => ({ ...message, ...source })),
  );

const json = (binary: Uint8Array): unknown => toJson(schema, fromBinary(schema, binary));

test('the other implementation reads and rewrites our bytes, and ours reads the same message', () => {
  fc.assert(
    fc.property(sample, (message) => {
      const written = table.encode(message);
      const again = toBinary(schema, fromBinary(schema, written));

      expect(json(table.encode(table.decode(again)))).toEqual(json(written));
      expect(toBinary(schema, fromJson(schema, json(written) as never))).toEqual(
        toBinary(schema, fromBinary(schema, written)),
      );
    }),
    { numRuns: 300 },
  );
});

test('our reader reads our writer’s bytes', () => {
  fc.assert(
    fc.property(sample, (message) => {
      expect(plain(table.decode(table.encode(message)))).toEqual(plain(message));
    }),
  );
});

/** Bytes as arrays, since the reader returns Buffers. */
function plain({ data, ...rest }: Sample): unknown {
  return { ...rest, ...(data === undefined ? {} : { data: [...data] }) };
}

test('of a oneof the last member in the bytes counts, and two cannot be written', () => {
  const both = Buffer.concat([table.encode({ path: 'a' }), table.encode({ blob: { name: 'b' } })]);

  expect(table.decode(both)).toEqual({ blob: { name: 'b' } });
  expect(() => table.encode({ path: 'a', blob: {} })).toThrow('another member of the oneof "source" is set');
});

test('entries of maps without a key or a value have the empty one', () => {
  const empty = Buffer.from('b20100ba0100', 'hex');

  expect(table.decode(empty)).toEqual({ byName: new Map([['', {}]]), counts: new Map([['', 0]]) });
});

test('fields that the table does not have are skipped', () => {
  const all = table.encode({ i32: 7, child: { name: 'a' }, f64: 5n, f32: 6, label: 'x' });

  expect(new MessageTable({ label: text(12) }).decode(all)).toEqual({ label: 'x' });
});

test('messages that are nested too deeply are rejected', () => {
  const chain: MessageTable<{ next: ReturnType<typeof nested> }> = new MessageTable({ next: nested(1, () => chain) });
  const level = new MessageTable({ next: bytes(1) });
  let message: Uint8Array = new Uint8Array();
  for (let depth = 0; depth < 1100; depth++) message = level.encode({ next: message });

  expect(() => chain.decode(message)).toThrow('exceeded max depth');
});
