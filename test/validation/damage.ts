import type { Field, Shape, Struct } from '../../src/api/index.ts';
import type { SeededRandom } from '../../src/base/index.ts';
import type { Edit, Members } from './edits.ts';
import { edited } from './edits.ts';
import { hostileKeys, hostileNumbers, hostileQuantities, hostileTexts, largeNumbers } from './hostile-values.ts';

/** A value somewhere in an object, with its type where the object's type says one. */
interface Spot {
  readonly path: Edit['path'];
  readonly value: unknown;
  readonly shape: Shape | undefined;
}

/** Which part of an object may be damaged. */
export type Part = 'all' | 'status';

/** Pods keep it only on the real server, because of a gate that requests for certificates need there. */
const GATED = 'podCertificate';
const NEVER_ADDED: ReadonlySet<string> = new Set(['kind', 'apiVersion', GATED]);

/** Damages objects at random; the same random numbers give the same edits. */
export class Damager {
  readonly #parts: ReadonlyMap<string, readonly unknown[]>;
  readonly #structs: ReadonlyMap<string, readonly unknown[]>;
  readonly #all: readonly unknown[];

  /** Values are grafted between `objects`. */
  constructor(objects: readonly { readonly object: Members; readonly type: Struct }[]) {
    const parts = new Map<string, unknown[]>();
    const structs = new Map<string, unknown[]>();
    this.#all = objects.flatMap(({ object, type }) => {
      const spots = spotsOf(object, type).filter(({ path }) => path.length > 1);
      for (const { path, value, shape } of spots) {
        const name = path.findLast((step) => typeof step === 'string');
        if (typeof name === 'string') push(parts, name, value);
        if (shape?.kind === 'struct') push(structs, shape.struct.name, value);
      }
      return spots.map(({ value }) => value);
    });
    this.#parts = parts;
    this.#structs = structs;
  }

  /** One, two or three changes of an object. */
  damage(
    object: Members,
    type: Struct,
    { random, part }: { readonly random: SeededRandom; readonly part: Part },
  ): Edit[] {
    const dice = random.float();
    const count = dice < 0.65 ? 1 : dice < 0.88 ? 2 : 3;
    const edits: Edit[] = [];
    for (let tries = 0; edits.length < count && tries < 50; tries += 1) {
      const now = edited(object, edits);
      const spots = spotsOf(now, type).filter(({ path }) => isDamaged(path, part, random));
      const spot = pick(random, spots);
      const edit = spot === undefined ? undefined : this.#change(spot, random);
      if (edit !== undefined && JSON.stringify(edited(now, [edit])) !== JSON.stringify(now)) edits.push(edit);
    }
    return edits;
  }

  #change(spot: Spot, random: SeededRandom): Edit | undefined {
    const { path, value, shape } = spot;
    const dice = random.float();
    if (dice < 0.13) return { path };
    if (dice < 0.15) return { path, value: null };
    if (dice < 0.18) return { path, value: pick(random, this.#all) };
    if (dice < 0.2) return { path, value: pick(random, ['text', 5, true, [], {}, 1.5, ['a'], { a: 'b' }]) };
    if (Array.isArray(value)) return this.#changeList(spot as Spot & { value: readonly unknown[] }, random);
    if (typeof value === 'object' && value !== null) {
      if (shape?.kind === 'map' || shape === undefined)
        return this.#changeMap(spot as Spot & { value: Members }, random);
      return this.#changeStruct(spot as Spot & { value: Members }, random);
    }
    const name = path.findLast((step) => typeof step === 'string');
    if (dice < 0.4 && typeof name === 'string') return { path, value: pick(random, this.#parts.get(name) ?? []) };
    if (typeof value === 'boolean') return { path, value: !value };
    return { path, value: scalar(value, shape, random) };
  }

  #changeList({ path, value, shape }: Spot & { readonly value: readonly unknown[] }, random: SeededRandom): Edit {
    const index = random.int(Math.max(1, value.length));
    const element = shape?.kind === 'list' ? shape.element : undefined;
    switch (random.int(8)) {
      case 0:
        return { path, value: [] };
      case 1:
      case 2:
        return { path, value: value.length === 0 ? [this.#made(element, random)] : [...value, value[index]] };
      case 3:
        return { path, value: value.toReversed() };
      case 4:
        return { path: [...path, index] };
      case 5:
      case 6:
        return { path, value: [...value, this.#made(element, random)] };
      default:
        return { path, value: [this.#made(element, random), ...value.slice(1)] };
    }
  }

  #changeMap({ path, value, shape }: Spot & { readonly value: Members }, random: SeededRandom): Edit {
    const keys = Object.keys(value);
    const key = pick(random, keys) ?? 'a';
    const inner = shape?.kind === 'map' ? shape.value : undefined;
    switch (random.int(5)) {
      case 0:
        return { path, value: {} };
      case 1:
        return { path: [...path, key] };
      case 2: {
        const { [key]: moved, ...others } = value;
        return { path, value: { ...others, [pick(random, hostileKeys) ?? '']: moved ?? this.#made(inner, random) } };
      }
      default:
        return { path: [...path, pick(random, hostileKeys) ?? ''], value: this.#made(inner, random) };
    }
  }

  #changeStruct({ path, value, shape }: Spot & { readonly value: Members }, random: SeededRandom): Edit | undefined {
    if (shape?.kind !== 'struct') return undefined;
    const { struct } = shape;
    const dice = random.float();
    if (dice < 0.1) return { path, value: {} };
    if (dice < 0.25) return { path, value: pick(random, this.#structs.get(struct.name) ?? []) };
    if (dice < 0.28) return { path: [...path, pick(random, ['unknown', 'spec', 'name']) ?? ''], value: 'x' };
    const absent = struct.fields.filter(({ name }) => value[name] === undefined && !NEVER_ADDED.has(name));
    const field: Field | undefined = pick(random, absent);
    return field === undefined ? undefined : { path: [...path, field.name], value: this.#made(field.shape, random) };
  }

  /** A value of a type. */
  #made(shape: Shape | undefined, random: SeededRandom): unknown {
    switch (shape?.kind) {
      case 'struct': {
        const known = this.#structs.get(shape.struct.name) ?? [];
        if (known.length > 0 && random.float() < 0.7) return pick(random, known);
        if (random.float() < 0.4) return {};
        const fields = shape.struct.fields.filter(({ name }) => name !== GATED);
        const field = pick(random, fields);
        return field === undefined ? {} : { [field.name]: shallow(field.shape, random) };
      }
      case 'list':
        return random.float() < 0.3 ? [] : [this.#made(shape.element, random)];
      case 'map':
        return random.float() < 0.3 ? {} : { [pick(random, hostileKeys) ?? '']: this.#made(shape.value, random) };
      case 'scalar':
        return scalar(undefined, shape, random);
      case undefined:
        return pick(random, this.#all);
    }
  }
}

function push(map: Map<string, unknown[]>, key: string, value: unknown): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** Metadata is the same for all kinds, and damaged less often. */
function isDamaged([first, second]: Edit['path'], part: Part, random: SeededRandom): boolean {
  switch (first) {
    case undefined:
      return part === 'all' && random.float() < 0.5;
    case 'kind':
    case 'apiVersion':
      return random.float() < 0.02;
    case 'metadata':
      return second !== 'resourceVersion' && random.float() < (part === 'status' ? 0.1 : 0.3);
    case 'status':
      return part === 'status';
    default:
      return part === 'all' || random.float() < 0.05;
  }
}

/** Every place of an object. */
export function spotsOf(object: Members, type: Struct): Spot[] {
  const spots: Spot[] = [];
  visit({ path: [], value: object, shape: { kind: 'struct', struct: type } }, spots);
  return spots;
}

function visit(spot: Spot, spots: Spot[]): void {
  spots.push(spot);
  const { path, value, shape } = spot;
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      visit({ path: [...path, index], value: item, shape: shape?.kind === 'list' ? shape.element : undefined }, spots);
    }
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    const below =
      shape?.kind === 'struct' ? shape.struct.field(name)?.shape : shape?.kind === 'map' ? shape.value : undefined;
    visit({ path: [...path, name], value: inner, shape: below }, spots);
  }
}

function shallow(shape: Shape, random: SeededRandom): unknown {
  if (shape.kind === 'scalar') return scalar(undefined, shape, random);
  return shape.kind === 'list' ? [] : {};
}

function scalar(value: unknown, shape: Shape | undefined, random: SeededRandom): unknown {
  if (shape?.kind !== 'scalar') return typeof value === 'number' ? pick(random, hostileNumbers) : text(value, random);
  const { scalar: name, constraints = {} } = shape;
  switch (name) {
    case 'bool':
      return random.float() < 0.5;
    case 'int32':
      return number(value, hostileNumbers, random);
    case 'int64':
    case 'double':
      return number(value, [...hostileNumbers, ...largeNumbers], random);
    case 'Quantity':
      return pick(random, hostileQuantities);
    case 'IntOrString':
      return random.float() < 0.5
        ? pick(random, hostileNumbers)
        : pick(random, ['50%', '0%', '101%', '-1%', 'http', '', 'a b', '10', 'x'.repeat(16)]);
    case 'Time':
    case 'MicroTime':
      return pick(random, [
        '2024-05-01T10:00:00Z',
        '2023-05-01T10:00:00.123456Z',
        '2024-05-01T10:00:00+02:00',
        null,
        '2031-01-01T00:00:00Z',
      ]);
    case 'bytes':
      return pick(random, ['', 'aGVsbG8=', 'e30=', 'eyJhdXRocyI6e319', 'bm90IGpzb24=']);
    case 'RawExtension':
    case 'JSON':
      return pick(random, [{}, { a: 1 }, [], 'text', 5, null]);
    default: {
      const choices = (constraints.values ?? constraints.enum ?? []) as readonly unknown[];
      if (choices.length > 0 && random.float() < 0.6) return pick(random, choices);
      return text(value, random);
    }
  }
}

function number(value: unknown, pool: readonly number[], random: SeededRandom): unknown {
  if (typeof value === 'number' && random.float() < 0.3) return value + (random.float() < 0.5 ? 1 : -1);
  return pick(random, pool);
}

function text(value: unknown, random: SeededRandom): unknown {
  const dice = random.float();
  if (typeof value !== 'string' || dice < 0.7) return pick(random, hostileTexts);
  if (dice < 0.76) return value.toUpperCase();
  if (dice < 0.82) return `${value}x`;
  if (dice < 0.86) return `${value}.`;
  if (dice < 0.9) return `-${value}`;
  if (dice < 0.94) return `${value}/${value}`;
  return value.slice(1);
}

function pick<T>(random: SeededRandom, choices: readonly T[]): T | undefined {
  return choices.length === 0 ? undefined : choices[random.int(choices.length)];
}
