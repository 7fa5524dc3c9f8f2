import type { Reading, TypeOfSchema } from '../../api/values/index.ts';
import { CniError } from '../cni-error.ts';
import type { JsonObject } from '../field-reader.ts';
import { applySchema, checkSchema, type SchemaIssue } from './json-schema.ts';

/** A schema of a library that follows Standard Schema (standardschema.dev), such as zod, valibot or arktype. */
export interface ValidatingSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    validate(value: unknown): ValidatedValue<Output> | Promise<ValidatedValue<Output>>;
  };
}

type ValidatedValue<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** How a plugin's configuration looks: a schema of a library, or JSON Schema as a literal or from TypeBox. */
export type ConfigurationSchema = ValidatingSchema | object;

/** The type of a configuration that a schema has read: defaults are filled in. */
export type ConfigurationOf<Schema> =
  Schema extends ValidatingSchema<infer Output>
    ? Output
    : Schema extends { readonly static: infer Static }
      ? Static
      : TypeOfSchema<Schema, Reading>;

/** Throws when a schema has rules that would not be kept. */
export function checkConfigurationSchema(schema: ConfigurationSchema): void {
  if (!isValidating(schema)) checkSchema(schema);
}

/**
 * The configuration as the schema has it, or as it is written where there is none. A plugin that is configured otherwise fails with code 7, or
 * 2 for an unknown member.
 */
export async function readBySchema<Schema extends ConfigurationSchema>(
  schema: Schema | undefined,
  fields: JsonObject,
): Promise<ConfigurationOf<Schema>> {
  const value = schema === undefined ? fields : await checkedValue(schema, fields);
  return value as ConfigurationOf<Schema>; // what the schema has accepted is of its type
}

async function checkedValue(schema: ConfigurationSchema, fields: JsonObject): Promise<unknown> {
  const issues: SchemaIssue[] = [];
  if (!isValidating(schema)) {
    const value = applySchema(schema as JsonObject, fields, issues);
    if (issues.length === 0) return value;
  } else {
    const validated = await schema['~standard'].validate(fields);
    if (validated.issues === undefined) return validated.value;
    for (const { path = [], message } of validated.issues)
      issues.push({
        path: path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.'),
        problem: message,
      });
  }
  const code = issues.every(({ isUnknownMember }) => isUnknownMember) ? 'UnsupportedField' : 'InvalidConfiguration';
  const texts = issues.map(({ path, problem }) => (path === '' ? problem : `"${path}" ${problem}`));
  throw new CniError(
    code,
    code === 'UnsupportedField' ? `unsupported field: ${texts.join('; ')}` : 'invalid configuration',
    {
      details: texts.join('; '),
    },
  );
}

function isValidating(schema: ConfigurationSchema): schema is ValidatingSchema {
  return '~standard' in schema;
}
