import type { CustomResourceDefinition } from '../../client/index.ts';

export type Definition = CustomResourceDefinition;
type Version = NonNullable<Definition['spec']>['versions'][number];
export type Schema = NonNullable<NonNullable<Version['schema']>['openAPIV3Schema']>;

export const text: Schema = { type: 'string' };
export const time: Schema = { type: 'string', format: 'date-time' };
export const whole: Schema = { type: 'integer', format: 'int64' };
export const yesOrNo: Schema = { type: 'boolean' };
export const error: Schema = { type: 'object', properties: { message: text, time } };
export const policy: Schema = { type: 'string', enum: ['Delete', 'Retain'] };
/** A reference to a snapshot. */
export const reference: Schema = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    apiVersion: text,
    fieldPath: text,
    kind: text,
    name: text,
    namespace: text,
    resourceVersion: text,
    uid: text,
  },
};
export const QUANTITY = String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`;

/** A text that never changes. */
export function fixed(name: string): Schema {
  return { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: `${name} is immutable` }] };
}

/** A rule that a field, once it is there, stays. */
export function stays(name: string): { readonly rule: string; readonly message: string } {
  return { rule: `!has(oldSelf.${name}) || has(self.${name})`, message: `${name} is required once set` };
}

/** Fields of which exactly one is set, for good. */
export function eitherOf(one: readonly [string, Schema], other: readonly [string, Schema]): Schema {
  const [first, second] = [one[0], other[0]];
  const kept = ([name, schema]: readonly [string, Schema]): Schema => ({
    ...schema,
    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: `${name} is immutable` }],
  });
  return {
    type: 'object',
    properties: { [first]: kept(one), [second]: kept(other) },
    'x-kubernetes-validations': [
      stays(first),
      stays(second),
      {
        rule: `has(self.${first}) != has(self.${second})`,
        message: `exactly one of ${first} and ${second} must be set`,
      },
    ],
  };
}

/** A kind of snapshots as its definition describes it. */
export interface Described {
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly schema: Schema;
  /** Columns of tables: name, path and type. */
  readonly columns: readonly (readonly [name: string, path: string, type: string])[];
  /** Where the group's use of a protected name was approved. */
  readonly approval: number;
}

export const age = ['Age', '.metadata.creationTimestamp', 'date'] as const;

interface Family {
  readonly group: string;
  /** Served versions, all of the same schema; the last one is stored. */
  readonly versions: readonly string[];
}

/** The definition of a kind. */
export function definitionOf(
  { kind, shortNames, scope, schema, columns, approval }: Described,
  family: Family,
): Definition {
  const { group, versions } = family;
  const singular = kind.toLowerCase();
  const plural = singular.endsWith('s') ? `${singular}es` : `${singular}s`;
  return {
    metadata: {
      name: `${plural}.${group}`,
      annotations: {
        'api-approved.kubernetes.io': `https://github.com/kubernetes-csi/external-snapshotter/pull/${approval}`,
      },
    },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames: [...shortNames] },
      scope,
      versions: versions.map((name) => ({
        name,
        served: true,
        storage: name === versions.at(-1),
        schema: { openAPIV3Schema: schema },
        ...(schema.properties?.['status'] === undefined ? {} : { subresources: { status: {} } }),
        additionalPrinterColumns: columns.map(([column, jsonPath, type]) => ({ name: column, jsonPath, type })),
      })),
    },
  };
}
