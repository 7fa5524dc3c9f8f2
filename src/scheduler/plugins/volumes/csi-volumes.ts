import type { DeepReadonly } from '../../../base/index.ts';
import { claimNameOf, driverOf, ephemeralClaimProblem, storageClassNameOf } from '../../../api/meaning/index.ts';
import type { Volume } from '../../../api/types/core/v1.d.ts';
import type { Observed, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../../client/index.ts';
import type { Lister } from '../../framework/plugin-context.ts';

/** The caches in which volumes are looked up. */
export interface VolumeListers {
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly volumes: Lister<PersistentVolume>;
  readonly classes: Lister<StorageClass>;
}

/** A claim of the pod does not exist. */
export class ClaimMissing extends Error {
  override readonly name = 'ClaimMissing';
}

/** A CSI driver and its handle of a volume. */
interface DriverVolume {
  readonly driver: string;
  readonly handle: string;
}

/** In-tree plugins whose volumes belong to CSI drivers on nodes whose CSINode lists migrated plugins. */
const MIGRATED = new Set(
  ['aws-ebs', 'azure-disk', 'cinder', 'gce-pd', 'portworx-volume'].map((name) => `kubernetes.io/${name}`),
);

export interface CsiVolumesOptions {
  /** Whether the node has a CSINode with drivers. */
  readonly hasDrivers: boolean;
  /** Whether a missing claim rejects the pod. */
  readonly mustExist: boolean;
}

/** The pod's volumes that count against the limits of CSI drivers: maps the unique name of each volume to its driver. */
export function csiVolumesOf(
  pod: Observed<Pod>,
  listers: VolumeListers,
  { hasDrivers, mustExist }: CsiVolumesOptions,
): Map<string, string> {
  const found = new Map<string, string>();
  for (const volume of pod.spec?.volumes ?? []) {
    const name = claimNameOf(pod, volume);
    const counted =
      name === undefined
        ? migratedDisk(volume, hasDrivers)
        : claimedVolume(claimFor(pod, name, { listers, mustExist, volume }), listers, hasDrivers);
    if (counted !== undefined) found.set(uniqueName(counted), counted.driver);
  }
  return found;
}

export function uniqueName({ driver, handle }: DriverVolume): string {
  return `${driver}/${handle}`;
}

function claimFor(
  pod: Observed<Pod>,
  name: string,
  options: { readonly listers: VolumeListers; readonly mustExist: boolean; readonly volume: DeepReadonly<Volume> },
): Observed<PersistentVolumeClaim> | undefined {
  const { listers, mustExist, volume } = options;
  const key = `${pod.metadata.namespace}/${name}`;
  const claim = listers.claims.get(key);
  if (claim === undefined && mustExist)
    throw new ClaimMissing(`looking up PVC ${key}: persistentvolumeclaim "${name}" not found`);
  const problem = claim === undefined || volume.ephemeral === undefined ? undefined : ephemeralClaimProblem(claim, pod);
  if (problem !== undefined) throw new Error(problem);
  return claim;
}

function claimedVolume(
  claim: Observed<PersistentVolumeClaim> | undefined,
  { volumes, classes }: VolumeListers,
  hasDrivers: boolean,
): DriverVolume | undefined {
  if (claim === undefined) return undefined;
  const volume = volumes.get(claim.spec?.volumeName ?? '');
  if (volume !== undefined) {
    const { csi } = volume.spec ?? {};
    return csi === undefined
      ? isTranslatable(volume)
        ? migratedDisk(volume.spec ?? {}, hasDrivers)
        : undefined
      : { driver: csi.driver, handle: csi.volumeHandle };
  }
  const provisioner = classes.get(storageClassNameOf(claim))?.provisioner;
  if (provisioner === undefined) return undefined;
  const driver = driverOf(provisioner);
  if (driver !== undefined && !(hasDrivers && MIGRATED.has(provisioner))) return undefined;
  return { driver: driver ?? provisioner, handle: `to be made\0${claim.metadata.namespace}/${claim.metadata.name}` };
}

const ZONES = ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'];

/**
 * Whether the driver can handle the disk. A GCE disk in several zones must be in one region: `us-east1-b__us-east1-c`.
 */
function isTranslatable({ metadata, spec }: Observed<PersistentVolume>): boolean {
  const zones =
    ZONES.map((label) => metadata.labels?.[label] ?? '')
      .find((text) => text !== '')
      ?.split('__') ?? [];
  if (spec?.gcePersistentDisk === undefined || zones.length < 2) return true;
  const regions = new Set(zones.map((zone) => zone.slice(0, zone.lastIndexOf('-'))));
  return regions.size === 1 && zones.every((zone) => zone.split('-').length === 3);
}

type Disk = Pick<
  DeepReadonly<Volume>,
  'awsElasticBlockStore' | 'azureDisk' | 'cinder' | 'gcePersistentDisk' | 'portworxVolume'
>;

/** An in-tree disk as the CSI driver sees it. */
function migratedDisk(disk: Disk, hasDrivers: boolean): DriverVolume | undefined {
  if (!hasDrivers) return undefined;
  const handles: readonly (readonly [string, string | undefined])[] = [
    ['kubernetes.io/aws-ebs', disk.awsElasticBlockStore?.volumeID],
    ['kubernetes.io/azure-disk', disk.azureDisk?.diskURI],
    ['kubernetes.io/cinder', disk.cinder?.volumeID],
    ['kubernetes.io/gce-pd', disk.gcePersistentDisk?.pdName],
    ['kubernetes.io/portworx-volume', disk.portworxVolume?.volumeID],
  ];
  const [plugin = '', handle] = handles.find(([, each]) => each !== undefined) ?? [];
  return handle === undefined ? undefined : { driver: driverOf(plugin) ?? plugin, handle };
}
