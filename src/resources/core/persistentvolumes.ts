import {
  dns1123SubdomainProblems,
  forbiddenField,
  formatTime,
  instantOfMillis,
  invalidValue,
  notSupported,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { PersistentVolume, PersistentVolumeSpec } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { ageColumn, column, nameColumn } from '../columns/column.ts';
import {
  attributesClassColumn,
  shortModes,
  statusColumn,
  storageClassColumn,
  volumeModeColumn,
} from '../columns/volume-columns.ts';
import { defineKind, type Whole } from '../kind.ts';
import { unifiedDiff } from '../unified-diff.ts';
import { checkAccessModes } from './persistentvolumeclaim-rules.ts';
import { amount, roundToMilli } from './resource-list.ts';

export const persistentVolumes = defineKind<PersistentVolume>({
  group: '',
  plural: 'persistentvolumes',
  columns: [
    nameColumn,
    column('Capacity', 'Size of the volume', ({ spec }) => spec?.capacity?.['storage'] ?? '0'),
    column('Access Modes', 'How it can be mounted', ({ spec }) => shortModes(spec?.accessModes)),
    column(
      'Reclaim Policy',
      'What becomes of it without its claim',
      ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '',
    ),
    statusColumn,
    column('Claim', 'Claim that it is bound to', claimOf),
    storageClassColumn,
    attributesClassColumn,
    column('Reason', 'Why it is as it is', ({ status }) => status?.reason ?? ''),
    ageColumn,
    volumeModeColumn,
  ],
  returnsDeletedObject: true,

  applyDefaults({ spec }) {
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    roundToMilli(spec.capacity);
  },

  prepareForCreate(volume, { now }) {
    volume.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(instantOfMillis(now)) };
  },

  /** Records the time of a phase change, unless the writer does. */
  prepareForStatusUpdate(volume, old, { now }) {
    const { phase, lastPhaseTransitionTime: at } = volume.status;
    const was = old.status;
    if (phase === was.phase) {
      if (at === undefined) volume.status = { ...volume.status, lastPhaseTransitionTime: was.lastPhaseTransitionTime };
    } else if (at === undefined || at === was.lastPhaseTransitionTime) {
      volume.status = { ...volume.status, lastPhaseTransitionTime: formatTime(instantOfMillis(now)) };
    }
  },

  validate: checkPersistentVolume,
  validateUpdate: checkPersistentVolumeUpdate,
  warnings: persistentVolumeWarnings,
});

/** The volume sources, in the order in which upstream checks them. */
const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const satisfies readonly (keyof PersistentVolumeSpec)[];

