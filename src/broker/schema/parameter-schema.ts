import { createRequire } from 'node:module';
import type * as re2 from 're2js';
import { codePointCount, deepEqual, messageOf } from '../../base/index.ts';
import type { JsonObject } from '../protocol/osb.ts';
import { isJsonObject } from '../protocol/identity-header.ts';

/** The size that catalogs allow a schema. */
export const MAX_SCHEMA_BYTES = 64 * 1024;
/** Most comparisons of a value with a schema: schemas of others may repeat themselves without end. */
const MAX_COMPARISONS = 50_000;
const MAX_DEPTH = 100;
const MAX_PROBLEMS = 20;

/** A schema cannot be used; values were not judged. */
export class ParameterSchemaError extends Error {
  override readonly name = 'ParameterSchemaError';
}

type Test = (context: Judging, place: Place) => void;

interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly schema: JsonObject;
}

/**
 * Says what is wrong with parameters, one sentence for each place: JSON Schema from draft 4 to 2020-12, with references inside the schema.
 * `format` is not judged, as the drafts allow.
 *
 * Throws a `ParameterSchemaError` for a schema that is too large, refers outside of itself, or asks for too much work.
 */
export function parameterProblems(schema: JsonObject, parameters: unknown): readonly string[] {
  const judging = new Judging(schema);
  judging.judge(schema, parameters, '');
  return judging.problems;
}

/** Throws a `ParameterSchemaError` for a schema that no values could be judged by, wherever in it the reason is. */
export function checkParameterSchema(schema: JsonObject): void {
  const judging = new Judging(schema);
  judging.check(schema);
  judging.judge(schema, {}, '');
}

/** The same parameters with the defaults of missing fields. */
export function withDefaults(schema: unknown, value: unknown): unknown {
  if (!isJsonObject(schema) || !isJsonObject(value)) return value;
  const { properties } = schema;
  if (!isJsonObject(properties)) return value;
  const filled = new Map(Object.entries(value));
  for (const [name, inner] of Object.entries(properties)) {
    if (!filled.has(name) && isJsonObject(inner) && inner['default'] !== undefined) filled.set(name, inner['default']);
    if (filled.has(name)) filled.set(name, withDefaults(inner, filled.get(name)));
  }
  return Object.fromEntries(filled);
}

/** One judgement: what was found, and how much work it took. */
class Judging {
  problems: string[] = [];
  readonly patterns = new Patterns();
  readonly #root: JsonObject;
  #comparisons = 0;
  #depth = 0;

  constructor(root: JsonObject) {
    if (Buffer.byteLength(JSON.stringify(root)) > MAX_SCHEMA_BYTES)
      throw new ParameterSchemaError(`the schema is larger than ${MAX_SCHEMA_BYTES / 1024} KiB`);
    this.#root = root;
  }

