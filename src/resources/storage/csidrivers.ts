import {
  dns1123SubdomainProblems,
  duplicate,
  forbiddenField,
  invalidValue,
  qualifiedNameProblems,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  TokenRequest,
  VolumeAttachment,
} from '../../api/types/storage/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { changes } from '../change.ts';
import { ageColumn, boolean, column, each, integer, nameColumn, NONE, orElse, UNSET } from '../columns/column.ts';
import { amount, roundToMilli } from '../core/resource-list.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';

export const csiDrivers = defineKind<CSIDriver>({
  group: 'storage.k8s.io',
  plural: 'csidrivers',
  columns: [
    nameColumn,
    boolean(
      'AttachRequired',
      'Whether volumes must be attached before they are mounted',
      ({ spec }) => spec?.attachRequired ?? true,
    ),
    boolean(
      'PodInfoOnMount',
      'Whether the driver gets information about the pod',
      ({ spec }) => spec?.podInfoOnMount ?? false,
    ),
    boolean(
      'StorageCapacity',
      'Whether the driver publishes its capacity',
      ({ spec }) => spec?.storageCapacity ?? false,
    ),
    column('TokenRequests', 'Audiences of the tokens that the driver gets', tokenRequests),
    boolean(
      'RequiresRepublish',
      'Whether volumes are published again and again',
      ({ spec }) => spec?.requiresRepublish ?? false,
    ),
    column('Modes', 'Kinds of volumes it supports', ({ spec }) =>
      orElse(each(spec?.volumeLifecycleModes).join(','), NONE),
    ),
    ageColumn,
  ],
  requiresResourceVersion: true,
  returnsDeletedObject: true,
  generationStarts: 'onUpdate',
  raisesGeneration: changes('spec'),
  ownRulesFor: ['spec.tokenRequests.expirationSeconds', 'spec.tokenRequests.audience'], // an empty audience is the API server

  prepareForCreate(driver) {
    dropGatedFields(driver, undefined);
  },

  prepareForUpdate(driver, old) {
    dropGatedFields(driver, old);
  },

  validate: checkDriver,

  warnings({ spec }, old) {
    const asks = each(spec.tokenRequests).length > 0 && !deepEqual(spec.tokenRequests, old?.spec.tokenRequests);
    return asks && spec.serviceAccountTokenInSecrets === undefined ? [TOKENS_IN_ATTRIBUTES] : [];
  },
});

const TOKENS_IN_ATTRIBUTES =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

/** Drops the field that makes scheduling wait for a driver: its feature is off by default. */
function dropGatedFields(driver: Whole<CSIDriver>, old: Whole<CSIDriver> | undefined): void {
  if (driver.spec.preventPodSchedulingIfMissing === undefined) return;
  if (old?.spec.preventPodSchedulingIfMissing !== undefined) return;
  const { preventPodSchedulingIfMissing: _, ...spec } = driver.spec;
  driver.spec = spec;
}

function tokenRequests({ spec }: CSIDriver): string {
  if (spec?.tokenRequests === undefined) return UNSET;
  return spec.tokenRequests.map(({ audience }) => audience).join(',');
}

const GROUP = 'storage.k8s.io';

/** The kinds that storage drivers and their controllers share: nodes, capacities, attachments. */
export const csiNodes = defineKind<CSINode>({
  group: GROUP,
  plural: 'csinodes',
  columns: [
    nameColumn,
    integer('Drivers', 'How many CSI drivers the node has', ({ spec }) => each(spec?.drivers).length),
    ageColumn,
  ],
  ownRulesFor: ['spec.drivers', 'spec.drivers.topologyKeys'], // a node may have none
  requiresResourceVersion: true,
  returnsDeletedObject: true,
  validate: checkCsiNode,
});

export const csiStorageCapacities = defineKind<CSIStorageCapacity>({
  group: GROUP,
  plural: 'csistoragecapacities',
  requiresResourceVersion: true,
  ownRulesFor: ['storageClassName'],
  validate: checkCapacity,
});

