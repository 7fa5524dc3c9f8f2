// Volumes of CSI drivers as volumes of the former in-tree plugins whose class they were made for.
import type { DeepReadonly } from '../../../base/index.ts';
import type { CSIPersistentVolumeSource, NodeSelectorTerm, PersistentVolume } from '../../types/core/v1.d.ts';
import { driverOf, ZONE_KEYS } from './migrated-plugins.ts';

type Spec = NonNullable<PersistentVolume['spec']>;
type Source = DeepReadonly<CSIPersistentVolumeSource>;

const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
/** Between the zones of a volume that is in several. */
const ZONE_SEPARATOR = '__';
const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'] as const;
const VSPHERE_REGION = 'topology.csi.vmware.com/region';

/** How the source of a driver is said to its plugin, and what annotations the volume gets. */
interface Plugin {
  source(csi: Source): Partial<Spec>;
  annotations?(csi: Source): Readonly<Record<string, string>>;
  /** The region of zones; without it the volume says nothing about its region. */
  regionOf?(zones: readonly string[]): string;
}

const plugins: Readonly<Record<string, Plugin>> = {
  'kubernetes.io/aws-ebs': {
    source: (csi) => ({
      awsElasticBlockStore: { volumeID: csi.volumeHandle, ...commonOf(csi), ...partitionOf(csi) },
    }),
    regionOf: (zones) => onlyOne(zones.map(amazonRegion)),
  },
  'kubernetes.io/azure-disk': { source: azureDisk },
  'kubernetes.io/azure-file': { source: azureFile, annotations: resourceGroup },
  'kubernetes.io/cinder': { source: (csi) => ({ cinder: { volumeID: csi.volumeHandle, ...commonOf(csi) } }) },
  'kubernetes.io/gce-pd': {
    source: (csi) => ({ gcePersistentDisk: { pdName: diskName(csi), ...commonOf(csi), ...partitionOf(csi) } }),
    regionOf: (zones) => onlyOne(zones.map(googleRegion)),
  },
  'kubernetes.io/portworx-volume': {
    source: (csi) => ({ portworxVolume: { volumeID: csi.volumeHandle, ...commonOf(csi) } }),
  },
  'kubernetes.io/vsphere-volume': {
    source: ({ fsType, volumeAttributes = {} }) => ({
      vsphereVolume: {
        volumePath: volumeAttributes['initialvolumefilepath'] ?? '',
        ...(fsType === undefined ? {} : { fsType }),
      },
    }),
  },
};

/**
 * A volume of a CSI driver as a volume of the former in-tree plugin that the driver has replaced, for the classes of that plugin: with its
 * source, and with Kubernetes' labels in place of the driver's for where it is. Throws when the driver's answer does not allow that.
 */
