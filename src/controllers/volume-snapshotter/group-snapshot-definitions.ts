import { GROUP_SNAPSHOT_GROUP } from '../volume-provisioner/index.ts';
import {
  type Definition,
  type Described,
  type Schema,
  age,
  definitionOf,
  eitherOf,
  error,
  policy,
  reference,
  text,
  time,
  whole,
  yesOrNo,
} from './definition-pieces.ts';

/** A value that never changes once it is there. */
function setOnce(name: string, schema: Schema): Schema {
  return {
    ...schema,
    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: `${name} is immutable once set` }],
  };
}

const texts: Schema = { type: 'array', items: text };

const selectorSchema: Schema = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    matchExpressions: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'object',
        required: ['key', 'operator'],
        properties: { key: text, operator: text, values: { ...texts, 'x-kubernetes-list-type': 'atomic' } },
      },
    },
    matchLabels: { type: 'object', additionalProperties: text },
  },
};

const groupSchema: Schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['source'],
      properties: {
        source: eitherOf(['selector', selectorSchema], ['volumeGroupSnapshotContentName', text]),
        volumeGroupSnapshotClassName: {
          ...text,
          'x-kubernetes-validations': [
            { rule: 'size(self) > 0', message: 'volumeGroupSnapshotClassName must not be the empty string when set' },
          ],
        },
      },
    },
    status: {
      type: 'object',
      properties: {
        boundVolumeGroupSnapshotContentName: setOnce('boundVolumeGroupSnapshotContentName', text),
        creationTime: time,
        error,
        readyToUse: yesOrNo,
      },
    },
  },
};

const groupContentSchema: Schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['deletionPolicy', 'driver', 'source', 'volumeGroupSnapshotRef'],
      properties: {
        deletionPolicy: policy,
        driver: setOnce('driver', text),
        source: eitherOf(
          ['volumeHandles', texts],
          [
            'groupSnapshotHandles',
            {
              type: 'object',
              required: ['volumeGroupSnapshotHandle', 'volumeSnapshotHandles'],
              properties: { volumeGroupSnapshotHandle: text, volumeSnapshotHandles: texts },
            },
          ],
        ),
        volumeGroupSnapshotClassName: setOnce('volumeGroupSnapshotClassName', text),
        volumeGroupSnapshotRef: {
          ...reference,
          'x-kubernetes-validations': [
            {
              rule: 'has(self.name) && has(self.__namespace__)',
              message: 'both volumeGroupSnapshotRef.name and volumeGroupSnapshotRef.namespace must be set',
            },
            {
              rule: 'self.name == oldSelf.name && self.__namespace__ == oldSelf.__namespace__',
              message: 'volumeGroupSnapshotRef.name and volumeGroupSnapshotRef.namespace are immutable',
            },
            {
              rule: '!has(oldSelf.uid) || (has(self.uid) && self.uid == oldSelf.uid)',
              message: 'volumeGroupSnapshotRef.uid is immutable once set',
            },
          ],
        },
      },
    },
    status: {
      type: 'object',
      properties: {
        creationTime: time,
        error,
        readyToUse: yesOrNo,
        volumeGroupSnapshotHandle: setOnce('volumeGroupSnapshotHandle', text),
        volumeSnapshotInfoList: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              creationTime: whole,
              readyToUse: yesOrNo,
              restoreSize: whole,
              snapshotHandle: text,
              volumeHandle: text,
            },
          },
        },
      },
    },
  },
};

const groupClassSchema: Schema = {
  type: 'object',
  required: ['deletionPolicy', 'driver'],
  properties: {
    deletionPolicy: setOnce('deletionPolicy', policy),
    driver: setOnce('driver', text),
    parameters: setOnce('parameters', { type: 'object', additionalProperties: text }),
  },
};

const groupKinds: readonly Described[] = [
  {
    kind: 'VolumeGroupSnapshotClass',
    shortNames: ['vgsclass', 'vgsclasses'],
    scope: 'Cluster',
    schema: groupClassSchema,
    columns: [['Driver', '.driver', 'string'], ['DeletionPolicy', '.deletionPolicy', 'string'], age],
    approval: 1337,
  },
  {
    kind: 'VolumeGroupSnapshotContent',
    shortNames: ['vgsc', 'vgscs'],
    scope: 'Cluster',
    schema: groupContentSchema,
    columns: [
      ['ReadyToUse', '.status.readyToUse', 'boolean'],
      ['DeletionPolicy', '.spec.deletionPolicy', 'string'],
      ['Driver', '.spec.driver', 'string'],
      ['VolumeGroupSnapshotClass', '.spec.volumeGroupSnapshotClassName', 'string'],
      ['VolumeGroupSnapshotNamespace', '.spec.volumeGroupSnapshotRef.namespace', 'string'],
      ['VolumeGroupSnapshot', '.spec.volumeGroupSnapshotRef.name', 'string'],
      age,
    ],
    approval: 1337,
  },
  {
    kind: 'VolumeGroupSnapshot',
    shortNames: ['vgs'],
    scope: 'Namespaced',
    schema: groupSchema,
    columns: [
      ['ReadyToUse', '.status.readyToUse', 'boolean'],
      ['VolumeGroupSnapshotClass', '.spec.volumeGroupSnapshotClassName', 'string'],
      ['VolumeGroupSnapshotContent', '.status.boundVolumeGroupSnapshotContentName', 'string'],
      ['CreationTime', '.status.creationTime', 'date'],
      age,
    ],
    approval: 1337,
  },
];

/** The definitions of the kinds of groups of snapshots. As upstream, they are stored as v1beta2, which has the same fields as v1. */
export const groupSnapshotDefinitions: readonly Definition[] = groupKinds.map((each) =>
  definitionOf(each, { group: GROUP_SNAPSHOT_GROUP, versions: ['v1', 'v1beta2'] }),
);