  judge(schema: unknown, value: unknown, path: string): void {
    if (schema === true || schema === undefined) return;
    if (schema === false) return this.add(path, 'is not allowed');
    if (!isJsonObject(schema)) throw new ParameterSchemaError(`the schema of "${path}" is no schema`);
    this.#comparisons += 1;
    if (this.#comparisons > MAX_COMPARISONS) throw new ParameterSchemaError('the schema asks for too much work');
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new ParameterSchemaError('the schema refers to itself without end');
    try {
      const { $ref } = schema;
      if (typeof $ref === 'string') this.judge(this.#resolve($ref), value, path);
      const place = { value, path, schema };
      for (const [word, test] of Object.entries(TESTS)) if (schema[word] !== undefined) test(this, place);
    } finally {
      this.#depth -= 1;
    }
  }

  /** Looks at all patterns, references and types of a schema. */
  check(schema: unknown): void {
    if (Array.isArray(schema)) for (const each of schema) this.check(each);
    if (!isJsonObject(schema)) return;
    const { pattern, $ref, type } = schema;
    if (typeof pattern === 'string') this.patterns.matches(pattern, '');
    if (typeof $ref === 'string') this.#resolve($ref);
    if (typeof type === 'string') isOfType(undefined, type);
    for (const each of Object.keys(objectIn(schema, 'patternProperties'))) this.patterns.matches(each, '');
    for (const [word, inner] of Object.entries(schema)) {
      if (NAMED.includes(word)) for (const each of Object.values(objectIn(schema, word))) this.check(each);
      else if (!VALUES.includes(word)) this.check(inner);
    }
  }

  /** Whether a value fits, without a word about why not. */
  fits(schema: unknown, value: unknown): boolean {
    const before = this.problems;
    this.problems = [];
    try {
      this.judge(schema, value, '');
      return this.problems.length === 0;
    } finally {
      this.problems = before;
    }
  }

  add(path: string, problem: string): void {
    const text = path === '' ? `the parameters: ${problem}` : `${path}: ${problem}`;
    if (this.problems.length < MAX_PROBLEMS && !this.problems.includes(text)) this.problems.push(text);
  }

  #resolve(reference: string): unknown {
    if (!reference.startsWith('#'))
      throw new ParameterSchemaError(`the schema refers to "${reference}", which is outside of it`);
    let found: unknown = this.#root;
    for (const part of reference.slice(1).split('/').slice(1)) {
      const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      found = isJsonObject(found) || Array.isArray(found) ? Reflect.get(found, name) : undefined;
    }
    if (found === undefined) throw new ParameterSchemaError(`the schema refers to "${reference}", which is not there`);
    return found;
  }
}

/** Keywords whose fields have names of their own. */
const NAMED = ['properties', 'patternProperties', 'definitions', '$defs', 'dependencies', 'dependentSchemas'];
/** Keywords with values, which are no schemas. */
const VALUES = ['default', 'enum', 'const', 'examples', 'required'];

/** The keywords, each with what it asks of a value. A keyword about another type than the value's asks nothing. */
const TESTS: Readonly<Record<string, Test>> = {
  type(judging, { value, path, schema }) {
    const names = [schema['type']].flat();
    if (!names.some((name) => isOfType(value, name))) judging.add(path, `must be ${wordOf(names)}`);
  },
  enum(judging, { value, path, schema }) {
    const values = listIn(schema, 'enum');
    if (!values.some((each) => deepEqual(each, value)))
      judging.add(path, `must be one of ${values.map((each) => JSON.stringify(each)).join(', ')}`);
  },
  const(judging, { value, path, schema }) {
    if (!deepEqual(schema['const'], value)) judging.add(path, `must be ${JSON.stringify(schema['const'])}`);
  },
  ...bound('minimum', 'exclusiveMinimum', {
    isBelow: (value, limit) => value < limit,
    words: ['at least', 'more than'],
  }),
  ...bound('maximum', 'exclusiveMaximum', {
    isBelow: (value, limit) => value > limit,
    words: ['at most', 'less than'],
  }),
  multipleOf(judging, { value, path, schema }) {
    const unit = schema['multipleOf'];
    if (typeof value !== 'number' || typeof unit !== 'number' || unit <= 0) return;
    const times = value / unit;
    if (Math.abs(times - Math.round(times)) > 1e-9 * Math.max(1, Math.abs(times)))
      judging.add(path, `must be a multiple of ${unit}`);
  },
  ...size('minLength', 'maxLength', {
    of: (value) => (typeof value === 'string' ? codePointCount(value) : undefined),
    unit: 'characters',
  }),
  ...size('minItems', 'maxItems', { of: (value) => (Array.isArray(value) ? value.length : undefined), unit: 'items' }),
  ...size('minProperties', 'maxProperties', {
    of: (value) => (isJsonObject(value) ? Object.keys(value).length : undefined),
    unit: 'fields',
  }),
  pattern(judging, { value, path, schema }) {
    if (typeof value === 'string' && !judging.patterns.matches(String(schema['pattern']), value))
      judging.add(path, `must match ${String(schema['pattern'])}`);
  },
  required(judging, { value, path, schema }) {
    if (!isJsonObject(value) || !Array.isArray(schema['required'])) return; // draft 3 had a boolean here
    for (const name of schema['required'])
      if (!Object.hasOwn(value, String(name))) judging.add(below(path, String(name)), 'is required');
  },
  properties(judging, { value, path, schema }) {
    if (!isJsonObject(value)) return;
    for (const [name, inner] of Object.entries(objectIn(schema, 'properties')))
      if (Object.hasOwn(value, name)) judging.judge(inner, value[name], below(path, name));
  },
  patternProperties(judging, { value, path, schema }) {
    if (!isJsonObject(value)) return;
    for (const [pattern, inner] of Object.entries(objectIn(schema, 'patternProperties')))
      for (const [name, field] of Object.entries(value))
        if (judging.patterns.matches(pattern, name)) judging.judge(inner, field, below(path, name));
  },
  additionalProperties(judging, { value, path, schema }) {
    if (!isJsonObject(value)) return;
    const known = objectIn(schema, 'properties');
    const patterns = Object.keys(objectIn(schema, 'patternProperties'));
    for (const [name, field] of Object.entries(value)) {
      if (Object.hasOwn(known, name) || patterns.some((pattern) => judging.patterns.matches(pattern, name))) continue;
      judging.judge(schema['additionalProperties'], field, below(path, name));
    }
  },
  propertyNames(judging, { value, path, schema }) {
    if (!isJsonObject(value)) return;
    for (const name of Object.keys(value))
      if (!judging.fits(schema['propertyNames'], name))
        judging.add(below(path, name), 'has a name that is not allowed');
  },
  dependencies: dependent('dependencies'),
  dependentRequired: dependent('dependentRequired'),
  dependentSchemas: dependent('dependentSchemas'),
  items(judging, { value, path, schema }) {
    if (!Array.isArray(value)) return;
    const { items } = schema;
    const first = Array.isArray(schema['prefixItems']) ? schema['prefixItems'].length : 0;
    if (!Array.isArray(items)) {
      for (const [index, item] of value.entries()) if (index >= first) judging.judge(items, item, `${path}[${index}]`);
      return;
    }
    for (const [index, item] of value.entries())
      judging.judge(index < items.length ? items[index] : schema['additionalItems'], item, `${path}[${index}]`);
  },
  prefixItems(judging, { value, path, schema }) {
    if (!Array.isArray(value)) return;
    for (const [index, inner] of listIn(schema, 'prefixItems').entries())
      if (index < value.length) judging.judge(inner, value[index], `${path}[${index}]`);
  },
  uniqueItems(judging, { value, path, schema }) {
    if (!Array.isArray(value) || schema['uniqueItems'] !== true) return;
    const seen = new Set(value.map((item) => sortedText(item)));
    if (seen.size < value.length) judging.add(path, 'must not have the same item twice');
  },
  contains(judging, { value, path, schema }) {
    if (!Array.isArray(value)) return;
    const { minContains = 1, maxContains = Infinity } = schema;
    const found = value.filter((item) => judging.fits(schema['contains'], item)).length;
    if (found < Number(minContains) || found > Number(maxContains))
      judging.add(path, 'has not the number of items that are asked for');
  },
  allOf(judging, { value, path, schema }) {
    for (const each of listIn(schema, 'allOf')) judging.judge(each, value, path);
  },
  anyOf(judging, { value, path, schema }) {
    if (!listIn(schema, 'anyOf').some((each) => judging.fits(each, value)))
      judging.add(path, 'fits none of the alternatives');
  },
  oneOf(judging, { value, path, schema }) {
    const fitting = listIn(schema, 'oneOf').filter((each) => judging.fits(each, value)).length;
    if (fitting !== 1) judging.add(path, `must fit one of the alternatives, and fits ${fitting}`);
  },
  not(judging, { value, path, schema }) {
    if (judging.fits(schema['not'], value)) judging.add(path, 'has a value that is not allowed');
  },
  if(judging, { value, path, schema }) {
    judging.judge(judging.fits(schema['if'], value) ? schema['then'] : schema['else'], value, path);
  },
};

/** What the presence of one field asks of the others: their presence, or that the whole fits a schema. */
function dependent(word: string): Test {
  return (judging, { value, path, schema }) => {
    if (!isJsonObject(value)) return;
    for (const [name, needed] of Object.entries(objectIn(schema, word))) {
      if (!Object.hasOwn(value, name)) continue;
      if (!Array.isArray(needed)) judging.judge(needed, value, path);
      else
        for (const other of needed)
          if (!Object.hasOwn(value, String(other))) judging.add(below(path, String(other)), `is required with ${name}`);
    }
  };
}

interface Bound {
  readonly isBelow: (value: number, limit: number) => boolean;
  readonly words: readonly [inclusive: string, exclusive: string];
}

/** A limit of numbers: draft 4 says with a boolean beside it that it is not included, later drafts have a keyword of its own for that. */
function bound(word: string, exclusive: string, { isBelow, words }: Bound): Readonly<Record<string, Test>> {
  return {
    [word](judging, { value, path, schema }) {
      const limit = schema[word];
      if (typeof value !== 'number' || typeof limit !== 'number') return;
      const isOut = schema[exclusive] === true;
      if (isBelow(value, limit) || (isOut && value === limit))
        judging.add(path, `must be ${words[isOut ? 1 : 0]} ${limit}`);
    },
    [exclusive](judging, { value, path, schema }) {
      const limit = schema[exclusive];
      if (typeof value !== 'number' || typeof limit !== 'number') return;
      if (isBelow(value, limit) || value === limit) judging.add(path, `must be ${words[1]} ${limit}`);
    },
  };
}

interface Size {
  readonly of: (value: unknown) => number | undefined;
  readonly unit: string;
}

function size(least: string, most: string, { of, unit }: Size): Readonly<Record<string, Test>> {
  return {
    [least](judging, { value, path, schema }) {
      const count = of(value);
      if (count !== undefined && count < Number(schema[least]))
        judging.add(path, `must have at least ${String(schema[least])} ${unit}`);
    },
    [most](judging, { value, path, schema }) {
      const count = of(value);
      if (count !== undefined && count > Number(schema[most]))
        judging.add(path, `must have at most ${String(schema[most])} ${unit}`);
    },
  };
}

function isOfType(value: unknown, name: unknown): boolean {
  switch (name) {
    case 'null':
      return value === null;
    case 'boolean':
    case 'string':
    case 'number':
      return typeof value === name;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      throw new ParameterSchemaError(`the schema has the type ${JSON.stringify(name)}`);
  }
}

function wordOf(names: readonly unknown[]): string {
  return names.map((name) => (/^[aeio]/.test(String(name)) ? `an ${String(name)}` : `a ${String(name)}`)).join(' or ');
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function objectIn(schema: JsonObject, word: string): JsonObject {
  const value = schema[word];
  return isJsonObject(value) ? value : {};
}

function listIn(schema: JsonObject, word: string): readonly unknown[] {
  const value = schema[word];
  if (!Array.isArray(value)) throw new ParameterSchemaError(`"${word}" of the schema is no list`);
  return value;
}

/** JSON with the fields of objects in order, so that equal values have equal texts. */
function sortedText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [two]) => (one < two ? -1 : 1)))
      : inner,
  );
}

let loaded: Pick<typeof re2, 'RE2JS'> | undefined;

/** Compiled patterns of one schema. They take time in proportion to the text: those of other people's schemas are judged, too. */
class Patterns {
  readonly #compiled = new Map<string, ReturnType<typeof re2.RE2JS.compile>>();

  matches(source: string, text: string): boolean {
    const compiled = this.#compiled.get(source) ?? this.#compile(source);
    return compiled.matcher(text).find();
  }

  #compile(source: string): ReturnType<typeof re2.RE2JS.compile> {
    loaded ??= createRequire(import.meta.url)('re2js') as Pick<typeof re2, 'RE2JS'>; // only schemas with patterns need it
    try {
      const compiled = loaded.RE2JS.compile(source);
      this.#compiled.set(source, compiled);
      return compiled;
    } catch (cause) {
      throw new ParameterSchemaError(`the pattern ${source} cannot be used: ${messageOf(cause)}`, { cause });
    }
  }
}
