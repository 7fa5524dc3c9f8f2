import type { Field, Shape, Struct } from '../../src/api/index.ts';

/** An object in which one place holds a hostile value. */
export interface HostileObject {
  /** Such as `spec.containers[].name: long text`. */
  readonly name: string;
  /** Made when it is asked for: there are thousands. */
  readonly object: () => Readonly<Record<string, unknown>>;
}

type Members = Readonly<Record<string, unknown>>;

/** Wraps a value into the object around it. */
type Wrap = (value: unknown) => unknown;

const MAX_DEPTH = 14;

/**
 * An object for every field of a type, once for every type it has: long texts, many items, many keys, deep nesting, each
 * of about `bytes` bytes. Types that `known` holds have been dealt with already.
 */
export function* hostileObjects(type: Struct, bytes: number, known: Set<string>): Generator<HostileObject> {
  yield* inStruct(type, { path: '', wrap: (value) => value, depth: 0 }, { bytes, known });
}

interface Place {
  readonly path: string;
  readonly wrap: Wrap;
  readonly depth: number;
}

interface Options {
  readonly bytes: number;
  readonly known: Set<string>;
}

function* inStruct(type: Struct, place: Place, options: Options): Generator<HostileObject> {
  if (options.known.has(type.name) || place.depth > MAX_DEPTH) return;
  options.known.add(type.name);
  for (const field of type.fields) {
    const path = place.path === '' ? field.name : `${place.path}.${field.name}`;
    const wrap: Wrap = (value) => place.wrap({ ...minimal(type), [field.name]: value });
    yield* inShape(field.shape, { path, wrap, depth: place.depth + 1 }, options);
  }
}

function* inShape(shape: Shape, place: Place, options: Options): Generator<HostileObject> {
  for (const [what, value] of hostileValues(shape, options.bytes)) {
    yield { name: `${place.path}: ${what}`, object: () => place.wrap(value()) as Members };
  }
  const depth = place.depth + 1;
  if (shape.kind === 'struct') yield* inStruct(shape.struct, place, options);
  if (shape.kind === 'list') {
    const wrap: Wrap = (value) => place.wrap([value]);
    yield* inShape(shape.element, { path: `${place.path}[]`, wrap, depth }, options);
  }
  if (shape.kind === 'map') {
    const wrap: Wrap = (value) => place.wrap({ key: value });
    yield* inShape(shape.value, { path: `${place.path}{}`, wrap, depth }, options);
  }
}

function* hostileValues(shape: Shape, bytes: number): Generator<readonly [what: string, value: () => unknown]> {
  const nested = Math.min(900, Math.floor(bytes / 12));
  switch (shape.kind) {
    case 'scalar':
      yield ['long text', () => 'a'.repeat(bytes)];
      yield ['control characters', () => '\u0001'.repeat(bytes / 6)];
      yield ['dots', () => 'a.'.repeat(bytes / 2)];
      yield ['digits', () => '1'.repeat(bytes)];
      yield ['signs', () => '/-_=,:'.repeat(bytes / 6)];
      yield ['spaces', () => ' '.repeat(bytes)];
      yield ['closing brackets', () => `${'[('.repeat(bytes / 2)}x`];
      yield ['dollars', () => '$(A)'.repeat(bytes / 4)];
      if (shape.scalar.startsWith('JSON') || shape.scalar === 'RawExtension' || shape.scalar === 'FieldsV1') {
        yield ['nested', () => deep(nested)];
        yield ['many members', () => manyKeys(bytes / 12, {})];
      }
      return;
    case 'list':
      yield ['empty items', () => Array.from({ length: bytes / 3 }, () => empty(shape.element))];
      yield ['nulls', () => Array.from({ length: bytes / 5 }, () => null)];
      yield ['like items', () => itemsOf(shape.element, bytes, () => 0)];
      yield ['unlike items', () => itemsOf(shape.element, bytes, (index) => index)];
      return;
    case 'map':
      yield ['empty members', () => manyKeys(bytes / 16, empty(shape.value))];
      yield ['members', () => membersOf(shape.value, bytes, 'k')];
      yield ['bad names', () => membersOf(shape.value, bytes, '/')];
      yield ['a long name', () => ({ ['k/'.repeat(bytes / 2)]: sample(shape.value, 0) })];
      return;
    case 'struct':
      yield ['unknown members', () => manyKeys(bytes / 16, 1)];
      yield ['nested', () => deep(nested)];
  }
}

/** As many items as fit. */
function itemsOf(shape: Shape, bytes: number, number: (index: number) => number): unknown[] {
  const length = bytes / (JSON.stringify(sample(shape, 10_000)).length + 1);
  return Array.from({ length }, (_, index) => sample(shape, number(index)));
}

function membersOf(shape: Shape, bytes: number, prefix: string): Members {
  const value = sample(shape, 0);
  return manyKeys(bytes / (JSON.stringify(value).length + 10), value, prefix);
}

function deep(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

function manyKeys(count: number, value: unknown, prefix = 'k'): Members {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, value]));
}

function empty(shape: Shape): unknown {
  if (shape.kind === 'list') return [];
  if (shape.kind !== 'scalar') return {};
  return scalarSample(shape.scalar, undefined);
}

/** A value that might be right; the names in it differ by `index`. */
function sample(shape: Shape, index: number, depth = 0): unknown {
  switch (shape.kind) {
    case 'scalar':
      return scalarSample(shape.scalar, index);
    case 'list':
      return depth > 3 ? [] : [sample(shape.element, index, depth + 1)];
    case 'map':
      return { [`k${index}`]: sample(shape.value, index, depth + 1) };
    case 'struct':
      return depth > 3 ? {} : minimal(shape.struct, index, depth + 1);
  }
}

/** The fields that are asked for, and the first text. */
function minimal(type: Struct, index = 0, depth = 0): Members {
  const firstText = type.fields.find(
    ({ shape, name }) =>
      shape.kind === 'scalar' && shape.scalar === 'string' && name !== 'kind' && name !== 'apiVersion',
  );
  const isWanted = (field: Field): boolean => field.required || field === firstText;
  const wanted = type.kind === undefined ? type.fields.filter(isWanted) : [];
  return Object.fromEntries(wanted.map(({ name, shape }) => [name, sample(shape, index, depth + 1)]));
}

function scalarSample(scalar: string, index: number | undefined): unknown {
  switch (scalar) {
    case 'int32':
    case 'int64':
    case 'double':
      return index ?? 0;
    case 'bool':
      return false;
    case 'bytes':
      return '';
    case 'Time':
      return index === undefined ? null : '2026-01-02T03:04:05Z';
    case 'MicroTime':
      return index === undefined ? null : '2026-01-02T03:04:05.000000Z';
    case 'Quantity':
    case 'IntOrString':
      return String(index ?? 0);
    case 'Duration':
      return '1s';
    case 'string':
      return index === undefined ? '' : `a${index}`;
    default:
      return {};
  }
}
