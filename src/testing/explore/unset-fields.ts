import { deepEqual } from '../../base/index.ts';
import type { ClusterState } from './cluster-state.ts';

/** The part of a schema that says which fields there are. */
interface FieldSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema | boolean | readonly unknown[];
  readonly additionalProperties?: FieldSchema | boolean;
  readonly default?: unknown;
}

/** What is read of a definition. */
export interface FieldDefinition {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly storage: boolean;
      readonly schema?: { readonly openAPIV3Schema?: object | undefined } | undefined;
    }[];
  };
}

/** Members that users do not set, or that every kind has. */
const NOT_SET_BY_USERS = ['apiVersion', 'kind', 'metadata', 'status'];

/**
 * The fields of custom kinds that no object of a run has set, or only to the default: what such a field does was not tried. Of a field that
 * is unset as a whole, its members are left out.
 *
 * Example: `Cache spec.tls`, `Cache spec.rules[].port`
 */
export function unsetFields(
  definitions: readonly FieldDefinition[],
  states: Iterable<ClusterState>,
): readonly string[] {
  const objects = [...states].flatMap((state) => state.objects);
  return definitions.flatMap(({ spec }) => {
    const { kind } = spec.names;
    const values = objects.filter((each) => each.kind === kind).map(({ value }) => value);
    const schema = spec.versions.find(({ storage }) => storage)?.schema?.openAPIV3Schema as FieldSchema | undefined;
    if (schema === undefined || values.length === 0) return []; // the scenario is about other kinds
    const { properties = {} } = schema;
    const members = Object.entries(properties).filter(([name]) => !NOT_SET_BY_USERS.includes(name));
    return members.flatMap(([name, member]) => unsetIn(member, membersOf(values, name), `${kind} ${name}`));
  });
}

function unsetIn(schema: FieldSchema, values: readonly unknown[], path: string): readonly string[] {
  const set = values.filter((value) => schema.default === undefined || !deepEqual(value, schema.default));
  if (set.length === 0) return [path];
  const { properties = {}, items, additionalProperties } = schema;
  const own = Object.entries(properties).flatMap(([name, member]) =>
    unsetIn(member, membersOf(set, name), `${path}.${name}`),
  );
  const listed = isSchema(items) ? unsetIn(items, set.flatMap(elementsOf), `${path}[]`) : [];
  const mapped = isSchema(additionalProperties)
    ? unsetIn(additionalProperties, set.flatMap(elementsOf), `${path}.*`)
    : [];
  return [...own, ...listed, ...mapped];
}

function isSchema(value: FieldSchema['items']): value is FieldSchema {
  return typeof value === 'object' && !Array.isArray(value);
}

function elementsOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function membersOf(values: readonly unknown[], name: string): readonly unknown[] {
  return values.flatMap((value) => {
    const member = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
    return member === undefined ? [] : [member];
  });
}