function checkPersistentVolume({ spec }: Whole<PersistentVolume>): FieldError[] {
  const given = SOURCES.filter((name) => spec[name] !== undefined);
  const errors = [
    ...((spec.accessModes ?? []).length === 0 ? [required('spec.accessModes')] : []),
    ...checkAccessModes(spec.accessModes ?? [], 'spec.accessModes'),
    ...checkCapacity(spec),
    ...given
      .slice(1)
      .map((name) =>
        forbiddenField(`spec.${name === 'cephfs' ? 'cephFS' : name}`, 'may not specify more than 1 volume type'),
      ),
  ];
  if (spec.local !== undefined && spec.nodeAffinity?.required === undefined) {
    errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'));
  }
  if (given.length === 0) errors.push(required('spec', 'must specify a volume type'));
  const isRoot = spec.hostPath !== undefined && /^\/+(\.\/*)*$/.test(spec.hostPath.path);
  if (isRoot && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const detail = "may not be 'recycle' for a hostPath mount of '/'";
    errors.push(forbiddenField('spec.persistentVolumeReclaimPolicy', detail));
  }
  return [...errors, ...checkAttributesClass(spec)];
}

function checkCapacity({ capacity = {} }: PersistentVolumeSpec): FieldError[] {
  const field = 'spec.capacity';
  const names = Object.keys(capacity);
  const errors = names.length === 0 ? [required(field)] : [];
  if (names.length !== 1 || names[0] !== 'storage') errors.push(notSupported(field, printed(capacity), ['storage']));
  for (const [name, text] of Object.entries(capacity)) {
    const quantity = amount(text);
    if (quantity.sign < 0) {
      errors.push(invalidValue(`${field}[${name}]`, quantity.value(), 'must be a valid resource quantity'));
    }
    if (quantity.sign <= 0) errors.push(invalidValue(`${field}[${name}]`, text, 'must be greater than zero'));
  }
  return errors;
}

function printed(capacity: Readonly<Record<string, string>>): unknown {
  return Object.keys(capacity).length === 0 ? null : capacity;
}

function checkAttributesClass({ volumeAttributesClassName: name, csi }: PersistentVolumeSpec): FieldError[] {
  if (name === undefined) return [];
  const field = 'spec.volumeAttributesClassName';
  return [
    ...(name === '' ? [required(field, 'an empty string is disallowed')] : []),
    ...(name === '' ? [] : dns1123SubdomainProblems(name).map((problem) => invalidValue(field, name, problem))),
    ...(csi === undefined ? [required('spec.csi', 'has to be specified when using volumeAttributesClassName')] : []),
  ];
}

/** The source of a volume is immutable; a secret for expanding it may be added. */
function checkPersistentVolumeUpdate(volume: Whole<PersistentVolume>, old: Whole<PersistentVolume>): FieldError[] {
  const errors = checkPersistentVolume(volume);
  const now = sourceOf(volume.spec);
  const was = sourceOf(old.spec);
  if (now.csi !== undefined && was.csi !== undefined && was.csi.controllerExpandSecretRef === undefined) {
    now.csi = { ...now.csi, controllerExpandSecretRef: undefined };
  }
  if (!deepEqual(now, was)) {
    const detail = `spec.persistentvolumesource is immutable after creation\n${unifiedDiff(was, now)}`;
    errors.push(forbiddenField('spec.persistentvolumesource', detail));
  }
  if (volume.spec.volumeMode !== old.spec.volumeMode) {
    errors.push(invalidValue('volumeMode', volume.spec.volumeMode ?? null, 'field is immutable'));
  }
  if (old.spec.nodeAffinity !== undefined && !deepEqual(volume.spec.nodeAffinity, old.spec.nodeAffinity)) {
    errors.push(invalidValue('nodeAffinity', volume.spec.nodeAffinity ?? null, 'field is immutable'));
  }
  if (old.spec.volumeAttributesClassName !== undefined && volume.spec.volumeAttributesClassName === undefined) {
    const detail = 'update from non-nil value to nil is forbidden';
    errors.push(forbiddenField('spec.volumeAttributesClassName', detail));
  }
  return errors;
}

function sourceOf(spec: PersistentVolumeSpec): Partial<PersistentVolumeSpec> {
  return Object.fromEntries(SOURCES.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])));
}

const ANNOTATIONS: Readonly<Record<string, string>> = {
  'volume.beta.kubernetes.io/storage-class': 'deprecated since v1.8; use "storageClassName" attribute instead',
  'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
};

const DEPRECATED_SOURCES: readonly (readonly [name: keyof PersistentVolumeSpec, shown: string, versions: string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function persistentVolumeWarnings({ metadata, spec }: Whole<PersistentVolume>): string[] {
  const warnings = Object.entries(ANNOTATIONS)
    .filter(([name]) => metadata.annotations?.[name] !== undefined)
    .map(([name, text]) => `metadata.annotations[${name}]: ${text}`);
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') {
    warnings.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ' +
        'Instead, the recommended approach is to use dynamic provisioning.',
    );
  }
  for (const [name, shown, versions] of DEPRECATED_SOURCES) {
    if (spec[name] !== undefined) warnings.push(`spec.${shown}: ${versions}`);
  }
  return warnings;
}

function claimOf({ spec }: PersistentVolume): string {
  const claim = spec?.claimRef;
  return claim === undefined ? '' : `${claim.namespace ?? ''}/${claim.name ?? ''}`;
}
