import { PROVISIONED_BY } from '../../api/meaning/index.ts';
import { parseQuantity, quantityOf, ValueError } from '../../api/values/index.ts';
import type { Observed, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../client/index.ts';
import { affinityFor } from './topology.ts';
import type { CreatedVolume, CreateVolumeRequest, Topology } from './volume-driver.ts';

type Claim = Observed<PersistentVolumeClaim>;
type Class = Observed<StorageClass>;

/** Keeps a volume until its driver has deleted what it stands for. */
export const DELETION_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';
const DELETION_SECRET = 'volume.kubernetes.io/provisioner-deletion-secret-';
/** A driver is told the parameters of its class but not those that are about Kubernetes itself. */
const RESERVED_PREFIX = 'csi.storage.k8s.io/';
const FILE_SYSTEM = `${RESERVED_PREFIX}fstype`;

/** The name of the volume that is made for a claim, the same whenever it is tried. */
export function volumeName({ metadata }: Claim): string {
  return `pvc-${metadata.uid}`;
}

/** What else a driver is told of a volume. */
export interface VolumeWishes {
  readonly place: Topology | undefined;
  readonly attributes: Readonly<Record<string, string>> | undefined;
}

/** What a driver is asked for. */
export function volumeRequest(
  claim: Claim,
  { parameters = {} }: Class,
  { place, attributes }: VolumeWishes,
): CreateVolumeRequest {
  const { accessModes = [], resources, volumeMode } = claim.spec ?? {};
  const requested = parseQuantity(resources?.requests?.['storage'] ?? '0');
  return {
    name: volumeName(claim),
    capacityRange: { requiredBytes: requested instanceof ValueError ? 0 : requested.value() },
    volumeCapabilities: accessModes.map((accessMode) => ({
      accessType: volumeMode === 'Block' ? 'block' : 'mount',
      accessMode,
    })),
    parameters: Object.fromEntries(Object.entries(parameters).filter(([name]) => !name.startsWith(RESERVED_PREFIX))),
    ...(attributes === undefined ? {} : { mutableParameters: attributes }),
    ...(place === undefined ? {} : { accessibilityRequirements: { preferred: [place] } }),
  };
}

/** The volume as the cluster knows it, reserved for its claim. */
export function provisionedVolume(
  claim: Claim,
  storageClass: Class,
  { driver, made }: { readonly driver: string; readonly made: CreatedVolume },
): PersistentVolume {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const { accessModes, volumeMode, volumeAttributesClassName } = claim.spec ?? {};
  const { reclaimPolicy = 'Delete', mountOptions, parameters = {} } = storageClass;
  const fsType = volumeMode === 'Block' ? undefined : parameters[FILE_SYSTEM];
  return {
    metadata: {
      name: volumeName(claim),
      annotations: {
        [PROVISIONED_BY]: driver,
        [`${DELETION_SECRET}name`]: '',
        [`${DELETION_SECRET}namespace`]: '',
      },
      ...(reclaimPolicy === 'Delete' ? { finalizers: [DELETION_FINALIZER] } : {}),
    },
    spec: {
      accessModes: [...(accessModes ?? [])],
      capacity: { storage: quantityOf(made.capacityBytes, 'BinarySI').toString() },
      claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion },
      csi: {
        driver,
        volumeHandle: made.volumeId,
        ...(fsType === undefined ? {} : { fsType }),
        ...(made.volumeContext === undefined ? {} : { volumeAttributes: { ...made.volumeContext } }),
      },
      ...(made.accessibleTopology === undefined ? {} : { nodeAffinity: affinityFor(made.accessibleTopology) }),
      ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
      ...(mountOptions === undefined ? {} : { mountOptions: [...mountOptions] }),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata.name,
      volumeMode: volumeMode ?? 'Filesystem',
    },
  };
}
