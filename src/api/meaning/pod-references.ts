import type { DeepReadonly } from '../../base/index.ts';
import type * as core from '../types/core/v1.d.ts';

type Container = DeepReadonly<core.Container>;
type EphemeralContainer = DeepReadonly<core.EphemeralContainer>;
type PersistentVolume = DeepReadonly<core.PersistentVolume>;
type Pod = DeepReadonly<core.Pod>;
type Volume = DeepReadonly<core.Volume>;

/** The objects in its namespace that a pod refers to, by name; may contain duplicates. */
export interface PodReferences {
  readonly secrets: readonly string[];
  readonly configMaps: readonly string[];
  readonly claims: readonly string[];
  readonly resourceClaims: readonly string[];
}

/** The objects that a node needs to run the pod. */
export function podReferences(pod: Pod): PodReferences {
  const { spec, status } = pod;
  const volumes = spec?.volumes ?? [];
  const containers = [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ];
  const pulling = (spec?.imagePullSecrets ?? []).map(({ name }) => name);
  const extended = status?.extendedResourceClaimStatus?.resourceClaimName;
  return {
    secrets: named([...pulling, ...containers.flatMap(secretsOfContainer), ...volumes.flatMap(secretsOfVolume)]),
    configMaps: named([...containers.flatMap(configMapsOfContainer), ...volumes.flatMap(configMapsOfVolume)]),
    claims: named(volumes.map((volume) => claimOfVolume(volume, pod))),
    resourceClaims: named([...resourceClaimsOf(pod), extended]),
  };
}

function named(names: readonly (string | undefined)[]): string[] {
  return names.filter((name) => name !== undefined && name !== '') as string[];
}

type Names = (string | undefined)[];

function secretsOfContainer({ env = [], envFrom = [] }: Container | EphemeralContainer): Names {
  return [
    ...envFrom.map(({ secretRef }) => secretRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
  ];
}

function configMapsOfContainer({ env = [], envFrom = [] }: Container | EphemeralContainer): Names {
  return [
    ...envFrom.map(({ configMapRef }) => configMapRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
  ];
}

function secretsOfVolume(volume: Volume): Names {
  const { secret, projected, azureFile, csi, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos } = volume;
  return [
    secret?.secretName,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
    azureFile?.secretName,
    csi?.nodePublishSecretRef?.name,
    ...[cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos].map((source) => source?.secretRef?.name),
  ];
}

function configMapsOfVolume({ configMap, projected }: Volume): Names {
  return [configMap?.name, ...(projected?.sources ?? []).map((source) => source.configMap?.name)];
}

function claimOfVolume({ name, persistentVolumeClaim, ephemeral }: Volume, { metadata }: Pod): string | undefined {
  if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName;
  return ephemeral === undefined ? undefined : `${metadata?.name ?? ''}-${name}`;
}

/** The name of a claim that was made from a template is in the status. */
function resourceClaimsOf({ spec, status }: Pod): Names {
  return (spec?.resourceClaims ?? []).map(({ name, resourceClaimName }) => {
    const made = status?.resourceClaimStatuses?.find((each) => each.name === name);
    return resourceClaimName ?? made?.resourceClaimName;
  });
}

/** The secrets needed to mount the volume, as `namespace/name`. */
export function volumeSecrets({ spec }: PersistentVolume): string[] {
  const { azureFile, csi, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos } = spec ?? {};
  const claimNamespace = spec?.claimRef?.namespace ?? '';
  const references: readonly ({ readonly name?: string; readonly namespace?: string } | undefined)[] = [
    azureFile === undefined ? undefined : { name: azureFile.secretName, namespace: azureFile.secretNamespace },
    ...[cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos].map((source) => source?.secretRef),
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ];
  return references.flatMap((reference) => {
    const { name = '', namespace = '' } = reference ?? {};
    return name === '' ? [] : [`${namespace === '' ? claimNamespace : namespace}/${name}`];
  });
}
