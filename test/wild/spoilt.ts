import type { Random } from '../../src/base/index.ts';
import type { Json, Schema } from './definition.ts';

/** An object with one place spoilt, and in which way. */
export interface Spoilt {
  readonly way: string;
  readonly object: Json;
}

/** Where a value is, with the schema of that place. */
interface Spot {
  readonly schema: Schema;
  readonly value: unknown;
  readonly path: readonly (string | number)[];
}

type Way = (spot: Spot, random: Random) => { readonly value: unknown } | undefined;

const MAX_SPOTS = 5000;
const MAX_LENGTH_TRIED = 5000;
const MAX_ITEMS_TRIED = 300;

/** What can be wrong with a value; undefined where this cannot be wrong here. */
const ways: Readonly<Record<string, Way>> = {
  'wrong type': ({ schema, value }, random) => {
    if (schema.type === undefined) return undefined;
    const others = [17, 'text', true, ['x'], { x: 1 }, 1.5].filter((other) => typeof other !== typeof value);
    return { value: others[random.int(others.length)] };
  },
  null: () => ({ value: null }),
  'below the minimum': ({ schema: { minimum } }) => (minimum === undefined ? undefined : { value: minimum - 1 }),
  'above the maximum': ({ schema: { maximum } }) => (maximum === undefined ? undefined : { value: maximum + 1 }),
  'out of the format': ({ schema: { format, type } }) =>
    format === undefined ? undefined : { value: type === 'string' ? 'not of it' : 2 ** 40 },
  'too short': ({ schema: { minLength, type } }) =>
    type === 'string' && (minLength ?? 0) > 0 ? { value: '' } : undefined,
  'too long': ({ schema: { maxLength } }) =>
    maxLength === undefined || maxLength > MAX_LENGTH_TRIED ? undefined : { value: 'é'.repeat(maxLength + 1) },
  'against the pattern': ({ schema: { pattern } }) => (pattern === undefined ? undefined : { value: '!? \n' }),
  'not in the enum': ({ schema }) => (schema.enum === undefined ? undefined : { value: 'nonesuch' }),
  'too few items': ({ schema: { minItems } }) => ((minItems ?? 0) > 0 ? { value: [] } : undefined),
  'too many items': ({ schema: { maxItems }, value }) => {
    if (!Array.isArray(value) || maxItems === undefined || maxItems > MAX_ITEMS_TRIED || value.length === 0)
      return undefined;
    return { value: Array.from({ length: maxItems + 1 }, () => value[0] as unknown) };
  },
  'a twin': ({ value }) => (Array.isArray(value) && value.length > 0 ? { value: [...value, value[0]] } : undefined),
  'an unknown field': ({ value }) => (isObject(value) ? { value: { ...value, nonesuch: { x: 1 } } } : undefined),
  'a missing field': ({ schema: { required = [] }, value }, random) => {
    if (!isObject(value) || required.length === 0) return undefined;
    const { [required[random.int(required.length)] ?? '']: _gone, ...rest } = value;
    return { value: rest };
  },
  empty: ({ value }) => (isObject(value) ? { value: {} } : undefined),
  'another value': ({ value }, random) =>
    typeof value === 'string'
      ? { value: `${value}${random.nameSuffix(3)}` }
      : typeof value === 'number'
        ? { value: -value }
        : undefined,
};

/** The object spoilt in every way that is possible, each time in one random place; `times` rounds of it. */
export function spoiltObjects(
  object: Json,
  schema: Schema,
  { random, times }: { random: Random; times: number },
): Spoilt[] {
  const spots: Spot[] = [];
  collect({ schema, value: object, path: [] }, spots);
  const found: Spoilt[] = [];
  for (let round = 0; round < times; round += 1) {
    for (const [way, spoil] of Object.entries(ways)) {
      const possible = spots.filter((spot) => spoil(spot, random) !== undefined);
      const spot = possible[random.int(Math.max(1, possible.length))];
      const spoilt = spot === undefined ? undefined : spoil(spot, random);
      if (spot === undefined || spoilt === undefined) continue;
      found.push({
        way: `${way} at ${spot.path.join('.')}`,
        object: replaced(object, spot.path, spoilt.value) as Json,
      });
    }
  }
  return found;
}

/** Every place below `spec`, `status` and other fields of the kind's own; kind, name and the object itself stay as they are. */
function collect(spot: Spot, spots: Spot[]): void {
  if (spots.length >= MAX_SPOTS) return;
  const { schema, value, path } = spot;
  if (path.length > 0) spots.push(spot);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      collect({ schema: schema.items ?? {}, value: item, path: [...path, index] }, spots);
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (path.length === 0 && ['apiVersion', 'kind', 'metadata'].includes(name)) continue;
      const own = schema.properties?.[name];
      const further = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
      collect({ schema: own ?? further, value: member, path: [...path, name] }, spots);
    }
  }
}

function replaced(target: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(target))
    return target.map((item, index) => (index === step ? replaced(item, rest, value) : (item as unknown)));
  const members = target as Json;
  return { ...members, [step]: replaced(members[step], rest, value) };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