export const volumeAttachments = defineKind<VolumeAttachment>({
  group: GROUP,
  plural: 'volumeattachments',
  columns: [
    nameColumn,
    {
      ...column('Attacher', 'Driver that attaches the volume', ({ spec }) => spec?.attacher ?? ''),
      format: 'name',
    },
    column('PV', 'The volume', ({ spec }) => spec?.source?.persistentVolumeName ?? ''),
    column('Node', 'Node that it is attached to', ({ spec }) => spec?.nodeName ?? ''),
    boolean('Attached', 'Whether it is attached now', ({ status }) => status?.attached ?? false),
    ageColumn,
  ],
  requiresResourceVersion: true,
  returnsDeletedObject: true,
  statusMetadata: 'owned',
  ownRulesFor: ['spec.nodeName'],

  applyDefaults({ spec }) {
    roundToMilli(spec.source.inlineVolumeSpec?.capacity);
  },

  validate: checkAttachment,
  validateUpdate: () => [], // only the status may change
});

const MIN_EXPIRATION = 600;
const MAX_EXPIRATION = 2 ** 32;

function checkDriver({ spec }: Whole<CSIDriver>): FieldError[] {
  const { tokenRequests = [], serviceAccountTokenInSecrets: inSecrets } = spec;
  if (inSecrets === undefined || tokenRequests.length > 0) return checkTokenRequests(tokenRequests);
  const problem = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
  return [invalidValue('spec.serviceAccountTokenInSecrets', inSecrets, problem)];
}

/** A driver may request one token for each audience. */
function checkTokenRequests(requests: readonly TokenRequest[]): FieldError[] {
  const audiences = new Set<string>();
  return requests.flatMap(({ audience, expirationSeconds }, index) => {
    const field = `spec.tokenRequests[${index}]`;
    if (audiences.has(audience)) return [duplicate(`${field}.audience`, audience)];
    audiences.add(audience);
    if (expirationSeconds === undefined) return [];
    const say = (which: string): FieldError[] => [
      invalidValue(`${field}.expirationSeconds`, expirationSeconds, `may not specify a duration ${which}`),
    ];
    if (expirationSeconds < MIN_EXPIRATION) return say('less than 10 minutes');
    return expirationSeconds > MAX_EXPIRATION ? say('larger than 2^32 seconds') : [];
  });
}

/** The drivers of a node must be unique, with valid topology keys. */
function checkCsiNode({ spec }: Whole<CSINode>): FieldError[] {
  const names = new Set<string>();
  return (spec.drivers ?? []).flatMap(({ name, topologyKeys }, index) => {
    const field = `spec.drivers[${index}]`;
    const errors = names.has(name) ? [duplicate(`${field}.name`, name)] : [];
    names.add(name);
    const keys = new Set<string>();
    for (const key of topologyKeys ?? []) {
      if (key === '') errors.push(required(field));
      if (keys.has(key)) errors.push(duplicate(field, key));
      keys.add(key);
      for (const problem of qualifiedNameProblems(key)) errors.push(invalidValue(field, key, problem));
    }
    return errors;
  });
}

function checkCapacity({ nodeTopology, storageClassName, capacity }: CSIStorageCapacity): FieldError[] {
  const errors = checkLabelSelector(nodeTopology, 'nodeTopology');
  for (const problem of dns1123SubdomainProblems(storageClassName)) {
    errors.push(invalidValue('storageClassName', storageClassName, problem));
  }
  if (capacity !== undefined && amount(capacity).sign < 0) {
    errors.push(invalidValue('capacity', capacity, 'must be greater than or equal to 0'));
  }
  return errors;
}

/** An attachment has either a volume name or an inline volume. */
function checkAttachment({ spec }: Whole<VolumeAttachment>): FieldError[] {
  const { inlineVolumeSpec, persistentVolumeName } = spec.source;
  const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  const errors: FieldError[] = [];
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) {
    errors.push(required('spec.source', detail));
  } else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) {
    errors.push(forbiddenField('spec.source', detail));
  } else if (persistentVolumeName === '') {
    errors.push(required('spec.source.persistentVolumeName', 'must specify non empty persistentVolumeName'));
  }
  for (const problem of dns1123SubdomainProblems(spec.nodeName)) {
    errors.push(invalidValue('spec.nodeName', spec.nodeName, problem));
  }
  return errors;
}
