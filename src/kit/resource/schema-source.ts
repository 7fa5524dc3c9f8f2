import type { DeepReadonly } from '../../base/index.ts';
import type { JSONSchemaProps } from '../../api/types/apiextensions/v1.d.ts';
import type { Reading, TypeOfSchema } from '../../api/values/index.ts';

/**
 * A schema of any library that follows Standard Schema (standardschema.dev). Its types reach the compiler; the definition
 * is made from `jsonSchema`, the second half of the standard.
 */
export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: { readonly input: EmitJsonSchema; readonly output: EmitJsonSchema } | undefined;
  };
}

type EmitJsonSchema = (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;

/** JSON Schema as a literal, or from TypeBox; may contain Kubernetes' `x-kubernetes-…` keywords. */
export type JsonSchema = DeepReadonly<Omit<JSONSchemaProps, 'exclusiveMinimum' | 'exclusiveMaximum'>> & {
  readonly [word: string]: unknown;
};

/** A schema in any supported form. Interfaces such as TypeBox's fit no index signature, hence `object`. */
export type SchemaSource = StandardSchema | JsonSchema | object;

/** The type of values as the server returns them: fields with defaults are present. */
export type OutputOf<S> =
  S extends StandardSchema<infer _Input, infer Output>
    ? Output
    : S extends { readonly static: infer Static }
      ? Static
      : TypeOfSchema<S, Reading>;

/** The type of values as clients may send them: fields with defaults may be missing. */
export type InputOf<S> =
  S extends StandardSchema<infer Input, infer _Output>
    ? Input
    : S extends { readonly static: infer Static }
      ? Static
      : TypeOfSchema<S, 'sending'>;

/** The JSON Schema of a source: what a Standard Schema emits, or the literal itself. */
export function jsonSchemaOf(source: SchemaSource, place: string): unknown {
  const standard = (source as Partial<StandardSchema>)['~standard'];
  if (standard === undefined) return source;
  if (standard.jsonSchema === undefined) throw new Error(cannotRead(place, standard.vendor));
  const options = { target: 'draft-2020-12' } as const;
  try {
    standard.jsonSchema.output(options); // refuses transformed values: the server could not store them
    return standard.jsonSchema.input(options);
  } catch (cause) {
    throw new Error(`Cannot make a schema of ${place}: ${(cause as Error).message}`, { cause });
  }
}

const HINTS: Readonly<Record<string, string>> = {
  valibot: 'wrap it: toStandardJsonSchema(schema) of @valibot/to-json-schema',
  zod: 'use "zod" of version 4.2 or newer ("zod/mini" emits none), or write the schema down as JSON Schema',
};

function cannotRead(place: string, vendor: string): string {
  const hint = HINTS[vendor] ?? 'write it down';
  return `Cannot make a schema of ${place}: this version of "${vendor}" emits no JSON Schema; ${hint}`;
}
