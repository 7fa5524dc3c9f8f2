import { PROVISIONED_BY, requestOf } from '../../api/meaning/index.ts';
import { quantityOf } from '../../api/values/index.ts';
import type { Observed, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../client/index.ts';
import { driverParameters, fileSystemOf, type VolumeSecrets } from './class-parameters.ts';
import type { SidecarSettings } from './sidecar-settings.ts';
import { affinityFor } from './topology.ts';
import type {
  ContentSource,
  CreatedVolume,
  CreateVolumeRequest,
  TopologyRequirement,
  VolumeDriver,
} from './volume-driver.ts';

type Claim = Observed<PersistentVolumeClaim>;
type Class = Observed<StorageClass>;
type Texts = Readonly<Record<string, string>>;

/** Keeps a volume until its driver has deleted the storage. */
export const DELETION_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';
/** The secret for deleting a volume, and the one for changing it. */
export const DELETION_SECRET = 'volume.kubernetes.io/provisioner-deletion-secret-';
export const MODIFY_SECRET = 'volume.kubernetes.io/controller-modify-secret-';
const IDENTITY = 'storage.kubernetes.io/csiProvisionerIdentity';

/** The deterministic name of a claim's volume. */
export function volumeName({ metadata }: Pick<Claim, 'metadata'>, settings: SidecarSettings): string {
  const { volumeNamePrefix = 'pvc', volumeNameUuidLength: length } = settings;
  const { uid } = metadata;
  return `${volumeNamePrefix}-${length === undefined ? uid : uid.replaceAll('-', '').slice(0, length)}`;
}

/** What is known about a volume before it exists. */
export interface VolumePlan {
  readonly storageClass: Class;
  readonly settings: SidecarSettings;
  readonly secrets: VolumeSecrets;
  /** The content of the secret for creating it. */
  readonly credentials: Texts | undefined;
  readonly places: TopologyRequirement | undefined;
  readonly attributes: Texts | undefined;
  readonly source: ContentSource | undefined;
}

/** The CreateVolume request of a claim. */
export function volumeRequest(claim: Claim, plan: VolumePlan): CreateVolumeRequest {
  const { storageClass, settings, credentials, places, attributes, source } = plan;
  const { parameters = {}, mountOptions } = storageClass;
  const name = volumeName(claim, settings);
  const { accessModes = [], volumeMode } = claim.spec ?? {};
  const fsType = fileSystem(parameters, settings);
  const mounted = {
    accessType: 'mount' as const,
    ...(fsType === undefined ? {} : { fsType }),
    ...(mountOptions === undefined ? {} : { mountFlags: mountOptions }),
  };
  const access = volumeMode === 'Block' ? { accessType: 'block' as const } : mounted;
  return {
    name,
    capacityRange: { requiredBytes: requestOf(claim).value() },
    volumeCapabilities: accessModes.map((mode) => ({ ...access, accessModes: [mode] })),
    parameters: {
      ...driverParameters(parameters),
      ...(settings.extraCreateMetadata === true ? metadataParameters(claim, name) : {}),
    },
    ...(credentials === undefined ? {} : { secrets: credentials }),
    ...(attributes === undefined ? {} : { mutableParameters: attributes }),
    ...(places === undefined ? {} : { accessibilityRequirements: places }),
    ...(source === undefined ? {} : { volumeContentSource: source }),
  };
}

/** Names of a claim and its volume, as parameters. */
export function metadataParameters({ metadata }: Claim, volume: string): Texts {
  return {
    'csi.storage.k8s.io/pvc/name': metadata.name,
    'csi.storage.k8s.io/pvc/namespace': metadata.namespace ?? '',
    'csi.storage.k8s.io/pv/name': volume,
  };
}

function fileSystem(parameters: Texts, { defaultFsType }: SidecarSettings): string | undefined {
  const named = fileSystemOf(parameters) ?? '';
  return named === '' ? defaultFsType : named;
}

/** The PersistentVolume, pre-bound to its claim. */
export function provisionedVolume(
  claim: Claim,
  plan: VolumePlan,
  { driver, made }: { readonly driver: VolumeDriver; readonly made: CreatedVolume },
): PersistentVolume {
  const { storageClass, settings, secrets } = plan;
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const { accessModes = [], volumeMode, volumeAttributesClassName } = claim.spec ?? {};
  const { reclaimPolicy = 'Delete', mountOptions, parameters = {} } = storageClass;
  const fsType = volumeMode === 'Block' ? undefined : fileSystem(parameters, settings);
  const affinity = driver.features?.topology === undefined ? undefined : affinityFor(made.accessibleTopology ?? []);
  const context = {
    ...(settings.identity === undefined ? {} : { [IDENTITY]: settings.identity }),
    ...made.volumeContext,
  };
  const isReadOnly = settings.controllerPublishReadOnly === true && accessModes.join() === 'ReadOnlyMany';
  const capacity = made.capacityBytes === 0 ? requestOf(claim).value() : made.capacityBytes;
  return {
    metadata: {
      name: volumeName(claim, settings),
      annotations: {
        [PROVISIONED_BY]: storageClass.provisioner,
        [`${DELETION_SECRET}name`]: secrets.provisioner?.name ?? '',
        [`${DELETION_SECRET}namespace`]: secrets.provisioner?.namespace ?? '',
        ...(secrets.modify === undefined
          ? {}
          : {
              [`${MODIFY_SECRET}name`]: secrets.modify.name,
              [`${MODIFY_SECRET}namespace`]: secrets.modify.namespace,
            }),
      },
      ...(reclaimPolicy === 'Delete' ? { finalizers: [DELETION_FINALIZER] } : {}),
    },
    spec: {
      accessModes: [...accessModes],
      capacity: { storage: quantityOf(capacity, 'BinarySI').toString() },
      claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion },
      csi: {
        driver: driver.name,
        volumeHandle: made.volumeId,
        ...(fsType === undefined ? {} : { fsType }),
        ...(isReadOnly ? { readOnly: true } : {}),
        ...(Object.keys(context).length === 0 ? {} : { volumeAttributes: context }),
        ...secrets.fields,
      },
      ...(affinity === undefined ? {} : { nodeAffinity: affinity }),
      ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
      ...(mountOptions === undefined ? {} : { mountOptions: [...mountOptions] }),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata.name,
      volumeMode: volumeMode ?? 'Filesystem',
    },
  };
}
