import {
  asJson,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  sentEmpty,
} from '../../api/index.ts';
import type {
  AzureFilePersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  LocalVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
  VolumeNodeAffinity,
} from '../../api/types/core/v1.d.ts';
import { checkNodeSelector } from './affinity-rules.ts';
import { checkNoBacksteps } from './path-rules.ts';
import { checkAccessModes, checkVolumeMode } from './persistentvolumeclaim-rules.ts';
import { amount } from './resource-list.ts';
import { checkDriverName, checkSources, needs, ofPersistentVolume, shared, type SourceRule } from './volume-sources.ts';

/** The sources in the order in which upstream checks them; `name` is the volume's. */
function sourceRules(name: string): readonly SourceRule<PersistentVolumeSpec>[] {
  return [
    { name: 'hostPath', check: shared.hostPath },
    { name: 'gcePersistentDisk', path: 'persistentDisk', check: shared.gcePersistentDisk },
    { name: 'awsElasticBlockStore', check: shared.awsElasticBlockStore },
    { name: 'glusterfs', check: checkGlusterfs },
    { name: 'flocker', check: shared.flocker },
    { name: 'nfs', check: shared.nfs },
    { name: 'rbd', check: shared.rbd },
    { name: 'quobyte', check: shared.quobyte },
    { name: 'cephfs', extra: 'cephFS', path: 'cephfs', check: shared.cephfs },
    { name: 'iscsi', check: ofPersistentVolume.iscsi(name) },
    { name: 'cinder', check: ofPersistentVolume.cinder },
    { name: 'fc', check: shared.fc },
    { name: 'flexVolume', check: shared.flexVolume, isNeverExtra: true },
    { name: 'azureFile', check: checkAzureFile },
    { name: 'vsphereVolume', check: shared.vsphereVolume },
    { name: 'photonPersistentDisk', check: shared.photonPersistentDisk },
    { name: 'portworxVolume', check: shared.portworxVolume },
    { name: 'azureDisk', check: shared.azureDisk },
    { name: 'scaleIO', check: shared.scaleIO },
    { name: 'local', check: checkLocal },
    { name: 'storageos', check: ofPersistentVolume.storageos },
    { name: 'csi', check: checkCsi },
  ];
}

export const SOURCE_NAMES: readonly (keyof PersistentVolumeSpec)[] = sourceRules('').map(({ name }) => name);

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];

/** The rules of a volume, named `name`, by itself. */
export function checkVolumeSpec(spec: PersistentVolumeSpec, field: string, name: string): FieldError[] {
  const { accessModes = [], persistentVolumeReclaimPolicy: policy = '', nodeAffinity, storageClassName = '' } = spec;
  const isPolicy = policy === '' || RECLAIM_POLICIES.includes(policy);
  return [
    ...(accessModes.length === 0 ? [required(`${field}.accessModes`)] : []),
    ...checkAccessModes(accessModes, `${field}.accessModes`),
    ...checkCapacity(spec, `${field}.capacity`),
    ...(isPolicy
      ? []
      : [notSupported(`${field}.persistentVolumeReclaimPolicy`, asJson(policy ?? ''), RECLAIM_POLICIES)]),
    ...(nodeAffinity === undefined ? [] : checkVolumeAffinity(nodeAffinity, `${field}.nodeAffinity`)),
    ...checkSource(spec, field, name),
    ...checkNoRecycledRoot(spec, field),
    ...checkClassName(storageClassName, `${field}.storageClassName`),
    ...checkVolumeMode(spec.volumeMode, `${field}.volumeMode`),
    ...checkAttributesClass(spec, field),
  ];
}

/** The rules of a volume that an attachment describes in place of naming one. */
export function checkInlineVolumeSpec(spec: PersistentVolumeSpec, field: string): FieldError[] {
  const { claimRef, capacity = {}, accessModes = [], nodeAffinity, csi } = spec;
  const { persistentVolumeReclaimPolicy: policy = '', storageClassName = '', volumeMode = 'Filesystem' } = spec;
  const context = 'in the context of inline volumes';
  const no = (name: string): FieldError => forbiddenField(`${field}.${name}`, `may not be specified ${context}`);
  return [
    ...(claimRef === undefined ? [] : [no('claimRef')]),
    ...(Object.keys(capacity).length === 0 ? [] : [no('capacity')]),
    ...(csi === undefined ? [required(`${field}.csi`, `has to be specified ${context}`)] : []),
    ...(accessModes.length === 0 ? [required(`${field}.accessModes`)] : []),
    ...checkAccessModes(accessModes, `${field}.accessModes`),
    ...(policy === '' || policy === 'Retain'
      ? []
      : [forbiddenField(`${field}.persistentVolumeReclaimPolicy`, `may only be Retain ${context}`)]),
    ...(nodeAffinity === undefined ? [] : [no('nodeAffinity')]),
    ...checkSource(spec, field, '', { isInline: true }),
    ...checkNoRecycledRoot(spec, field),
    ...(storageClassName === '' ? [] : [no('storageClassName')]),
    ...(volumeMode === 'Filesystem'
      ? []
      : [forbiddenField(`${field}.volumeMode`, `may not specify volumeMode other than Filesystem ${context}`)]),
  ];
}

