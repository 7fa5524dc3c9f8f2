import { type Client, CustomResourceDefinition, hasReason } from '../../client/index.ts';
import {
  SNAPSHOT_GROUP,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from '../volume-provisioner/index.ts';

type Definition = CustomResourceDefinition;
type Version = NonNullable<Definition['spec']>['versions'][number];
type Schema = NonNullable<NonNullable<Version['schema']>['openAPIV3Schema']>;

const text: Schema = { type: 'string' };
const time: Schema = { type: 'string', format: 'date-time' };
const whole: Schema = { type: 'integer', format: 'int64' };
const yesOrNo: Schema = { type: 'boolean' };
const error: Schema = { type: 'object', properties: { message: text, time } };
const policy: Schema = { type: 'string', enum: ['Delete', 'Retain'] };
const QUANTITY = String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`;

/** A text that never changes. */
function fixed(name: string): Schema {
  return { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: `${name} is immutable` }] };
}

/** A rule that a field, once it is there, stays. */
function stays(name: string): { readonly rule: string; readonly message: string } {
  return { rule: `!has(oldSelf.${name}) || has(self.${name})`, message: `${name} is required once set` };
}

/** Two fields of which exactly one is set, for good. */
function either(one: string, other: string): Schema {
  return {
    type: 'object',
    properties: { [one]: fixed(one), [other]: fixed(other) },
    'x-kubernetes-validations': [
      stays(one),
      stays(other),
      { rule: `has(self.${one}) != has(self.${other})`, message: `exactly one of ${one} and ${other} must be set` },
    ],
  };
}

const snapshotSchema: Schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['source'],
      properties: {
        source: either('volumeSnapshotContentName', 'persistentVolumeClaimName'),
        volumeSnapshotClassName: {
          ...text,
          'x-kubernetes-validations': [
            { rule: 'size(self) > 0', message: 'volumeSnapshotClassName must not be the empty string when set' },
          ],
        },
      },
    },
    status: {
      type: 'object',
      properties: {
        boundVolumeSnapshotContentName: text,
        creationTime: time,
        error,
        readyToUse: yesOrNo,
        restoreSize: {
          anyOf: [{ type: 'integer' }, { type: 'string' }],
          pattern: QUANTITY,
          'x-kubernetes-int-or-string': true,
        },
        volumeGroupSnapshotName: text,
      },
    },
  },
};

const contentSchema: Schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['deletionPolicy', 'driver', 'source', 'volumeSnapshotRef'],
      properties: {
        deletionPolicy: policy,
        driver: text,
        source: either('volumeHandle', 'snapshotHandle'),
        sourceVolumeMode: fixed('sourceVolumeMode'),
        volumeSnapshotClassName: text,
        volumeSnapshotRef: {
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
          'x-kubernetes-validations': [
            {
              rule: 'has(self.name) && has(self.__namespace__)',
              message: 'both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set',
            },
          ],
        },
      },
      'x-kubernetes-validations': [stays('sourceVolumeMode')],
    },
    status: {
      type: 'object',
      properties: {
        creationTime: whole,
        error,
        readyToUse: yesOrNo,
        restoreSize: { ...whole, minimum: 0 },
        snapshotHandle: text,
        volumeGroupSnapshotHandle: text,
      },
    },
  },
};

const classSchema: Schema = {
  type: 'object',
  required: ['deletionPolicy', 'driver'],
  properties: { deletionPolicy: policy, driver: text, parameters: { type: 'object', additionalProperties: text } },
};

interface Described {
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly schema: Schema;
  /** Columns of tables: name, path and type. */
  readonly columns: readonly (readonly [name: string, path: string, type: string])[];
  /** Where the group's use of a protected name was approved. */
  readonly approval: number;
}

const age = ['Age', '.metadata.creationTimestamp', 'date'] as const;

const described: readonly Described[] = [
  {
    kind: 'VolumeSnapshotClass',
    shortNames: ['vsclass', 'vsclasses'],
    scope: 'Cluster',
    schema: classSchema,
    columns: [['Driver', '.driver', 'string'], ['DeletionPolicy', '.deletionPolicy', 'string'], age],
    approval: 814,
  },
  {
    kind: 'VolumeSnapshotContent',
    shortNames: ['vsc', 'vscs'],
    scope: 'Cluster',
    schema: contentSchema,
    columns: [
      ['ReadyToUse', '.status.readyToUse', 'boolean'],
      ['RestoreSize', '.status.restoreSize', 'integer'],
      ['DeletionPolicy', '.spec.deletionPolicy', 'string'],
      ['Driver', '.spec.driver', 'string'],
      ['VolumeSnapshotClass', '.spec.volumeSnapshotClassName', 'string'],
      ['VolumeSnapshot', '.spec.volumeSnapshotRef.name', 'string'],
      ['VolumeSnapshotNamespace', '.spec.volumeSnapshotRef.namespace', 'string'],
      age,
    ],
    approval: 955,
  },
  {
    kind: 'VolumeSnapshot',
    shortNames: ['vs'],
    scope: 'Namespaced',
    schema: snapshotSchema,
    columns: [
      ['ReadyToUse', '.status.readyToUse', 'boolean'],
      ['SourcePVC', '.spec.source.persistentVolumeClaimName', 'string'],
      ['SourceSnapshotContent', '.spec.source.volumeSnapshotContentName', 'string'],
      ['RestoreSize', '.status.restoreSize', 'string'],
      ['SnapshotClass', '.spec.volumeSnapshotClassName', 'string'],
      ['SnapshotContent', '.status.boundVolumeSnapshotContentName', 'string'],
      ['CreationTime', '.status.creationTime', 'date'],
      age,
    ],
    approval: 814,
  },
];

/** The definitions of the kinds of snapshots. */
export const snapshotDefinitions: readonly Definition[] = described.map(
  ({ kind, shortNames, scope, schema, columns, approval }): Definition => {
    const singular = kind.toLowerCase();
    const plural = singular.endsWith('s') ? `${singular}es` : `${singular}s`;
    return {
      metadata: {
        name: `${plural}.${SNAPSHOT_GROUP}`,
        annotations: {
          'api-approved.kubernetes.io': `https://github.com/kubernetes-csi/external-snapshotter/pull/${approval}`,
        },
      },
      spec: {
        group: SNAPSHOT_GROUP,
        names: { kind, listKind: `${kind}List`, plural, singular, shortNames: [...shortNames] },
        scope,
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: schema },
            ...(schema === classSchema ? {} : { subresources: { status: {} } }),
            additionalPrinterColumns: columns.map(([name, jsonPath, type]) => ({ name, jsonPath, type })),
          },
        ],
      },
    };
  },
);

/** Whether the cluster serves the kinds of snapshots. */
export async function hasSnapshotKinds(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    await client.kind(VolumeSnapshotClass).list({ limit: 1, signal });
    await client.kind(VolumeSnapshotContent).list({ limit: 1, signal });
    await client.kind(VolumeSnapshot).list({ limit: 1, signal });
    return true;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return false;
    throw error;
  }
}

/** Creates the definitions that are missing. Those that are there stay as they are. */
export async function installSnapshotKinds(client: Client, signal: AbortSignal): Promise<void> {
  for (const definition of snapshotDefinitions) {
    try {
      await client.kind(CustomResourceDefinition).create(definition, { signal });
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
    }
  }
}
