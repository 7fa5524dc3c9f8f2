import {
  asJson,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../api/index.ts';
import type {
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  HostPathVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  PersistentVolumeSpec,
  QuobyteVolumeSource,
  Volume,
} from '../../api/types/core/v1.d.ts';
import { checkNoBacksteps } from './path-rules.ts';

/** A secret of the same namespace, or, for persistent volumes, of any. */
interface Secret {
  readonly name?: string;
  readonly namespace?: string;
}

/** The problems of one source of a volume. */
export type SourceCheck<S> = (source: S, field: string) => readonly FieldError[];

/** The check of each source, by its name, in upstream's order, with the words that upstream has for its path. */
export interface SourceRule<S> {
  readonly name: keyof S & string;
  /** Its path in problems of its fields. */
  readonly path?: string;
  /** Its path when it is one source too many. */
  readonly extra?: string;
  /** Whether it is also checked as one source too many, and not refused, as by a fault of upstream. */
  readonly isNeverExtra?: boolean;
  readonly check?: SourceCheck<never>;
}

/** A source that has these fields has them in every place. */
export function needs(...fields: readonly string[]): SourceCheck<object> {
  return (source, field) => fields.flatMap((name) => missingText(source, name, field));
}

function missingText(source: object, name: string, field: string): readonly FieldError[] {
  const value: unknown = (source as Readonly<Record<string, unknown>>)[name] ?? '';
  return value === '' || (Array.isArray(value) && value.length === 0) ? [required(`${field}.${name}`)] : [];
}

/** All problems of the sources of a volume: only the first is checked, the others are too many. */
export function checkSources<S extends object>(
  volume: S,
  field: string,
  rules: readonly SourceRule<S>[],
): { readonly errors: readonly FieldError[]; readonly count: number } {
  const given = rules.filter(({ name }) => volume[name] !== undefined);
  const errors = given.flatMap(({ name, path = name, extra = name, isNeverExtra = false, check }, index) => {
    if (index > 0 && !isNeverExtra)
      return [forbiddenField(`${field}.${extra}`, 'may not specify more than 1 volume type')];
    return check?.(volume[name] as never, `${field}.${path}`) ?? [];
  });
  return { errors, count: given.length };
}

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function checkHostPath({ path = '', type }: HostPathVolumeSource, field: string): FieldError[] {
  if (path === '') return [required(`${field}.path`)];
  const isKnown = type === undefined || HOST_PATH_TYPES.includes(type);
  return [
    ...checkNoBacksteps(path, `${field}.path`),
    ...(isKnown ? [] : [notSupported(`${field}.type`, asJson(type ?? ''), HOST_PATH_TYPES)]),
  ];
}

const PARTITION = 'must be between 1 and 255, inclusive';
const MAX_PARTITION = 255;

function checkPartition({ partition = 0 }: { readonly partition?: number }, field: string): FieldError[] {
  return partition < 0 || partition > MAX_PARTITION ? [invalidValue(`${field}.partition`, partition, PARTITION)] : [];
}

function checkNfs(nfs: NFSVolumeSource, field: string): FieldError[] {
  const { path = '' } = nfs;
  const isAbsolute = path.startsWith('/');
  return [
    ...needs('server', 'path')(nfs, field),
    ...(isAbsolute ? [] : [invalidValue(`${field}.path`, path, 'must be an absolute path')]),
  ];
}

const ISCSI_NAMES: readonly (readonly [start: string, pattern: RegExp])[] = [
  ['iqn', /iqn\.\d{4}-\d{2}\.([\dA-Za-z\-.]+)(:[^,;*&$|\t\n\f\r ]+)$/],
  ['eui', /^eui.[\dA-Za-z]{16}$/],
  ['naa', /^naa.[\dA-Za-z]{32}$/],
];
const MAX_LUN = 255;
const LUN = 'must be between 0 and 255, inclusive';
const MAX_INITIATOR = 64;
const INITIATOR =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

/** A persistent volume and a pod's volume differ in words, and in where the length of names is checked. */
function checkIscsi(
  iscsi: ISCSIVolumeSource & { readonly secretRef?: Secret },
  field: string,
  inPod: boolean,
): FieldError[] {
  const { iqn = '', lun = 0, chapAuthDiscovery, chapAuthSession, secretRef, initiatorName } = iscsi;
  const unknown = inPod ? 'must be valid format starting with iqn, eui, or naa' : 'must be valid format';
  const isSigned = chapAuthDiscovery === true || chapAuthSession === true;
  return [
    ...(iqn === '' ? [required(`${field}.iqn`)] : checkIscsiName(iqn, `${field}.iqn`, unknown)),
    ...(lun < 0 || lun > MAX_LUN ? [invalidValue(`${field}.lun`, lun, LUN)] : []),
    ...(isSigned && secretRef === undefined ? [required(`${field}.secretRef`)] : []),
    ...(!inPod && secretRef !== undefined ? needs('name')(secretRef, `${field}.secretRef`) : []),
    ...(initiatorName === undefined ? [] : checkIscsiName(initiatorName, `${field}.initiatorname`, unknown)),
  ];
}

function checkIscsiName(name: string, field: string, unknown: string): FieldError[] {
  const pattern = ISCSI_NAMES.find(([start]) => name.startsWith(start))?.[1];
  if (pattern === undefined) return [invalidValue(field, name, unknown)];
  return pattern.test(name) ? [] : [invalidValue(field, name, 'must be valid format')];
}

/** Whether the names of a volume and of its portal are too long for an initiator of one's own. */
function isInitiatorTooLong({ initiatorName, targetPortal }: ISCSIVolumeSource, name: string): boolean {
  return initiatorName !== undefined && Buffer.byteLength(`${name}:${targetPortal}`) > MAX_INITIATOR;
}

function checkFc({ targetWWNs = [], wwids = [], lun }: FCVolumeSource, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const at = `${field}.targetWWNs`;
  if (targetWWNs.length === 0 && wwids.length === 0) {
    errors.push(required(at, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targetWWNs.length === 0) return errors;
  if (wwids.length > 0) {
    errors.push(invalidValue(at, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (lun === undefined) errors.push(required(`${field}.lun`, 'lun is required if targetWWNs is specified'));
  else if (lun < 0 || lun > MAX_LUN) errors.push(invalidValue(`${field}.lun`, lun, LUN));
  return errors;
}

const PAIRS = 'must be a host:port pair or multiple pairs separated by commas';
const MAX_TENANT = 64;

function checkQuobyte(quobyte: QuobyteVolumeSource, field: string): FieldError[] {
  const { registry = '', tenant = '' } = quobyte;
  const errors: FieldError[] = [];
  if (registry === '') errors.push(required(`${field}.registry`, PAIRS));
  else if (Buffer.byteLength(tenant) > MAX_TENANT) {
    errors.push(required(`${field}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'));
  } else {
    const wrong = registry.split(',').filter((pair) => !isHostAndPort(pair));
    errors.push(...wrong.map(() => invalidValue(`${field}.registry`, registry, PAIRS)));
  }
  return [...errors, ...needs('volume')(quobyte, field)];
}

/** What Go's net.SplitHostPort takes: one colon outside brackets. */
function isHostAndPort(pair: string): boolean {
  return /^([^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(pair);
}

function checkFlocker({ datasetName = '', datasetUUID = '' }: FlockerVolumeSource, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (datasetName === '' && datasetUUID === '') {
    errors.push(required(field, 'one of datasetName and datasetUUID is required'));
  }
  if (datasetName !== '' && datasetUUID !== '') {
    const detail = 'datasetName and datasetUUID can not be specified simultaneously';
    errors.push(invalidValue(field, 'resource', detail));
  }
  if (datasetName.includes('/')) errors.push(invalidValue(`${field}.datasetName`, datasetName, "must not contain '/'"));
  return errors;
}

function checkFlex(
  { options = {} }: { readonly options?: Readonly<Record<string, string>> },
  field: string,
): FieldError[] {
  return Object.keys(options).flatMap((key) => {
    const isReserved = /\.(kubernetes|k8s)\.io$/.test(`.${(key.split('/')[0] ?? '').toLowerCase()}`);
    if (!isReserved) return [];
    return [invalidValue(`${field}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved')];
  });
}

const CACHING = ['None', 'ReadOnly', 'ReadWrite'];
const DISKS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

function checkAzureDisk(disk: AzureDiskVolumeSource, field: string): FieldError[] {
  const { cachingMode, kind, diskURI = '' } = disk;
  const errors = [...needs('diskName', 'diskURI')(disk, field)];
  if (cachingMode !== undefined && !CACHING.includes(cachingMode)) {
    errors.push(notSupported(`${field}.cachingMode`, asJson(cachingMode ?? ''), CACHING));
  }
  if (kind === undefined) return errors;
  if (!DISKS.includes(kind)) errors.push(notSupported(`${field}.kind`, asJson(kind ?? ''), DISKS));
  const isManaged = kind === 'Managed';
  if (diskURI.startsWith(isManaged ? '/subscriptions/' : 'https://')) return errors;
  return [...errors, notSupported(`${field}.diskURI`, diskURI, [isManaged ? MANAGED_URI : BLOB_URI])];
}

interface StorageOs {
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
  readonly secretRef?: Secret;
}

function checkStorageOs(source: StorageOs, field: string, secret: SourceCheck<object>): FieldError[] {
  const { volumeName = '', volumeNamespace = '', secretRef } = source;
  return [
    ...(volumeName === '' ? [required(`${field}.volumeName`)] : checkLabel(volumeName, `${field}.volumeName`)),
    ...(volumeNamespace === '' ? [] : checkLabel(volumeNamespace, `${field}.volumeNamespace`)),
    ...(secretRef === undefined ? [] : secret(secretRef, `${field}.secretRef`)),
  ];
}

function checkLabel(name: string, field: string): FieldError[] {
  return dns1123LabelProblems(name).map((problem) => invalidValue(field, name, problem));
}

function checkCinder(
  source: { readonly secretRef?: Secret },
  field: string,
  secret: SourceCheck<object>,
): readonly FieldError[] {
  const { secretRef } = source;
  const errors = needs('volumeID')(source, field);
  return secretRef === undefined ? errors : [...errors, ...secret(secretRef, `${field}.secretRef`)];
}

/** All the checks in turn. */
function each(...checks: readonly SourceCheck<never>[]): SourceCheck<never> {
  return (source, field) => checks.flatMap((check) => check(source, field));
}

const needsName = needs('name');
const needsNameAndNamespace = needs('name', 'namespace');

/** The checks that pods and persistent volumes share. */
export const shared = {
  hostPath: checkHostPath,
  gcePersistentDisk: each(needs('pdName'), checkPartition),
  awsElasticBlockStore: each(needs('volumeID'), checkPartition),
  glusterfs: needs('endpoints', 'path'),
  flocker: checkFlocker,
  nfs: checkNfs,
  rbd: needs('monitors', 'image'),
  quobyte: checkQuobyte,
  cephfs: needs('monitors'),
  fc: checkFc,
  flexVolume: each(needs('driver'), checkFlex),
  azureFile: needs('secretName', 'shareName'),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk: checkAzureDisk,
  scaleIO: needs('gateway', 'system', 'volumeName'),
} satisfies Partial<Record<keyof Volume & keyof PersistentVolumeSpec, SourceCheck<never>>>;

/** The problem of a pod's volume whose name is too long for its initiator; reported at the name. */
export function checkInitiatorOfPod({ name, iscsi }: Volume, field: string): FieldError[] {
  if (iscsi === undefined || !isInitiatorTooLong(iscsi, name ?? '')) return [];
  return [invalidValue(`${field}.name`, name ?? '', INITIATOR)];
}

/** The checks of sources that differ between pods and persistent volumes. */
export const ofPod = {
  iscsi: (source: ISCSIVolumeSource, field: string) => [
    ...needs('targetPortal')(source, field),
    ...checkIscsi(source, field, true),
  ],
  cinder: (source: { readonly secretRef?: Secret }, field: string) => checkCinder(source, field, needsName),
  storageos: (source: StorageOs, field: string) => checkStorageOs(source, field, needsName),
};

export const ofPersistentVolume = {
  iscsi:
    (name: string): SourceCheck<ISCSIVolumeSource> =>
    (source, field) => [
      ...needs('targetPortal')(source, field),
      ...(isInitiatorTooLong(source, name)
        ? [invalidValue(`${field}.targetportal`, source.targetPortal, INITIATOR)]
        : []),
      ...checkIscsi(source, field, false),
    ],
  cinder: (source: { readonly secretRef?: Secret }, field: string) => checkCinder(source, field, needsNameAndNamespace),
  storageos: (source: StorageOs, field: string) => checkStorageOs(source, field, needsNameAndNamespace),
};

const MAX_DRIVER = 63;

/** The name of a CSI driver: a subdomain in any case of letters. */
export function checkDriverName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  return [
    ...(Buffer.byteLength(name) > MAX_DRIVER ? [tooLong(field, MAX_DRIVER)] : []),
    ...dns1123SubdomainProblems(name.toLowerCase()).map((problem) => invalidValue(field, name, problem)),
  ];
}
