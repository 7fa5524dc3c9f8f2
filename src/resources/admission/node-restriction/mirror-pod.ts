import { quoteGo, StatusError } from '../../../api/index.ts';
import { podReferences } from '../../../api/meaning/index.ts';
import type { Node, Pod, Volume } from '../../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, ServerObjects } from '../../../apiserver/index.ts';

const MIRROR = 'kubernetes.io/config.mirror';

/** Why a node may not create this pod: it must mirror a static pod of the node, and refer to no objects of the cluster. */
export async function mirrorPodProblem(
  node: string,
  request: AdmissionAttributes,
  objects: ServerObjects,
): Promise<string | undefined> {
  const pod = request.object as unknown as Pod;
  const quoted = quoteGo(node);
  if (pod.metadata?.annotations?.[MIRROR] === undefined) {
    return `pod does not have "${MIRROR}" annotation, node ${quoted} can only create mirror pods`;
  }
  if (pod.spec?.nodeName !== node) return `node ${quoted} can only create pods with spec.nodeName set to itself`;
  const problem = await ownerProblem(node, pod, objects);
  if (problem !== undefined) return problem;
  const reached = reachedBy(pod);
  return reached === undefined ? undefined : `node ${quoted} can not create pods that reference ${reached}`;
}

async function ownerProblem(node: string, { metadata }: Pod, objects: ServerObjects): Promise<string | undefined> {
  const quoted = quoteGo(node);
  const { ownerReferences: owners = [] } = metadata ?? {};
  const [owner] = owners;
  if (owners.length > 1) return `node ${quoted} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) {
    return `node ${quoted} can only create pods with an owner reference set to itself`;
  }
  if (owner.controller !== true) {
    return `node ${quoted} can only create pods with a controller owner reference set to itself`;
  }
  if (owner.blockOwnerDeletion === true) return `node ${quoted} must not set blockOwnerDeletion on an owner reference`;
  const found = await objects.of<Node>('', 'nodes').get('', node);
  if (found === undefined) {
    const message = `node ${quoted} not found`;
    throw new StatusError({ code: 404, reason: 'NotFound', message, details: { name: node, kind: 'node' } });
  }
  const uid = found.metadata?.uid ?? '';
  return owner.uid === uid ? undefined : `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`;
}

/** Volumes that need nothing but the node. */
const LOCAL: readonly (keyof Volume)[] = [
  'awsElasticBlockStore',
  'azureDisk',
  'cephfs',
  'cinder',
  'downwardAPI',
  'emptyDir',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
];

/** The objects that a volume of each kind refers to. */
const REACHED: Readonly<Partial<Record<keyof Volume, string>>> = {
  configMap: 'configmaps (via configmap volumes)',
  secret: 'secrets (via secret volumes)',
  csi: 'csidrivers (via CSI volumes)',
  glusterfs: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeral: 'persistentvolumeclaims (via ephemeral volumes)',
  azureFile: 'secrets (via azureFile volumes)',
};

/** The first kind of cluster objects that the pod refers to. */
function reachedBy(pod: Pod): string | undefined {
  const { spec } = pod;
  const { secrets, configMaps } = podReferences(pod);
  if ((spec?.serviceAccountName ?? '') !== '') return 'serviceaccounts';
  if (secrets.length > 0) return 'secrets';
  if (configMaps.length > 0) return 'configmaps';
  if ((spec?.resourceClaims ?? []).length > 0) return 'resourceclaims';
  for (const volume of spec?.volumes ?? []) {
    const reached = reachedByVolume(volume);
    if (reached !== undefined) return reached;
  }
  return undefined;
}

function reachedByVolume(volume: Volume): string | undefined {
  if (LOCAL.some((source) => volume[source] !== undefined)) return undefined;
  for (const [source, reached] of Object.entries(REACHED)) {
    if (volume[source as keyof Volume] !== undefined) return reached;
  }
  for (const source of volume.projected?.sources ?? []) {
    if (source.serviceAccountToken !== undefined) return 'serviceaccounts (via projected volumes)';
    if (source.clusterTrustBundle !== undefined) return 'clustertrustbundles';
    if (source.podCertificate !== undefined) return 'podcertificates';
  }
  return undefined;
}
