import {
  forbiddenField,
  formatTime,
  instantOfMillis,
  internalForm,
  internalVolumeSource,
  invalidValue,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { NodeSelectorTerm, PersistentVolume, PersistentVolumeSpec } from '../../api/types/core/v1.d.ts';
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
import { checkVolumeSpec, SOURCE_NAMES } from './persistentvolume-rules.ts';
import { roundToMilli } from './resource-list.ts';

export const persistentVolumes = defineKind<PersistentVolume>({
  changeSteps: ['metadata', 'object', 'metadata', 'object', 'change'],
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
  validateChange: checkPersistentVolumeUpdate,
  warnings: persistentVolumeWarnings,
});

function checkPersistentVolume({ metadata, spec }: Whole<PersistentVolume>): FieldError[] {
  return checkVolumeSpec(spec, 'spec', metadata.name ?? '');
}

/** The source of a volume is immutable; a secret for expanding it may be added. */
function checkPersistentVolumeUpdate(volume: Whole<PersistentVolume>, old: Whole<PersistentVolume>): FieldError[] {
  const errors: FieldError[] = [];
  const now = sourceOf(volume.spec);
  const was = sourceOf(old.spec);
  if (now.csi !== undefined && was.csi !== undefined && was.csi.controllerExpandSecretRef === undefined) {
    now.csi = { ...now.csi, controllerExpandSecretRef: undefined };
  }
  if (!deepEqual(now, was)) {
    const detail = `spec.persistentvolumesource is immutable after creation\n${unifiedDiff(internalVolumeSource(was), internalVolumeSource(now))}`;
    errors.push(forbiddenField('spec.persistentvolumesource', detail));
  }
  if (volume.spec.volumeMode !== old.spec.volumeMode) {
    errors.push(invalidValue('volumeMode', volume.spec.volumeMode ?? null, 'field is immutable'));
  }
  if (old.spec.nodeAffinity !== undefined && !isSameAffinity(volume.spec.nodeAffinity, old.spec.nodeAffinity)) {
    errors.push(invalidValue('nodeAffinity', shownAffinity(volume.spec.nodeAffinity), FIXED_AFFINITY));
  }
  if (old.spec.volumeAttributesClassName !== undefined && volume.spec.volumeAttributesClassName === undefined) {
    const detail = 'update from non-nil value to nil is forbidden';
    errors.push(forbiddenField('spec.volumeAttributesClassName', detail));
  }
  return errors;
}

const FIXED_AFFINITY = 'field is immutable, except for updating from beta label to GA';

/** The labels that have a newer name. */
const NEWER_LABELS: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

type Affinity = PersistentVolumeSpec['nodeAffinity'];

/** Whether an affinity is the old one, but for labels that now have their newer name. Any other label may become empty. */
function isSameAffinity(now: Affinity, old: Affinity): boolean {
  const terms = now?.required?.nodeSelectorTerms ?? [];
  const renamed = (old?.required?.nodeSelectorTerms ?? []).map((term, index) => ({
    ...term,
    ...withKeysOf(terms[index], term, 'matchExpressions'),
    ...withKeysOf(terms[index], term, 'matchFields'),
  }));
  return deepEqual(now, old?.required === undefined ? old : { required: { nodeSelectorTerms: renamed } });
}

function withKeysOf(
  now: NodeSelectorTerm | undefined,
  old: NodeSelectorTerm,
  member: 'matchExpressions' | 'matchFields',
): Partial<NodeSelectorTerm> {
  if (old[member] === undefined) return {};
  const renamed = old[member].map((requirement, index) => {
    const key = now?.[member]?.[index]?.key ?? '';
    return (NEWER_LABELS[requirement.key] ?? '') === key ? { ...requirement, key } : requirement;
  });
  return { [member]: renamed };
}

function shownAffinity(affinity: PersistentVolumeSpec['nodeAffinity']): unknown {
  return affinity === undefined ? null : internalForm(affinity, 'core.v1.VolumeNodeAffinity');
}

function sourceOf(spec: PersistentVolumeSpec): Partial<PersistentVolumeSpec> {
  return Object.fromEntries(SOURCE_NAMES.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])));
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
