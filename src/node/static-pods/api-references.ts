import type { DeepReadonly } from '../../base/index.ts';
import { podReferences } from '../../api/meaning/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';

type Pod = DeepReadonly<core.Pod>;
type Volume = DeepReadonly<core.Volume>;
type Source = DeepReadonly<core.VolumeProjection>;

/** Kinds of objects that a pod would need from the API, in the words of a kubelet's message; undefined when it needs none. */
export function apiReference(pod: Pod): string | undefined {
  const { spec } = pod;
  if ((spec?.serviceAccountName ?? '') !== '') return 'serviceaccounts';
  const { secrets, configMaps } = podReferences(pod);
  if (secrets.length > 0) return 'secrets';
  if (configMaps.length > 0) return 'configmaps';
  if ((spec?.resourceClaims ?? []).length > 0) return 'resourceclaims';
  for (const volume of spec?.volumes ?? []) {
    const found = referenceOfVolume(volume);
    if (found !== undefined) return found;
  }
  return undefined;
}

function referenceOfVolume(volume: Volume): string | undefined {
  if (volume.configMap !== undefined) return 'configmaps (via configmap volumes)';
  if (volume.secret !== undefined) return 'secrets (via secret volumes)';
  if (volume.csi !== undefined) return 'csidrivers (via CSI volumes)';
  if (volume.glusterfs !== undefined) return 'endpoints (via glusterFS volumes)';
  if (volume.persistentVolumeClaim !== undefined) return 'persistentvolumeclaims';
  if (volume.ephemeral !== undefined) return 'persistentvolumeclaims (via ephemeral volumes)';
  if (volume.azureFile !== undefined) return 'secrets (via azureFile volumes)';
  for (const source of volume.projected?.sources ?? []) {
    const found = referenceOfSource(source);
    if (found !== undefined) return found;
  }
  return undefined;
}

function referenceOfSource(source: Source): string | undefined {
  if (source.configMap !== undefined) return 'configmaps (via projected volumes)';
  if (source.secret !== undefined) return 'secrets (via projected volumes)';
  if (source.serviceAccountToken !== undefined) return 'serviceaccounts (via projected volumes)';
  if (source.clusterTrustBundle !== undefined) return 'clustertrustbundles';
  return source.podCertificate === undefined ? undefined : 'podcertificates';
}
