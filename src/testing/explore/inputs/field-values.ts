import { deepEqual, type Random } from '../../../base/index.ts';
import { generateSample, type Structural } from '../../../kit/index.ts';

export interface FieldValueOptions {
  /** What the field has; undefined where it is unset. */
  readonly current: unknown;
  /** Fields that are not required may also be removed, which is the value undefined. */
  readonly isRequired: boolean;
  readonly random: Random;
}

/** Values tried for one field. */
const MAX_VALUES = 4;
/** Texts that people write, of which the first is taken that the schema allows. */
const TEXTS = ['web', 'web-2', '1', '2Gi', '10m', 'v1', 'example.com', '192.0.2.7'];

/** Values that a schema allows for a field and that differ from the current one: common ones, and those at its edges. */
export function valuesOf(schema: Structural, options: FieldValueOptions): readonly unknown[] {
  const { current, isRequired } = options;
  const made = candidates(schema, options);
  const all = isRequired ? made : [...made.slice(0, MAX_VALUES - 1), undefined];
  const different = all.filter(
    (value, index) => !deepEqual(value, current) && all.findIndex((each) => deepEqual(each, value)) === index,
  );
  return different.slice(0, MAX_VALUES);
}

function candidates(schema: Structural, options: FieldValueOptions): readonly unknown[] {
  const { current, random } = options;
  if (schema.enum !== undefined) return schema.enum;
  if (schema['x-kubernetes-int-or-string'] === true) return [...texts(schema, random), ...numbers(schema, current)];
  switch (schema.type) {
    case 'boolean':
      return [current !== true, current === true];
    case 'integer':
    case 'number':
      return numbers(schema, current);
    case 'string':
      return texts(schema, random);
    case 'array':
      return lists(schema, options);
    case 'object':
      return objects(schema, options);
    default:
      return []; // anything is allowed, and nothing is known of what is meant
  }
}

function numbers(schema: Structural, current: unknown): readonly number[] {
  const step = schema.multipleOf ?? 1;
  const { minimum, maximum } = schema;
  const least = minimum === undefined ? undefined : minimum + (schema.exclusiveMinimum === true ? step : 0);
  const most = maximum === undefined ? undefined : maximum - (schema.exclusiveMaximum === true ? step : 0);
  const next = (typeof current === 'number' ? current : (least ?? 0)) + step;
  const fits = (value: number): boolean => (least ?? -Infinity) <= value && value <= (most ?? Infinity);
  return [next, least ?? 0, ...(least === undefined ? [-step] : []), ...(most === undefined ? [] : [most])].filter(
    fits,
  );
}

function texts(schema: Structural, random: Random): readonly string[] {
  const made = [...(schema.format === undefined ? TEXTS.filter((text) => fits(text, schema)).slice(0, 2) : [])];
  const sample = generateSample(
    { ...schema, type: 'string', 'x-kubernetes-int-or-string': false, nullable: false },
    random,
  );
  if (typeof sample === 'string' && fits(sample, schema)) made.push(sample);
  return schema.format === undefined && fits('', schema) ? [...made.slice(0, 1), '', ...made.slice(1)] : made;
}

function fits(text: string, { pattern, minLength = 0, maxLength = Infinity }: Structural): boolean {
  if (text.length < minLength || text.length > maxLength) return false;
  try {
    return pattern === undefined || new RegExp(pattern).test(text);
  } catch {
    return false; // an expression of Go that JavaScript does not read
  }
}

function lists(schema: Structural, { current, random }: FieldValueOptions): readonly unknown[] {
  const { minItems = 0, maxItems = Infinity } = schema;
  const item = (): unknown => itemOf(schema, random);
  const now: readonly unknown[] = Array.isArray(current) ? current : [];
  const made = [[...now, item()], [item()], now.slice(0, -1), []];
  return made.filter(({ length }) => length >= minItems && length <= maxItems);
}

function itemOf({ items }: Structural, random: Random): unknown {
  const schema = (typeof items === 'object' && !Array.isArray(items) ? items : {}) as Structural;
  const [first] = candidates(schema, { current: undefined, isRequired: true, random });
  return first ?? generateSample(schema, random);
}

function objects(schema: Structural, { current, random }: FieldValueOptions): readonly unknown[] {
  const { properties, additionalProperties } = schema;
  if (typeof additionalProperties === 'object') {
    const [value] = candidates(additionalProperties as Structural, { current: undefined, isRequired: true, random });
    return value === undefined ? [] : [{ ...(current as object | undefined), extra: value }, {}];
  }
  if (properties === undefined) return [];
  if (current !== undefined) return []; // its members are changed
  const whole = membersOf(schema, random);
  const required = new Set(schema.required ?? []);
  return [Object.fromEntries(whole), Object.fromEntries(whole.filter(([name]) => required.has(name)))];
}

/** Values of all members; of structures among them only what they require, since a pod template alone has some thousand fields. */
function membersOf({ properties = {} }: Structural, random: Random): readonly (readonly [string, unknown])[] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const made = candidates(member, { current: undefined, isRequired: true, random });
    const value = member.properties === undefined ? made[0] : made[1];
    const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
    return value === undefined || isEmpty ? [] : [[name, value] as const];
  });
}
