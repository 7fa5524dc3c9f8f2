import { deepEqual } from '../../base/index.ts';
import { hasDefault, type Refuse, type Structural, valueRules } from './schema-words.ts';

export interface UnionPlace {
  readonly path: string;
  readonly word: 'anyOf' | 'oneOf';
  readonly refuse: Refuse;
}

/**
 * One schema for a value that matches one of several. A place in a definition has one type, so alternatives must agree on
 * it.
 *
 * Example: `{t: 'a', x} | {t: 'b', y}` is an object with t, x and y, where t is 'a' and x is present, or t is 'b' and y is.
 */
export function unionOf(all: readonly Structural[], place: UnionPlace): Structural {
  const choices = all.filter((choice) => choice.type !== 'null');
  const isNullable = choices.length < all.length || choices.some((choice) => choice.nullable === true);
  const united = unionOfTyped(choices, place);
  return isNullable ? nullable(united, place) : united;
}

/** The same schema, also accepting null. Servers never match null against an enumeration, whether it is listed or not. */
export function nullable(schema: Structural, { path, refuse }: Pick<UnionPlace, 'path' | 'refuse'>): Structural {
  if (schema.enum !== undefined)
    refuse({ path, problem: 'null fits no enumeration', instead: 'make it optional, or add a value that means none' });
  return { ...schema, nullable: true };
}

function unionOfTyped(choices: readonly Structural[], place: UnionPlace): Structural {
  const [first, ...rest] = choices;
  if (first === undefined) return refused(place, 'only null fits');
  if (rest.length === 0) return first;
  if (choices.every(({ enum: values }) => values !== undefined) && agree(choices.map(({ type }) => type)))
    return { ...first, enum: [...new Set(choices.flatMap((choice) => choice.enum ?? []))] };
  if (choices.every(isIntOrString)) return intOrString(choices);
  if (choices.every(({ type }) => type === 'object')) return unionOfObjects(choices, place);
  if (agree(choices.map(({ type }) => type)) && first.type !== undefined && first.type !== 'array')
    return { type: first.type, [place.word]: choices.map(valueRules) };
  const types = [...new Set(choices.map(({ type }) => type ?? 'anything'))];
  return refused(place, types.length > 1 ? `a value is ${types.join(' or ')}` : `${types[0]}s of several forms`);
}

function agree(values: readonly unknown[]): boolean {
  return values.every((value) => value === values[0]);
}

function isIntOrString(schema: Structural): boolean {
  return schema['x-kubernetes-int-or-string'] === true || schema.type === 'integer' || schema.type === 'string';
}

/** Bounds apply only to numbers and patterns only to strings, so both can be combined. */
function intOrString(choices: readonly Structural[]): Structural {
  const rules = choices.map(({ format: _, ...choice }) => valueRules(choice));
  return Object.assign({ 'x-kubernetes-int-or-string': true }, ...rules) as Structural;
}

function unionOfObjects(choices: readonly Structural[], place: UnionPlace): Structural {
  const properties: Record<string, Structural> = {};
  for (const choice of choices) {
    if (choice.additionalProperties !== undefined) return refused(place, 'an alternative is a map');
    if (hasDefault(choice))
      return refused(place, 'a default inside one alternative would be filled in for all of them');
    for (const [name, field] of Object.entries(choice.properties ?? {})) {
      const known = properties[name];
      const path = `${place.path}.${name}`;
      properties[name] = known === undefined ? field : sameField(known, field, { ...place, path });
    }
  }
  const keepsUnknown = choices.some((choice) => choice['x-kubernetes-preserve-unknown-fields'] === true);
  return {
    type: 'object',
    properties,
    ...(keepsUnknown ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    [place.word]: choices.map((choice) => choiceRules(choice, properties)),
  };
}

/** The rules of one alternative: its required fields, and how its fields are narrower than the combined ones. */
function choiceRules(choice: Structural, all: Readonly<Record<string, Structural>>): Structural {
  const { properties, ...rules } = valueRules(choice);
  const narrower = Object.entries(properties ?? {}).filter(
    ([name, field]) => !deepEqual(field, valueRules(all[name] ?? {})),
  );
  return narrower.length === 0 ? rules : { ...rules, properties: Object.fromEntries(narrower) };
}

/** A field of several alternatives: their common type; what only one of them requires is left to its alternative. */
function sameField(one: Structural, other: Structural, place: UnionPlace): Structural {
  if (deepEqual(one, other)) return one;
  if (one.enum !== undefined && other.enum !== undefined && one.type === other.type)
    return { ...one, enum: [...new Set([...one.enum, ...other.enum])] };
  const isScalar = !['object', 'array', undefined].includes(one.type);
  if (isScalar && one.type === other.type)
    return { type: one.type, ...(one.nullable || other.nullable ? { nullable: true } : {}) } as Structural;
  return refused(place, 'alternatives have different fields of this name');
}

function refused({ path, refuse }: UnionPlace, problem: string): Structural {
  refuse({
    path,
    problem: `${problem}, and a place of a definition has one type`,
    instead: 'use different fields, or accept anything and narrow it with a rule',
  });
  return { 'x-kubernetes-preserve-unknown-fields': true };
}
