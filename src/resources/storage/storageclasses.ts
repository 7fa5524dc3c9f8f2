import {
  asJson,
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  qualifiedNameProblems,
  required,
  sentEmpty,
  tooLong,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { TopologySelectorTerm } from '../../api/types/core/v1.d.ts';
import type { StorageClass, VolumeAttributesClass } from '../../api/types/storage/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { ageColumn, column, nameColumn } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import { firstIndexes } from '../first-indexes.ts';

const GROUP = 'storage.k8s.io';

/** Storage classes, and attributes classes of volumes. */
export const storageClasses = defineKind<StorageClass>({
  changeSteps: ['metadata', 'object', 'metadataChange', 'change'],
  group: GROUP,
  plural: 'storageclasses',
  columns: [
    {
      ...nameColumn,
      value: ({ metadata }) => {
        const isDefault = DEFAULT_CLASS.some((annotation) => metadata?.annotations?.[annotation] === 'true');
        return `${metadata?.name ?? ''}${isDefault ? ' (default)' : ''}`;
      },
    },
    column('Provisioner', 'Who makes the volumes', ({ provisioner }) => provisioner),
    column(
      'ReclaimPolicy',
      'What becomes of volumes without their claim',
      ({ reclaimPolicy = 'Delete' }) => reclaimPolicy,
    ),
    column(
      'VolumeBindingMode',
      'When volumes are made and bound',
      ({ volumeBindingMode = 'Immediate' }) => volumeBindingMode,
    ),
    column(
      'AllowVolumeExpansion',
      'Whether volumes can grow',
      ({ allowVolumeExpansion = false }) => allowVolumeExpansion,
    ),
    ageColumn,
  ],
  returnsDeletedObject: true,
  ownRulesFor: ['allowedTopologies.matchLabelExpressions.key'],
  validate: checkStorageClass,
  validateChange: checkStorageClassUpdate,
});

const FIXED = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const;

/** Fields that may not change, in the order of upstream's checks. */
function checkStorageClassUpdate(object: Whole<StorageClass>, old: Whole<StorageClass>): FieldError[] {
  return FIXED.flatMap((name) => {
    if (deepEqual(object[name], old[name])) return [];
    const now = object[name] ?? sentEmpty(object, name);
    const isNamed = typeof now === 'string' && name !== 'provisioner';
    return [invalidValue(name, isNamed ? asJson(now) : now, 'field is immutable')];
  });
}

export const volumeAttributesClasses = defineKind<VolumeAttributesClass>({
  changeSteps: ['metadataChange', 'change', 'metadata', 'object'],
  group: GROUP,
  plural: 'volumeattributesclasses',
  announcedVersions: ['v1beta1@..1.35'],
  columns: [
    nameColumn,
    column('DriverName', 'Driver that knows the attributes', ({ driverName }) => driverName),
    ageColumn,
  ],
  deprecations: {
    v1beta1:
      'storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, unavailable in v1.37+; ' +
      'use storage.k8s.io/v1 VolumeAttributesClass',
  },
  returnsDeletedObject: true,
  validate: checkAttributesClass,
  validateChange: checkAttributesClassUpdate,
});

/** A qualified name in any case of letters, which messages quote in lower case. */
function checkProvisioner(name: string | undefined, field: string): FieldError[] {
  const lower = (name ?? '').toLowerCase();
  if (lower === '') return [];
  return qualifiedNameProblems(lower).map((problem) => invalidValue(field, lower, problem));
}

function checkAttributesClass({ driverName, parameters = {} }: VolumeAttributesClass): FieldError[] {
  return [
    ...checkProvisioner(driverName, 'driverName'),
    ...checkParameters(parameters, 'parameters', { mayBeEmpty: false }),
  ];
}

function checkAttributesClassUpdate(object: VolumeAttributesClass, old: VolumeAttributesClass): FieldError[] {
  const errors: FieldError[] = [];
  if (object.driverName !== old.driverName) {
    errors.push(forbiddenField('driverName', 'updates to driverName are forbidden.'));
  }
  if (!deepEqual(object.parameters ?? {}, old.parameters ?? {})) {
    errors.push(forbiddenField('parameters', 'updates to parameters are forbidden.'));
  }
  return errors;
}

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;

/** The limits of driver parameters: number and total size. */
function checkParameters(
  parameters: Readonly<Record<string, string>>,
  field: string,
  options: { readonly mayBeEmpty: boolean },
): FieldError[] {
  const names = Object.keys(parameters);
  if (names.length > MAX_PARAMETERS) return [tooLong(field, MAX_PARAMETERS)];
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const name of names) {
    if (name === '') errors.push(invalidValue(field, name, 'field can not be empty.'));
    bytes += Buffer.byteLength(name) + Buffer.byteLength(parameters[name] ?? '');
  }
  if (bytes > MAX_PARAMETER_BYTES) errors.push(tooLong(field, MAX_PARAMETER_BYTES));
  if (!options.mayBeEmpty && names.length === 0) {
    errors.push(required(field, 'must contain at least one key/value pair'));
  }
  return errors;
}

const RECLAIM_POLICIES: readonly string[] = ['Delete', 'Retain'];

function checkStorageClass(storageClass: StorageClass): FieldError[] {
  const { parameters = {}, allowedTopologies = [] } = storageClass;
  const reclaimPolicy: string = storageClass.reclaimPolicy ?? '';
  const errors = [
    ...checkProvisioner(storageClass.provisioner, 'provisioner'),
    ...checkParameters(parameters, 'parameters', { mayBeEmpty: true }),
  ];
  if (reclaimPolicy !== '' && !RECLAIM_POLICIES.includes(reclaimPolicy)) {
    errors.push(notSupported('reclaimPolicy', reclaimPolicy, RECLAIM_POLICIES));
  }
  const seen: unknown[] = [];
  return [
    ...errors,
    ...allowedTopologies.flatMap((term, index) => {
      const field = `allowedTopologies[${index}]`;
      const choice = choiceOf(term);
      // Upstream begins its list with an empty one for each term.
      const repeats = seen.filter((other) => deepEqual(other, choice)).length;
      const empties = Object.keys(choice).length === 0 ? allowedTopologies.length : 0;
      seen.push(choice);
      return [
        ...checkTopology(term, field),
        ...Array.from({ length: repeats + empties }, () => duplicate(`${field}.matchLabelExpressions`, '')),
      ];
    }),
  ];
}

/** The values that a term allows, by label. */
function choiceOf({ matchLabelExpressions = [] }: TopologySelectorTerm): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    matchLabelExpressions.map(({ key = '', values }) => [key, [...new Set(values ?? [])].sort()]),
  );
}

function checkTopology({ matchLabelExpressions = [] }: TopologySelectorTerm, field: string): FieldError[] {
  const keys = new Set<string>();
  return matchLabelExpressions.flatMap(({ key, values }, index) => {
    const at = `${field}.matchLabelExpressions[${index}]`;
    const all = values ?? [];
    const errors = all.length === 0 ? [required(`${at}.values`)] : [];
    const first = firstIndexes(all);
    for (const [place, value] of all.entries()) {
      if (first.get(value) !== place) errors.push(duplicate(`${at}.values[${place}]`, value));
    }
    for (const problem of qualifiedNameProblems(key)) errors.push(invalidValue(`${at}.key`, key, problem));
    if (keys.has(key)) errors.push(duplicate(`${at}.key`, key));
    keys.add(key);
    return errors;
  });
}
