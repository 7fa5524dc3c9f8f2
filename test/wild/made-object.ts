import * as fc from 'fast-check';
import type { Random } from '../../src/base/index.ts';
import type { Json, Schema } from './definition.ts';

/** How much of what is optional is filled in. */
export interface Filling {
  readonly random: Random;
  /** How likely a field that is not required is there, from 0 to 1. */
  readonly share: number;
}

interface Place extends Filling {
  readonly depth: number;
}

const MAX_DEPTH = 14;
const MAX_ITEMS = 3;
const TEXTS = [
  'a',
  'web',
  'example.com',
  '10s',
  '1h',
  '/path',
  'https://example.com',
  '100Mi',
  '10.0.0.0/8',
  'Abc',
  '1',
  '*',
];
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-02T03:04:05Z',
  date: '2026-01-02',
  duration: '1h30m',
  byte: 'aGVsbG8=',
  uri: 'https://example.com/a',
  uuid: '7a9f4f60-4a2c-4c7b-8b1c-0b1f5a4d9c11',
  ipv4: '10.1.2.3',
  ipv6: 'fd00::1',
  cidr: '10.0.0.0/8',
  hostname: 'example.com',
};

/** A value that a schema allows, as far as types, bounds, enums and patterns say; what rules say is left to chance. */
export function madeValue(schema: Schema, filling: Filling, depth = 0): unknown {
  const { random } = filling;
  if (schema.enum !== undefined && schema.enum.length > 0) return schema.enum[random.int(schema.enum.length)];
  if (schema['x-kubernetes-int-or-string'] === true) return random.int(2) === 0 ? random.int(100) : '50%';
  switch (schema.type) {
    case 'object':
      return madeObject(schema, { ...filling, depth });
    case 'array':
      return madeList(schema, { ...filling, depth });
    case 'string':
      return madeText(schema, random);
    case 'integer':
      return madeNumber(schema, random);
    case 'number':
      return madeNumber(schema, random) + (random.int(2) === 0 && schema.maximum === undefined ? 0.5 : 0);
    case 'boolean':
      return random.int(2) === 0;
    default:
      return random.int(2) === 0 ? { any: ['thing'] } : 'anything';
  }
}

function madeObject(schema: Schema, place: Place): Json {
  const { random, share, depth } = place;
  const made: Json = {};
  if (schema['x-kubernetes-embedded-resource'] === true)
    Object.assign(made, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'embedded' } });
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isWanted = schema.required?.includes(name) === true || (depth < MAX_DEPTH && random.float() < share);
    if (isWanted && made[name] === undefined) made[name] = madeValue(property, place, depth + 1);
  }
  if (typeof schema.additionalProperties === 'object') {
    const count = Math.max(schema.minProperties ?? 0, random.float() < share ? 1 + random.int(2) : 0);
    for (let index = 0; index < count; index += 1)
      made[`key${index}`] = madeValue(schema.additionalProperties, place, depth + 1);
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === true && random.int(2) === 0) made['anything'] = { goes: [1] };
  return made;
}

function madeList(schema: Schema, place: Place): unknown[] {
  const { random, depth } = place;
  const least = schema.minItems ?? 0;
  const most = Math.min(schema.maxItems ?? MAX_ITEMS, Math.max(least, MAX_ITEMS));
  const count = depth > MAX_DEPTH ? least : least + random.int(Math.max(1, most - least + 1));
  return Array.from({ length: count }, () => madeValue(schema.items ?? {}, place, depth + 1));
}

function madeText({ pattern, format, minLength = 0, maxLength = 1000 }: Schema, random: Random): string {
  const fits = (text: string): boolean => text.length >= minLength && text.length <= maxLength;
  if (format !== undefined && FORMATS[format] !== undefined) return FORMATS[format];
  const start = random.int(TEXTS.length);
  const candidates = [...TEXTS.slice(start), ...TEXTS.slice(0, start)].filter(fits);
  const expression = pattern === undefined ? undefined : toExpression(pattern);
  if (expression !== undefined) {
    const known = candidates.find((text) => expression.test(text));
    return known ?? drawnFrom(expression, random, fits) ?? 'a';
  }
  return candidates[0] ?? 'a'.repeat(minLength);
}

function toExpression(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined; // the syntax of another language
  }
}

function drawnFrom(expression: RegExp, random: Random, fits: (text: string) => boolean): string | undefined {
  try {
    const drawn = fc.sample(fc.stringMatching(expression), { seed: random.int(2 ** 31), numRuns: 10 });
    return drawn.find(fits) ?? drawn[0];
  } catch {
    return undefined; // a construct that cannot be drawn from
  }
}

function madeNumber({ minimum, maximum }: Schema, random: Random): number {
  const least = minimum ?? Math.min(0, maximum ?? 0);
  const most = Math.min(maximum ?? least + 100, least + 1000);
  return least + random.int(Math.max(1, Math.floor(most - least) + 1));
}
