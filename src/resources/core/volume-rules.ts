import { duplicate, type FieldError, forbiddenField, invalidValue, required } from '../../api/index.ts';
import type {
  DownwardAPIVolumeFile,
  KeyToPath,
  ProjectedVolumeSource,
  Volume,
  VolumeProjection,
} from '../../api/types/core/v1.d.ts';
import { checkFieldRef, checkResourceFieldRef, FIELDS_OF_FILES } from './downward-rules.ts';
import { checkLocalPath, checkNoBacksteps } from './path-rules.ts';
import { amount } from './resource-list.ts';

/** Sources in the order in which upstream checks them, with the two names that it spells differently in messages. */
const SOURCES: readonly (readonly [name: keyof Volume, shown: string])[] = [
  ['emptyDir', 'emptyDir'],
  ['hostPath', 'hostPath'],
  ['gitRepo', 'gitRepo'],
  ['gcePersistentDisk', 'gcePersistentDisk'],
  ['awsElasticBlockStore', 'awsElasticBlockStore'],
  ['secret', 'secret'],
  ['nfs', 'nfs'],
  ['iscsi', 'iscsi'],
  ['glusterfs', 'glusterfs'],
  ['flocker', 'flocker'],
  ['persistentVolumeClaim', 'persistentVolumeClaim'],
  ['rbd', 'rbd'],
  ['cinder', 'cinder'],
  ['cephfs', 'cephFS'],
  ['quobyte', 'quobyte'],
  ['downwardAPI', 'downwarAPI'],
  ['fc', 'fc'],
  ['flexVolume', 'flexVolume'],
  ['configMap', 'configMap'],
  ['azureFile', 'azureFile'],
  ['vsphereVolume', 'vsphereVolume'],
  ['photonPersistentDisk', 'photonPersistentDisk'],
  ['portworxVolume', 'portworxVolume'],
  ['azureDisk', 'azureDisk'],
  ['storageos', 'storageos'],
  ['projected', 'projected'],
  ['scaleIO', 'scaleIO'],
  ['csi', 'csi'],
  ['ephemeral', 'ephemeral'],
  ['image', 'image'],
];

/** Names must be unique, and each volume must have exactly one source. */
export function checkVolumes(
  volumes: readonly Volume[],
  field: string,
  { podName, isPod }: { readonly podName?: string; readonly isPod: boolean },
): FieldError[] {
  const names = new Set<string>();
  const created = new Set(
    volumes.flatMap(({ name, ephemeral }) =>
      ephemeral !== undefined && podName !== undefined ? [`${podName}-${name}`] : [],
    ),
  );
  return volumes.flatMap((volume, index) => {
    const at = `${field}[${index}]`;
    const errors = [...checkSource(volume, at, { isPod }), ...checkOneSource(volume, at)];
    if (names.has(volume.name)) errors.push(duplicate(`${at}.name`, volume.name));
    names.add(volume.name);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && created.has(claim)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume';
      errors.push(invalidValue(`${at}.persistentVolumeClaim.claimName`, claim, detail));
    }
    return errors;
  });
}

function checkOneSource(volume: Volume, field: string): FieldError[] {
  const given = SOURCES.filter(([name]) => volume[name] !== undefined);
  return given
    .slice(1)
    .map(([, shown]) => forbiddenField(`${field}.${shown}`, 'may not specify more than 1 volume type'));
}

const MAX_MODE = 0o777;
const MODE = 'must be a number between 0 and 0777 (octal), both inclusive';

/** The rules of volume sources beyond their types. */
function checkSource(volume: Volume, field: string, { isPod }: { readonly isPod: boolean }): FieldError[] {
  const { emptyDir, hostPath, secret, nfs, downwardAPI, configMap, projected, ephemeral, image } = volume;
  if (emptyDir !== undefined) {
    const isNegative = emptyDir.sizeLimit !== undefined && amount(emptyDir.sizeLimit).sign < 0;
    const detail = 'SizeLimit field must be a valid resource quantity';
    return isNegative ? [forbiddenField(`${field}.emptyDir.sizeLimit`, detail)] : [];
  }
  if (hostPath !== undefined) return checkNoBacksteps(hostPath.path, `${field}.hostPath.path`);
  if (secret !== undefined) {
    const isNamed = (secret.secretName ?? '') !== '';
    const errors = isNamed ? [] : [required(`${field}.secret.secretName`)];
    return [...errors, ...checkFiles(secret, `${field}.secret`)];
  }
  if (nfs !== undefined && !nfs.path.startsWith('/')) {
    return [invalidValue(`${field}.nfs.path`, nfs.path, 'must be an absolute path')];
  }
  if (downwardAPI !== undefined) {
    const files = (downwardAPI.items ?? []).flatMap((file) => checkDownwardFile(file, `${field}.downwardAPI`));
    return [...checkMode(downwardAPI.defaultMode, `${field}.downwardAPI.defaultMode`), ...files];
  }
  if (configMap !== undefined) {
    const errors = (configMap.name ?? '') === '' ? [required(`${field}.configMap.name`)] : [];
    return [...errors, ...checkFiles(configMap, `${field}.configMap`)];
  }
  if (projected !== undefined) return checkProjected(projected, `${field}.projected`);
  if (ephemeral !== undefined && ephemeral.volumeClaimTemplate === undefined) {
    return [required(`${field}.ephemeral.volumeClaimTemplate`)];
  }
  return image !== undefined && isPod && (image.reference ?? '') === '' ? [required(`${field}.image.reference`)] : [];
}