export function inTreeVolume(volume: PersistentVolume, plugin: string): PersistentVolume {
  const { csi, ...spec } = volume.spec ?? {};
  const found = driverOf(plugin) === csi?.driver ? plugins[plugin] : undefined;
  if (found === undefined || csi === undefined) return volume;
  const annotations = { ...volume.metadata?.annotations, ...found.annotations?.(csi) };
  const terms = placed(spec.nodeAffinity?.required?.nodeSelectorTerms ?? [], plugin, found);
  const [zones, regions] = [valuesOf(terms, ZONE), valuesOf(terms, REGION)];
  const isVsphere = plugin === 'kubernetes.io/vsphere-volume';
  const labels = {
    ...(zones.length === 0 || plugin === 'kubernetes.io/azure-disk'
      ? {}
      : { [ZONE]: isVsphere ? (zones[0] ?? '') : zones.join(ZONE_SEPARATOR) }),
    ...(regions.length === 0 || (!isVsphere && regions.length > 1) ? {} : { [REGION]: regions[0] ?? '' }),
    ...volume.metadata?.labels,
  };
  return {
    ...volume,
    metadata: {
      ...volume.metadata,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
    },
    spec: {
      ...spec,
      ...found.source(csi),
      ...(terms.length === 0 ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
    },
  };
}

/** Terms with Kubernetes' labels for the driver's, and with the region of the zones in each. */
function placed(terms: readonly NodeSelectorTerm[], plugin: string, { regionOf }: Plugin): NodeSelectorTerm[] {
  const key = ZONE_KEYS[plugin];
  if (key === undefined || plugin === 'kubernetes.io/azure-disk') return [...terms]; // the driver's own label says less or more than a zone
  const names: Readonly<Record<string, string>> = {
    [key]: ZONE,
    ...(plugin === 'kubernetes.io/vsphere-volume' ? { [VSPHERE_REGION]: REGION } : {}),
  };
  return terms.map((term) => {
    const found = (term.matchExpressions ?? []).map((each) => ({ ...each, key: names[each.key] ?? each.key }));
    if (regionOf === undefined || found.some((each) => each.key === REGION))
      return { ...term, matchExpressions: found };
    const zones = found.flatMap((each) => (each.key === ZONE ? (each.values ?? []) : []));
    const region = { key: REGION, operator: 'In' as const, values: [regionOf(zones)] };
    return { ...term, matchExpressions: [...found, region] };
  });
}

function valuesOf(terms: readonly NodeSelectorTerm[], key: string): string[] {
  const found = terms.flatMap(({ matchExpressions = [] }) =>
    matchExpressions.flatMap((each) => (each.key === key ? (each.values ?? []) : [])),
  );
  return [...new Set(found)].toSorted();
}

/** The one that all are. */
function onlyOne(regions: readonly string[]): string {
  const [region, ...more] = new Set(regions);
  if (region === undefined) throw new Error('no zones specified');
  if (more.length > 0)
    throw new Error(`multiple or no regions gotten from zones, got: ${[region, ...more].join(', ')}`);
  return region;
}

/** Such as us-west-2 of us-west-2a, us-west-2-lax-1a (a local zone) and us-east-1-wl1-bos-wlz-1 (a wavelength zone). */
function amazonRegion(zone: string): string {
  const parts = zone.split('-');
  const last = parts.at(-1) ?? '';
  if ((parts.length === 3 || parts.length === 4) && last.length === 2)
    return [...parts.slice(0, -1), last.slice(0, 1)].join('-');
  if (parts.length === 5 || parts.length === 7) return parts.slice(0, 3).join('-');
  throw new Error(`Unexpected zone format: ${zone} is not a valid AWS zone`);
}

/** Such as us-central1 of us-central1-a. */
function googleRegion(zone: string): string {
  const parts = zone.split('-');
  if (parts.length === 3) return parts.slice(0, 2).join('-');
  throw new Error(`zone in unexpected format, expected: {locale}-{region}-{zone}, got: ${zone}`);
}

function commonOf({ fsType, readOnly }: Source): { fsType?: string; readOnly?: boolean } {
  return { ...(fsType === undefined ? {} : { fsType }), ...(readOnly === true ? { readOnly } : {}) };
}

function partitionOf({ volumeAttributes = {} }: Source): { partition?: number } {
  const text = volumeAttributes['partition'] ?? '';
  if (text === '' || text === '0') return {};
  if (!/^[+-]?\d+$/.test(text)) throw new Error(`failed to convert partition ${text} to integer`);
  return { partition: Number(text) };
}

/** The name of a GCE disk from `projects/P/zones/Z/disks/NAME`. */
function diskName({ volumeHandle }: Source): string {
  const name = volumeHandle.split('/')[5];
  if (name === undefined) throw new Error(`failed to get the name of a disk from the handle ${volumeHandle}`);
  return name;
}

function azureDisk({ volumeHandle, fsType = '', readOnly = false, volumeAttributes = {} }: Source): Partial<Spec> {
  const [, diskName] =
    /\/subscriptions\/.*\/resourceGroups\/.*\/providers\/Microsoft.Compute\/disks\/(.+)/.exec(volumeHandle) ?? [];
  if (diskName === undefined) throw new Error(`could not get disk name from ${volumeHandle}`);
  const attributes = Object.entries(volumeAttributes).map(([name, value]) => [name.toLowerCase(), value] as const);
  const named = (name: string): string | undefined =>
    attributes.find(([its, value]) => its === name && value !== '')?.[1];
  const cachingMode = CACHING_MODES.find((mode) => mode === named('cachingmode'));
  return {
    azureDisk: {
      diskName,
      diskURI: volumeHandle,
      fsType: named('fstype') ?? fsType,
      readOnly,
      kind: 'Managed',
      ...(cachingMode === undefined ? {} : { cachingMode }),
    },
  };
}

function azureFile(csi: Source): Partial<Spec> {
  const { readOnly, volumeHandle, volumeAttributes = {}, nodeStageSecretRef: secret } = csi;
  const attributes = Object.fromEntries(
    Object.entries(volumeAttributes).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const [, account = '', share = ''] = volumeHandle.split('#');
  const shareName = attributes['sharename'] ?? '';
  const secretName = secret?.name ?? attributes['secretname'] ?? '';
  if ((shareName === '' || secretName === '') && volumeHandle.split('#').length < 3)
    throw new Error(`error parsing volume id: ${JSON.stringify(volumeHandle)}, should at least contain two #`);
  return {
    azureFile: {
      shareName: shareName === '' ? share : shareName,
      secretName: secretName === '' ? `azure-storage-account-${account}-secret` : secretName,
      secretNamespace: secret?.namespace ?? attributes['secretnamespace'] ?? 'default',
      ...(readOnly === true ? { readOnly } : {}),
    },
  };
}

/** The resource group of a share, where the volume's handle had to be read for its share or secret. */
function resourceGroup({
  volumeHandle,
  volumeAttributes = {},
  nodeStageSecretRef,
}: Source): Readonly<Record<string, string>> {
  const names = Object.keys(volumeAttributes).map((name) => name.toLowerCase());
  const isKnown = names.includes('sharename') && (nodeStageSecretRef !== undefined || names.includes('secretname'));
  const [group = ''] = isKnown ? [] : volumeHandle.split('#');
  return group === '' ? {} : { 'kubernetes.io/azure-file-resource-group': group };
}
