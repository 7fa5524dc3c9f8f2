import { deepEqual } from '../../base/index.ts';
import { isObject, type JsonObject, kindOf } from '../field-reader.ts';

/** Something in a value that its schema does not allow. */
export interface SchemaIssue {
  /** `ranges[0].subnet`; empty for the whole value. */
  readonly path: string;
  readonly problem: string;
  /** The value is a member that the schema does not have. */
  readonly isUnknownMember?: true;
}

/** The keywords that are understood; one of another name would be a rule that nothing keeps. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'default', 'nullable'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems'],
  ...['title', 'description', 'examples', '$schema', '$id'],
]);

/** Throws when a schema has a keyword that is not understood. */
export function checkSchema(schema: unknown, path = ''): asserts schema is JsonObject {
  if (!isObject(schema)) throw new Error(`Cannot use a schema: "${path}" must be an object, got ${kindOf(schema)}`);
  const unknown = Object.keys(schema).find((word) => !KEYWORDS.has(word));
  if (unknown !== undefined)
    throw new Error(
      `Cannot use a schema: keyword "${unknown}"${path === '' ? '' : ` of "${path}"`} is not supported; give a schema of a library such as zod, or check it in the plugin`,
    );
  for (const [name, inner] of Object.entries(propertiesOf(schema))) checkSchema(inner, join(path, name));
  if (schema['items'] !== undefined) checkSchema(schema['items'], `${path}[]`);
  if (isObject(schema['additionalProperties'])) checkSchema(schema['additionalProperties'], join(path, '*'));
}

/** The value with defaults filled in. Problems are added to `issues`; the value is of no use when there are any. */
export function applySchema(schema: JsonObject, value: unknown, issues: SchemaIssue[], path = ''): unknown {
  if (value === undefined) return schema['default'];
  if (value === null && schema['nullable'] === true) return value;
  const problem = problemOf(schema, value);
  if (problem !== undefined) {
    issues.push({ path, problem });
    return value;
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    return isObject(items) ? value.map((item, at) => applySchema(items, item, issues, `${path}[${at}]`)) : value;
  }
  return isObject(value) ? applyToMembers(schema, value, issues, path) : value;
}

function applyToMembers(schema: JsonObject, value: JsonObject, issues: SchemaIssue[], path: string): JsonObject {
  const properties = propertiesOf(schema);
  const { additionalProperties: others } = schema;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : others;
    if (inner === false)
      issues.push({
        path: join(path, name),
        problem: `is not supported, got ${kindOf(member)}`,
        isUnknownMember: true,
      });
    result[name] = isObject(inner) ? applySchema(inner, member, issues, join(path, name)) : member;
  }
  for (const [name, inner] of Object.entries(properties))
    if (result[name] === undefined && isObject(inner) && inner['default'] !== undefined)
      result[name] = inner['default'];
  for (const name of (schema['required'] as readonly string[] | undefined) ?? [])
    if (result[name] === undefined) issues.push({ path: join(path, name), problem: 'is required' });
  return result;
}

function propertiesOf(schema: JsonObject): JsonObject {
  return isObject(schema['properties']) ? schema['properties'] : {};
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
};

function problemOf(schema: JsonObject, value: unknown): string | undefined {
  const { type, enum: choices, const: only } = schema;
  const types = type === undefined ? [] : [type].flat().map(String);
  if (types.length > 0 && !types.some((name) => TYPES[name]?.(value) === true))
    return `must be ${types.map(articleOf).join(' or ')}, got ${kindOf(value)}`;
  if (only !== undefined && !deepEqual(value, only)) return `must be ${JSON.stringify(only)}, got ${kindOf(value)}`;
  if (Array.isArray(choices) && !choices.some((choice) => deepEqual(value, choice)))
    return `must be one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}, got ${kindOf(value)}`;
  if (typeof value === 'string') return textProblem(schema, value);
  if (typeof value === 'number') return sizeProblem(value, schema['minimum'], schema['maximum']);
  return Array.isArray(value) ? countProblem(value.length, schema['minItems'], schema['maxItems'], 'items') : undefined;
}

function textProblem(schema: JsonObject, value: string): string | undefined {
  const { pattern } = schema;
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value))
    return `must match ${JSON.stringify(pattern)}, got ${kindOf(value)}`;
  return countProblem(value.length, schema['minLength'], schema['maxLength'], 'characters');
}

function sizeProblem(value: number, min: unknown, max: unknown): string | undefined {
  if (typeof min === 'number' && value < min) return `must be at least ${min}, got ${value}`;
  return typeof max === 'number' && value > max ? `must be at most ${max}, got ${value}` : undefined;
}

function countProblem(count: number, min: unknown, max: unknown, what: string): string | undefined {
  if (typeof min === 'number' && count < min) return `must have at least ${min} ${what}, got ${count}`;
  return typeof max === 'number' && count > max ? `must have at most ${max} ${what}, got ${count}` : undefined;
}

function articleOf(type: string): string {
  return type === 'null' ? 'null' : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
