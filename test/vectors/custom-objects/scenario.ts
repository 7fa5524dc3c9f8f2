import type { StructuralSchema } from '../../../src/api/index.ts';

/** A kind, and what is done with objects of it one after the other. */
export interface Scenario {
  /** Says what it is about; unique, and the group of the kind. */
  readonly name: string;
  /** The schema of the spec, or with `isWhole` of the whole object. */
  readonly schema: StructuralSchema;
  readonly isWhole?: boolean;
  /** The schema of the spec in a second version, v2; objects are stored as v1. */
  readonly second?: StructuralSchema;
  /** The kind has the subresource `status`, with this schema. */
  readonly status?: StructuralSchema;
  readonly steps: readonly Step[];
}

/** In the place of a spec or a status: there is none. */
export const ABSENT = '(absent)';

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/**
 * One request. What is created becomes the object that the next steps are about, if it was stored; those replace its
 * spec, or, of a whole schema, all but its metadata.
 */
export type Step = { readonly version?: 'v1' | 'v2' } & (
  | { readonly create: unknown; readonly fieldValidation?: FieldValidation; readonly metadata?: object }
  | { readonly update: unknown; readonly fieldValidation?: FieldValidation; readonly metadata?: object }
  | { readonly status: unknown; readonly fieldValidation?: FieldValidation }
  /** A merge patch. */
  | { readonly patch: object; readonly fieldValidation?: FieldValidation }
  /** Creates what this text says, in which `KIND` stands for apiVersion, kind and metadata. */
  | { readonly text: string; readonly fieldValidation?: FieldValidation }
  /** The same in YAML, in which `KIND` is a line. */
  | { readonly yaml: string; readonly fieldValidation?: FieldValidation }
  /** Reads the object. */
  | { readonly get: true }
  /** From now on the kind has another schema. */
  | { readonly redefine: StructuralSchema }
);

/** A rule in CEL, as definitions write it. */
export type Rule = NonNullable<StructuralSchema['x-kubernetes-validations']>[number];

/** What came back, without what differs from server to server. */
export interface Outcome {
  readonly code: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
}

/** A line of the recording: a scenario with what came of its steps. */
export interface Recorded {
  readonly scenario: Scenario;
  readonly outcomes: readonly (Outcome | undefined)[];
}

export const KIND = 'Thing';

export function groupOf({ name }: Scenario): string {
  return `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.example.dev`;
}

/** The schema of whole objects; `probe` shows which of several definitions is served. */
export function wholeSchema(scenario: Scenario, schema: StructuralSchema, revision: number): StructuralSchema {
  const { isWhole = false, status } = scenario;
  const base: StructuralSchema = isWhole ? schema : { type: 'object', properties: { spec: schema } };
  const probe: StructuralSchema = { type: 'integer', enum: [revision] };
  const own: Record<string, StructuralSchema> = status === undefined ? {} : { status };
  return { ...base, properties: { ...base.properties, ...own, probe } };
}

export function definitionOf(scenario: Scenario, schema: StructuralSchema, revision: number): object {
  const group = groupOf(scenario);
  const { second, status } = scenario;
  const version = { served: true, ...(status === undefined ? {} : { subresources: { status: {} } }) };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: KIND, listKind: `${KIND}List` },
      versions: [
        { ...version, name: 'v1', storage: true, schema: { openAPIV3Schema: wholeSchema(scenario, schema, revision) } },
        ...(second === undefined
          ? []
          : [
              {
                ...version,
                name: 'v2',
                storage: false,
                schema: { openAPIV3Schema: wholeSchema(scenario, second, revision) },
              },
            ]),
      ],
    },
  };
}