function checkSource(
  spec: PersistentVolumeSpec,
  field: string,
  name: string,
  { isInline = false }: { readonly isInline?: boolean } = {},
): FieldError[] {
  const { errors, count } = checkSources(spec, field, sourceRules(name));
  const before = SOURCE_NAMES.slice(0, SOURCE_NAMES.indexOf('local'));
  const isLocal = spec.local !== undefined && before.every((other) => spec[other] === undefined);
  if (isLocal && (isInline || spec.nodeAffinity === undefined)) {
    const at = errors.findLastIndex((error) => error.field.startsWith(`${field}.local`)) + 1;
    const missing = required(`${field}.nodeAffinity`, 'Local volume requires node affinity');
    return errors.toSpliced(at, 0, missing);
  }
  return count === 0 ? [required(field, 'must specify a volume type')] : [...errors];
}

function checkCapacity(spec: PersistentVolumeSpec, field: string): FieldError[] {
  const { capacity = {} } = spec;
  const names = Object.keys(capacity);
  const errors = names.length === 0 ? [required(field)] : [];
  if (names.length !== 1 || names[0] !== 'storage')
    errors.push(notSupported(field, spec.capacity ?? sentEmpty(spec, 'capacity'), ['storage']));
  for (const [name, text] of Object.entries(capacity)) {
    const quantity = amount(text);
    if (quantity.value() < 0) {
      errors.push(invalidValue(`${field}[${name}]`, quantity.value(), 'must be a valid resource quantity'));
    }
    if (quantity.sign <= 0) errors.push(invalidValue(`${field}[${name}]`, text, 'must be greater than zero'));
  }
  return errors;
}

function checkVolumeAffinity({ required: selector }: VolumeNodeAffinity, field: string): FieldError[] {
  if (selector === undefined) return [required(`${field}.required`, 'must specify required node constraints')];
  return checkNodeSelector(selector, `${field}.required`);
}

function checkNoRecycledRoot(spec: PersistentVolumeSpec, field: string): FieldError[] {
  const isRoot = spec.hostPath !== undefined && /^\/+(\.\/*)*$/.test(spec.hostPath.path ?? '');
  if (!isRoot || spec.persistentVolumeReclaimPolicy !== 'Recycle') return [];
  return [forbiddenField(`${field}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'")];
}

function checkClassName(name: string, field: string): FieldError[] {
  return name === '' ? [] : dns1123SubdomainProblems(name).map((problem) => invalidValue(field, name, problem));
}

function checkAttributesClass(
  { volumeAttributesClassName: name, csi }: PersistentVolumeSpec,
  field: string,
): FieldError[] {
  if (name === undefined) return [];
  const at = `${field}.volumeAttributesClassName`;
  return [
    ...(name === '' ? [required(at, 'an empty string is disallowed')] : checkClassName(name, at)),
    ...(csi === undefined
      ? [required(`${field}.csi`, 'has to be specified when using volumeAttributesClassName')]
      : []),
  ];
}

function checkGlusterfs(source: GlusterfsPersistentVolumeSource, field: string): FieldError[] {
  const { endpointsNamespace: namespace } = source;
  const at = `${field}.endpointsNamespace`;
  const errors = [...needs('endpoints', 'path')(source, field)];
  if (namespace === undefined) return errors;
  const problems =
    namespace === ''
      ? ['if the endpointnamespace is set, it must be a valid namespace name']
      : dns1123LabelProblems(namespace);
  return [...errors, ...problems.map((problem) => invalidValue(at, namespace, problem))];
}

function checkAzureFile(source: AzureFilePersistentVolumeSource, field: string): FieldError[] {
  const errors = [...needs('secretName', 'shareName')(source, field)];
  return source.secretNamespace === '' ? [...errors, required(`${field}.secretNamespace`)] : errors;
}

function checkLocal({ path = '' }: LocalVolumeSource, field: string): FieldError[] {
  return path === '' ? [required(`${field}.path`)] : checkNoBacksteps(path, `${field}.path`);
}

/** The secrets that upstream checks, in its order; that for staging is not among them. */
const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function checkCsi(source: CSIPersistentVolumeSource, field: string): FieldError[] {
  return [
    ...checkDriverName(source.driver ?? '', `${field}.driver`),
    ...needs('volumeHandle')(source, field),
    ...CSI_SECRETS.flatMap((name) => {
      const secret = source[name];
      return secret === undefined ? [] : checkSecretReference(secret, `${field}.${name}`);
    }),
  ];
}

function checkSecretReference({ name = '', namespace = '' }: SecretReference, field: string): FieldError[] {
  const named = (value: string, at: string, problems: readonly string[]): FieldError[] =>
    value === '' ? [required(at)] : problems.map((problem) => invalidValue(at, value, problem));
  return [
    ...named(name, `${field}.name`, dns1123SubdomainProblems(name)),
    ...named(namespace, `${field}.namespace`, dns1123LabelProblems(namespace)),
  ];
}
