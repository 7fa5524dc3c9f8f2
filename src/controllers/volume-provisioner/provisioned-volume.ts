import { PROVISIONED_BY } from '../../api/meaning/index.ts';
import { parseQuantity, quantityOf, ValueError } from '../../api/values/index.ts';
import type { Observed, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../client/index.ts';
import { affinityFor } from './topology.ts';
import type { CreatedVolume, CreateVolumeRequest, Topology } from './volume-driver.ts';

type Claim = Observed<PersistentVolumeClaim>;
type Class = Observed<StorageClass>;

/** Keeps a volume until its driver has deleted the storage. */
export const DELETION_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';
const DELETION_SECRET = 'volume.kubernetes.io/provisioner-deletion-secret-';
/** Class parameters with this prefix are for Kubernetes and are not sent to the driver. */
const RESERVED_PREFIX = 'csi.storage.k8s.io/';
const FILE_SYSTEM = `${RESERVED_PREFIX}fstype`;

/** The deterministic name of a claim's volume. */
export function volumeName({ metadata }: Claim): string {
  return `pvc-${metadata.uid}`;
}

/** Further properties of a volume request. */
export interface VolumeRequestOptions {
  readonly place: Topology | undefined;
  readonly attributes: Readonly<Record<string, string>> | undefined;
}

/** The CreateVolume request of a claim. */
export function volumeRequest(
  claim: Claim,
  { parameters = {} }: Class,
  { place, attributes }: VolumeRequestOptions,
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

/** The PersistentVolume, pre-bound to its claim. */
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
