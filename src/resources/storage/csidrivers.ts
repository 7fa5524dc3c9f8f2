import {
  dns1123SubdomainProblems,
  duplicate,
  forbiddenField,
  internalForm,
  invalidValue,
  qualifiedNameProblems,
  required,
  tooLong,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  TokenRequest,
  VolumeAttachment,
  VolumeAttachmentSource,
  VolumeError,
} from '../../api/types/storage/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { changes } from '../change.ts';
import { ageColumn, boolean, column, each, integer, nameColumn, NONE, orElse, UNSET } from '../columns/column.ts';
import { amount, roundToMilli } from '../core/resource-list.ts';
import { checkInlineVolumeSpec } from '../core/persistentvolume-rules.ts';
import { checkDriverName } from '../core/volume-sources.ts';
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
  ownRulesFor: ['spec.attachRequired', 'spec.tokenRequests.expirationSeconds', 'spec.tokenRequests.audience'], // an empty audience is the API server

  /** The field is as upstream's message names it. */
  validateChange: ({ spec }, old) => [
    ...(spec.attachRequired === old.spec.attachRequired
      ? []
      : [invalidValue('spec.attachedRequired', spec.attachRequired ?? null, IMMUTABLE)]),
    ...(deepEqual(spec.volumeLifecycleModes, old.spec.volumeLifecycleModes)
      ? []
      : [invalidValue('spec.volumeLifecycleModes', spec.volumeLifecycleModes ?? null, IMMUTABLE)]),
  ],
  validate: checkDriver,

  warnings({ spec }, old) {
    const asks = each(spec.tokenRequests).length > 0 && !deepEqual(spec.tokenRequests, old?.spec.tokenRequests);
    return asks && spec.serviceAccountTokenInSecrets === undefined ? [TOKENS_IN_ATTRIBUTES] : [];
  },
});

const IMMUTABLE = 'field is immutable';

const TOKENS_IN_ATTRIBUTES =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

function tokenRequests({ spec }: CSIDriver): string {
  if (spec?.tokenRequests === undefined) return UNSET;
  return spec.tokenRequests.map(({ audience }) => audience).join(',');
}

const GROUP = 'storage.k8s.io';

/** The kinds that storage drivers and their controllers share: nodes, capacities, attachments. */
export const csiNodes = defineKind<CSINode>({
  changeSteps: ['metadata', 'object', 'change'],
  group: GROUP,
  plural: 'csinodes',
  columns: [
    nameColumn,
    integer('Drivers', 'How many CSI drivers the node has', ({ spec }) => each(spec?.drivers).length),
    ageColumn,
  ],
  requiresResourceVersion: true,
  returnsDeletedObject: true,
  validate: checkCsiNode,
  validateChange: checkCsiNodeChange,
});

export const csiStorageCapacities = defineKind<CSIStorageCapacity>({
  changeSteps: ['metadata', 'object', 'metadataChange', 'change'],
  group: GROUP,
  plural: 'csistoragecapacities',
  requiresResourceVersion: true,
  ownRulesFor: ['storageClassName'],
  validate: checkCapacity,
  validateChange: ({ storageClassName = '' }, old) =>
    storageClassName === (old.storageClassName ?? '')
      ? []
      : [invalidValue('storageClassName', storageClassName, 'field is immutable')],
});

export const volumeAttachments = defineKind<VolumeAttachment>({
  changeSteps: ['metadata', 'object', 'change'],
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

  applyDefaults({ spec }) {
    roundToMilli(spec.source.inlineVolumeSpec?.capacity);
  },

  validate: checkAttachment,
  validateStatus: checkAttachment,
  statusSteps: ['metadata', 'object', 'change'],
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

const MAX_NODE_ID = 256;

/** The drivers of a node must be unique, with valid topology keys. */
function checkCsiNode({ spec }: Whole<CSINode>): FieldError[] {
  const names = new Set<string>();
  return (spec.drivers ?? []).flatMap(({ name = '', nodeID = '', allocatable, topologyKeys }, index) => {
    const field = `spec.drivers[${index}]`;
    const count = allocatable?.count ?? 0;
    const errors = checkDriverName(name, `${field}.name`);
    if (nodeID === '') errors.push(required(`${field}.nodeID`));
    if (Buffer.byteLength(nodeID) > MAX_NODE_ID) {
      errors.push(invalidValue(`${field}.nodeID`, nodeID, `must be ${MAX_NODE_ID} characters or less`));
    }
    if (count < 0) {
      errors.push(invalidValue(`${field}.allocatable.count`, count, 'must be greater than or equal to 0'));
    }
    if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
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

/** What a driver has said of a node stays, but for how many volumes it can attach there. */
function checkCsiNodeChange({ spec }: Whole<CSINode>, old: Whole<CSINode>): FieldError[] {
  return (old.spec.drivers ?? []).flatMap((was) =>
    (spec.drivers ?? []).flatMap((driver) => {
      if (driver.name !== was.name) return [];
      const { allocatable: _1, ...now } = driver;
      const { allocatable: _2, ...before } = was;
      if (deepEqual(now, before)) return [];
      return [invalidValue('spec.drivers', internalForm(now, 'storage.v1.CSINodeDriver'), 'field is immutable')];
    }),
  );
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
function checkAttachment({ spec, status }: Whole<VolumeAttachment>): FieldError[] {
  const { attacher = '', nodeName = '', source = {} } = spec;
  const name = source.persistentVolumeName;
  const at = 'spec.source.persistentVolumeName';
  return [
    ...checkDriverName(attacher, 'spec.attacher'),
    ...checkAttachedSource(source, 'spec.source'),
    ...dns1123SubdomainProblems(nodeName).map((problem) => invalidValue('spec.nodeName', nodeName, problem)),
    ...checkVolumeError(status.attachError, 'status.attachError'),
    ...checkVolumeError(status.detachError, 'status.detachError'),
    ...(name === undefined ? [] : dns1123SubdomainProblems(name).map((problem) => invalidValue(at, name, problem))),
  ];
}

function checkAttachedSource(source: VolumeAttachmentSource, field: string): FieldError[] {
  const { inlineVolumeSpec, persistentVolumeName } = source;
  const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) return [required(field, detail)];
  if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) return [forbiddenField(field, detail)];
  if (inlineVolumeSpec !== undefined) return checkInlineVolumeSpec(inlineVolumeSpec, `${field}.inlineVolumeSpec`);
  if (persistentVolumeName !== '') return [];
  return [required(`${field}.persistentVolumeName`, 'must specify non empty persistentVolumeName')];
}

const MAX_MESSAGE = 1024;
const MAX_METADATA = 256 * 1024;

/** Upstream names the limit of the metadata for that of the message. */
function checkVolumeError(error: VolumeError | undefined, field: string): FieldError[] {
  const { message = '', errorCode = 0 } = error ?? {};
  const errors = Buffer.byteLength(message) > MAX_MESSAGE ? [tooLong(`${field}.message`, MAX_METADATA)] : [];
  if (errorCode >= 0) return errors;
  return [...errors, invalidValue(`${field}.errorCode`, errorCode, 'must be between 0 and 2147483647, inclusive')];
}
