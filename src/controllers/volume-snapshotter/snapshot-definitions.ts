import {
  type Client,
  CustomResourceDefinition,
  hasReason,
  type Kind,
  type KubernetesObject,
} from '../../client/index.ts';
import {
  SNAPSHOT_GROUP,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from '../volume-provisioner/index.ts';
import {
  type Definition,
  type Described,
  type Schema,
  age,
  definitionOf,
  eitherOf,
  error,
  fixed,
  policy,
  QUANTITY,
  reference,
  stays,
  text,
  time,
  whole,
  yesOrNo,
} from './definition-pieces.ts';
import { groupSnapshotDefinitions } from './group-snapshot-definitions.ts';

const snapshotSchema: Schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['source'],
      properties: {
        source: eitherOf(['volumeSnapshotContentName', text], ['persistentVolumeClaimName', text]),
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
        source: eitherOf(['volumeHandle', text], ['snapshotHandle', text]),
        sourceVolumeMode: fixed('sourceVolumeMode'),
        volumeSnapshotClassName: text,
        volumeSnapshotRef: {
          ...reference,
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
export const snapshotDefinitions: readonly Definition[] = described.map((each) =>
  definitionOf(each, { group: SNAPSHOT_GROUP, versions: ['v1'] }),
);

/** Whether the cluster serves the kinds of snapshots. */
export async function hasSnapshotKinds(client: Client, signal: AbortSignal): Promise<boolean> {
  return await servesAll(client, [VolumeSnapshotClass, VolumeSnapshotContent, VolumeSnapshot], signal);
}

/** Whether the cluster serves the kinds of groups of snapshots. */
export async function hasGroupSnapshotKinds(client: Client, signal: AbortSignal): Promise<boolean> {
  const kinds = [VolumeGroupSnapshotClass, VolumeGroupSnapshotContent, VolumeGroupSnapshot];
  return await servesAll(client, kinds, signal);
}

async function servesAll(
  client: Client,
  kinds: readonly Kind<KubernetesObject>[],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    for (const kind of kinds) await client.kind(kind).list({ limit: 1, signal });
    return true;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return false;
    throw error;
  }
}

/** Creates the definitions that are missing. Those that are there stay as they are. */
export async function installSnapshotKinds(client: Client, signal: AbortSignal): Promise<void> {
  await install(client, snapshotDefinitions, signal);
}

/** Creates the definitions of groups that are missing. */
export async function installGroupSnapshotKinds(client: Client, signal: AbortSignal): Promise<void> {
  await install(client, groupSnapshotDefinitions, signal);
}

async function install(client: Client, definitions: readonly Definition[], signal: AbortSignal): Promise<void> {
  for (const definition of definitions) {
    try {
      await client.kind(CustomResourceDefinition).create(definition, { signal });
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
    }
  }
}