function checkMode(mode: number | undefined, field: string): FieldError[] {
  return mode !== undefined && (mode < 0 || mode > MAX_MODE) ? [invalidValue(field, mode, MODE)] : [];
}

function checkFiles(
  { defaultMode, items = [] }: { readonly defaultMode?: number; readonly items?: readonly KeyToPath[] },
  field: string,
): FieldError[] {
  return [...checkMode(defaultMode, `${field}.defaultMode`), ...checkItems(items, `${field}.items`)];
}

function checkItems(items: readonly KeyToPath[], field: string): FieldError[] {
  return items.flatMap(({ path, mode }, index) => [
    ...checkLocalPath(path, `${field}[${index}].path`),
    ...checkMode(mode, `${field}[${index}].mode`),
  ]);
}

/** Upstream reports the files of such a volume as if there were only one. */
function checkDownwardFile(file: DownwardAPIVolumeFile, field: string): FieldError[] {
  const { path, fieldRef, resourceFieldRef, mode } = file;
  const errors = [...(path === '' ? [required(`${field}.path`)] : []), ...checkLocalPath(path, `${field}.path`)];
  if (fieldRef !== undefined) {
    errors.push(...checkFieldRef(fieldRef, `${field}.fieldRef`, FIELDS_OF_FILES));
    if (resourceFieldRef !== undefined) {
      const detail = 'fieldRef and resourceFieldRef can not be specified simultaneously';
      errors.push(invalidValue(field, 'resource', detail));
    }
  } else if (resourceFieldRef !== undefined) {
    errors.push(...checkResourceFieldRef(resourceFieldRef, `${field}.resourceFieldRef`, { namesContainer: true }));
  } else {
    errors.push(required(field, 'one of fieldRef and resourceFieldRef is required'));
  }
  return [...errors, ...checkMode(mode, `${field}.mode`)];
}

const PROJECTIONS = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
] as const;

function checkProjected({ defaultMode, sources }: ProjectedVolumeSource, field: string): FieldError[] {
  const paths = new Set<string>();
  return [
    ...checkMode(defaultMode, `${field}.defaultMode`),
    ...(sources ?? []).flatMap((source, index) => {
      const at = `${field}.sources[${index}]`;
      const errors = [...checkProjection(source, at), ...checkPaths(source, field, paths)];
      const count = PROJECTIONS.filter((name) => source[name] !== undefined).length;
      if (count > 1) errors.push(forbiddenField(at, 'may not specify more than 1 volume type per source'));
      return errors;
    }),
  ];
}

function checkProjection({ secret, configMap, downwardAPI }: VolumeProjection, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (secret !== undefined) {
    if ((secret.name ?? '') === '') errors.push(required(`${field}.secret.name`));
    errors.push(...checkItems(secret.items ?? [], `${field}.secret.items`));
  }
  if (configMap !== undefined) {
    if ((configMap.name ?? '') === '') errors.push(required(`${field}.configMap.name`));
    errors.push(...checkItems(configMap.items ?? [], `${field}.configMap.items`));
  }
  for (const file of downwardAPI?.items ?? []) errors.push(...checkDownwardFile(file, `${field}.downwardAPI`));
  return errors;
}

/** No two sources may write the same file. */
function checkPaths(
  { secret, configMap, downwardAPI }: VolumeProjection,
  field: string,
  paths: Set<string>,
): FieldError[] {
  const written = [
    ...(secret?.items ?? []).map(({ path }) => ({ path, shown: secret?.name ?? '' })),
    ...(configMap?.items ?? []).map(({ path }) => ({ path, shown: configMap?.name ?? '' })),
    ...(downwardAPI?.items ?? []).map(({ path }) => ({ path, shown: path })),
  ];
  return written.flatMap(({ path, shown }) => {
    if (path === '') return [];
    const isTaken = paths.has(path);
    paths.add(path);
    return isTaken ? [invalidValue(field, shown, 'conflicting duplicate paths')] : [];
  });
}
