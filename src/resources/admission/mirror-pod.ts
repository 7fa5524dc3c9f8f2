import type { Container, EphemeralContainer, PodSpec, Volume } from '../../api/types/core/v1.d.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';

const MIRROR = 'kubernetes.io/config.mirror';

/** Whether a pod only shows what a node runs on its own account. */
export function isMirrorPod({ metadata }: Whole<Pod>): boolean {
  return metadata.annotations?.[MIRROR] !== undefined;
}

/** Why a mirror pod is refused: it may need nothing of the API. */
export function mirrorPodProblem(spec: PodSpec): string | undefined {
  if ((spec.serviceAccountName ?? '') !== '') return 'a mirror pod may not reference service accounts';
  if (namesSecret(spec)) return 'a mirror pod may not reference secrets';
  const hasToken = (spec.volumes ?? []).some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  return hasToken ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}

function namesSecret({ imagePullSecrets, volumes, ...spec }: PodSpec): boolean {
  const containers = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ] as const;
  return [
    ...(imagePullSecrets ?? []).map(({ name }) => name),
    ...containers.flatMap(secretsOfContainer),
    ...(volumes ?? []).flatMap(secretsOfVolume),
  ].some((name) => (name ?? '') !== '');
}

function secretsOfContainer({ env = [], envFrom = [] }: Container | EphemeralContainer): (string | undefined)[] {
  return [
    ...envFrom.map(({ secretRef }) => secretRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
  ];
}

function secretsOfVolume(volume: Volume): (string | undefined)[] {
  return [
    volume.azureFile?.secretName,
    volume.cephfs?.secretRef?.name,
    volume.cinder?.secretRef?.name,
    volume.flexVolume?.secretRef?.name,
    ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
    volume.rbd?.secretRef?.name,
    volume.secret?.secretName,
    volume.scaleIO?.secretRef?.name,
    volume.iscsi?.secretRef?.name,
    volume.storageos?.secretRef?.name,
    volume.csi?.nodePublishSecretRef?.name,
  ];
}
