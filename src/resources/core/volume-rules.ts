import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  quoteGo,
  required,
} from '../../api/index.ts';
import type {
  ConfigMapVolumeSource,
  CSIVolumeSource,
  DownwardAPIVolumeSource,
  EmptyDirVolumeSource,
  EphemeralVolumeSource,
  GitRepoVolumeSource,
  SecretVolumeSource,
  Volume,
} from '../../api/types/core/v1.d.ts';
import { checkAnnotations, checkLabels } from '../../apiserver/index.ts';
import { checkNoOtherMetadata } from '../template-metadata-rules.ts';
import { checkPullPolicy } from './container-rules.ts';
import { checkDescendingPath } from './path-rules.ts';
import { checkClaimSpec } from './persistentvolumeclaim-rules.ts';
import { checkProjected } from './projected-volume-rules.ts';
import { amount } from './resource-list.ts';
import { checkDownwardFile, checkFiles, checkMode } from './volume-file-rules.ts';
import {
  checkDriverName,
  checkInitiatorOfPod,
  checkSources,
  needs,
  ofPod,
  shared,
  type SourceRule,
} from './volume-sources.ts';

/** Sources in the order in which upstream checks them. */
const SOURCES: readonly SourceRule<Volume>[] = [
  { name: 'emptyDir', check: checkEmptyDir },
  { name: 'hostPath', check: shared.hostPath },
  { name: 'gitRepo', check: checkGitRepo },
  { name: 'gcePersistentDisk', path: 'persistentDisk', check: shared.gcePersistentDisk },
  { name: 'awsElasticBlockStore', check: shared.awsElasticBlockStore },
  { name: 'secret', check: checkSecret },
  { name: 'nfs', check: shared.nfs },
  { name: 'iscsi', check: ofPod.iscsi },
  { name: 'glusterfs', check: shared.glusterfs },
  { name: 'flocker', check: shared.flocker },
  { name: 'persistentVolumeClaim', check: needs('claimName') },
  { name: 'rbd', check: shared.rbd },
  { name: 'cinder', check: ofPod.cinder },
  { name: 'cephfs', extra: 'cephFS', check: shared.cephfs },
  { name: 'quobyte', check: shared.quobyte },
  { name: 'downwardAPI', extra: 'downwarAPI', check: checkDownward },
  { name: 'fc', check: shared.fc },
  { name: 'flexVolume', check: shared.flexVolume },
  { name: 'configMap', check: checkConfigMap },
  { name: 'azureFile', check: shared.azureFile },
  { name: 'vsphereVolume', check: shared.vsphereVolume },
  { name: 'photonPersistentDisk', check: shared.photonPersistentDisk },
  { name: 'portworxVolume', check: shared.portworxVolume },
  { name: 'azureDisk', check: shared.azureDisk },
  { name: 'storageos', check: ofPod.storageos },
  { name: 'projected', check: checkProjected },
  { name: 'scaleIO', check: shared.scaleIO },
  { name: 'csi', check: checkCsi },
  { name: 'ephemeral', check: checkEphemeral },
  { name: 'image' },
];

/** The problems of a pod's volumes, and the names of those without any: only these can be mounted. */
export function checkVolumes(
  volumes: readonly Volume[],
  field: string,
  { podName, isPod }: { readonly podName?: string; readonly isPod: boolean },
): { readonly errors: FieldError[]; readonly mountable: ReadonlyMap<string, Volume> } {
  const mountable = new Map<string, Volume>();
  const created = new Set(
    volumes.flatMap(({ name, ephemeral }) =>
      ephemeral !== undefined && podName !== undefined ? [`${podName}-${name}`] : [],
    ),
  );
  const errors: FieldError[] = [];
  for (const [index, volume] of volumes.entries()) {
    const at = `${field}[${index}]`;
    const found = checkVolume(volume, at, { isPod, podName, isTaken: mountable.has(volume.name) });
    if (found.length === 0) mountable.set(volume.name, volume);
    errors.push(...found);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && created.has(claim)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume';
      errors.push(invalidValue(`${at}.persistentVolumeClaim.claimName`, claim, detail));
    }
  }
  return { errors, mountable };
}

