import { deepEqual } from '../../../base/index.ts';
import { isSchema, type Structural } from '../schema-words.ts';
import type { Change } from './change.ts';

/** How a new schema affects objects that are valid under the old one. */
export function* schemaChanges(old: Structural, next: Structural, path: string): Generator<Change> {
  const breaks = (message: string): Change => ({ path, effect: 'breaks', message });
  if (typeName(old) !== typeName(next)) {
    const isWider = old.type === 'integer' && ['number', 'integer or string'].includes(typeName(next));
    if (!isWider && typeName(next) !== 'anything') yield breaks(`was ${typeName(old)}, is ${typeName(next)}`);
    return;
  }
  if (old.nullable === true && next.nullable !== true) yield breaks('null is refused now');
  yield* boundChanges(old, next, path);
  for (const word of ['pattern', 'format', 'multipleOf', 'allOf', 'anyOf', 'oneOf', 'not'] as const) {
    if (next[word] !== undefined && !deepEqual(old[word], next[word]))
      yield breaks(`${word} ${old[word] === undefined ? 'is new' : 'is another'}: ${JSON.stringify(next[word])}`);
  }
  yield* valueChanges(old, next, path);
  yield* ruleChanges(old, next, path);
  yield* listChanges(old, next, path);
  yield* fieldChanges(old, next, path);
  yield* innerChanges(old, next, path);
}

function typeName(schema: Structural): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  return schema.type ?? 'anything';
}

const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;

function* boundChanges(old: Structural, next: Structural, path: string): Generator<Change> {
  const tightened = (word: string, from: unknown, to: unknown): Change => ({
    path,
    effect: 'breaks',
    message: from === undefined ? `${word} ${String(to)} is new` : `${word} was ${String(from)}, is ${String(to)}`,
  });
  for (const word of UPPER)
    if ((next[word] ?? Infinity) < (old[word] ?? Infinity)) yield tightened(word, old[word], next[word]);
  for (const word of LOWER)
    if ((next[word] ?? -Infinity) > (old[word] ?? -Infinity)) yield tightened(word, old[word], next[word]);
  if (next.exclusiveMaximum === true && old.exclusiveMaximum !== true && next.maximum === old.maximum)
    yield tightened('exclusiveMaximum', undefined, next.maximum);
  if (next.exclusiveMinimum === true && old.exclusiveMinimum !== true && next.minimum === old.minimum)
    yield tightened('exclusiveMinimum', undefined, next.minimum);
}

function* valueChanges(old: Structural, next: Structural, path: string): Generator<Change> {
  if (next.enum !== undefined) {
    const known = next.enum;
    const gone = old.enum?.filter((value) => !known.some((other) => deepEqual(value, other)));
    const message =
      gone === undefined
        ? `only ${textOf(known)} fit now`
        : `${textOf(gone)} no longer ${gone.length === 1 ? 'fits' : 'fit'}`;
    if (gone === undefined || gone.length > 0) yield { path, effect: 'breaks', message };
  }
  if (!deepEqual(old.default, next.default)) {
    const message = `default was ${JSON.stringify(old.default) ?? 'none'}, is ${JSON.stringify(next.default) ?? 'none'}; objects stored without the field read differently`;
    yield { path, effect: 'notice', message };
  }
}

function textOf(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}

/** A transition rule refuses no existing object; any other new rule may. */
function* ruleChanges(old: Structural, next: Structural, path: string): Generator<Change> {
  const known = new Set(old['x-kubernetes-validations']?.map(({ rule }) => rule));
  for (const { rule } of next['x-kubernetes-validations'] ?? []) {
    if (known.has(rule)) continue;
    const isTransition = /\boldSelf\b/.test(rule);
    yield { path, effect: isTransition ? 'notice' : 'breaks', message: `rule "${rule}" is new` };
  }
}

/** The defaults of a schema that does not say how lists and maps are merged. */
const MERGED = {
  'x-kubernetes-list-type': 'atomic',
  'x-kubernetes-map-type': 'granular',
  'x-kubernetes-list-map-keys': [],
} as const;

function* listChanges(old: Structural, next: Structural, path: string): Generator<Change> {
  for (const word of Object.keys(MERGED) as (keyof typeof MERGED)[]) {
    const [before, after] = [old[word] ?? MERGED[word], next[word] ?? MERGED[word]];
    if (deepEqual(before, after)) continue;
    const isUnique = after === 'set' || after === 'map' || Array.isArray(after);
    const message = `${word} was ${JSON.stringify(before)}, is ${JSON.stringify(after)}`;
    yield { path, effect: isUnique ? 'breaks' : 'notice', message };
  }
}

function* fieldChanges(old: Structural, next: Structural, path: string): Generator<Change> {
  const keeps = next['x-kubernetes-preserve-unknown-fields'] === true;
  if (old['x-kubernetes-preserve-unknown-fields'] === true && !keeps)
    yield { path, effect: 'breaks', message: 'unknown fields are dropped now' };
  for (const name of next.required ?? []) {
    if (old.required?.includes(name) === true || next.properties?.[name]?.default !== undefined) continue;
    yield { path: `${path}.${name}`, effect: 'breaks', message: 'is required now, and has no default' };
  }
  for (const [name, field] of Object.entries(old.properties ?? {})) {
    const other = next.properties?.[name];
    if (other !== undefined) yield* schemaChanges(field, other, `${path}.${name}`);
    else if (!keeps && !isSchema(next.additionalProperties))
      yield { path: `${path}.${name}`, effect: 'breaks', message: 'is gone: stored values are dropped' };
  }
  for (const name of Object.keys(next.properties ?? {}))
    if (old.properties?.[name] === undefined) yield { path: `${path}.${name}`, effect: 'notice', message: 'is new' };
}

function* innerChanges(old: Structural, next: Structural, path: string): Generator<Change> {
  for (const word of ['items', 'additionalProperties'] as const) {
    const [before, after] = [old[word], next[word]];
    if (isSchema(before) && isSchema(after))
      yield* schemaChanges(before as Structural, after as Structural, `${path}[*]`);
    else if (isSchema(after) && before === true) yield* schemaChanges({}, after as Structural, `${path}[*]`);
    else if (isSchema(before) && after === undefined && next['x-kubernetes-preserve-unknown-fields'] !== true)
      yield { path, effect: 'breaks', message: 'is no longer a map: its entries are dropped' };
  }
}