function checkVolume(
  volume: Volume,
  field: string,
  { isPod, podName = '', isTaken }: { readonly isPod: boolean; readonly podName?: string; readonly isTaken: boolean },
): FieldError[] {
  const { name = '', image, ephemeral } = volume;
  const { errors, count } = checkSources(volume, field, SOURCES);
  const isNowhere = isPod && image !== undefined && count === 1 && (image.reference ?? '') === '';
  return [
    ...errors,
    ...checkInitiatorOfPod(volume, field),
    ...(ephemeral === undefined || count > 1 || podName === '' || name === ''
      ? []
      : dns1123SubdomainProblems(`${podName}-${name}`).map((problem) =>
          invalidValue(`${field}.name`, name, `PVC name ${quoteGo(`${podName}-${name}`)}: ${problem}`),
        )),
    ...(isNowhere ? [required(`${field}.image.reference`)] : []),
    ...(image === undefined || count > 1 ? [] : checkPullPolicy(image.pullPolicy, `${field}.image.pullPolicy`)),
    ...(count === 0 ? [required(field, 'must specify a volume type')] : []),
    ...(name === ''
      ? [required(`${field}.name`)]
      : dns1123LabelProblems(name).map((problem) => invalidValue(`${field}.name`, name, problem))),
    ...(isTaken ? [duplicate(`${field}.name`, name)] : []),
  ];
}

function checkEmptyDir({ sizeLimit }: EmptyDirVolumeSource, field: string): FieldError[] {
  if (sizeLimit === undefined || amount(sizeLimit).sign >= 0) return [];
  return [forbiddenField(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')];
}

function checkGitRepo(source: GitRepoVolumeSource, field: string): FieldError[] {
  return [...needs('repository')(source, field), ...checkDescendingPath(source.directory ?? '', `${field}.directory`)];
}

function checkSecret(source: SecretVolumeSource, field: string): FieldError[] {
  return [...needs('secretName')(source, field), ...checkFiles(source, field)];
}

function checkConfigMap(source: ConfigMapVolumeSource, field: string): FieldError[] {
  return [...needs('name')(source, field), ...checkFiles(source, field)];
}

function checkDownward({ defaultMode, items = [] }: DownwardAPIVolumeSource, field: string): FieldError[] {
  return [
    ...checkMode(defaultMode, `${field}.defaultMode`),
    ...items.flatMap((file) => checkDownwardFile(file, field)),
  ];
}

/** A problem of the secret's name is reported as if the volume had a name there. */
function checkCsi({ driver, nodePublishSecretRef }: CSIVolumeSource, field: string): FieldError[] {
  const errors = checkDriverName(driver ?? '', `${field}.driver`);
  if (nodePublishSecretRef === undefined) return errors;
  const { name = '' } = nodePublishSecretRef;
  if (name === '') return [...errors, required(`${field}.nodePublishSecretRef.name`)];
  return [...errors, ...dns1123SubdomainProblems(name).map((problem) => invalidValue(`${field}.name`, name, problem))];
}

function checkEphemeral({ volumeClaimTemplate: template }: EphemeralVolumeSource, field: string): FieldError[] {
  const at = `${field}.volumeClaimTemplate`;
  if (template === undefined) return [required(at)];
  const { annotations, labels, ...others } = template.metadata ?? {};
  const metadata = `${at}.metadata`;
  return [
    ...checkAnnotations(annotations, `${metadata}.annotations`),
    ...checkLabels(labels, `${metadata}.labels`),
    ...checkNoOtherMetadata(others, metadata),
    ...checkClaimSpec(template.spec ?? {}, `${at}.spec`),
  ];
}
