// What kinds of volumes there are.
import type { Observed, PersistentVolume, Pod } from '../../client/index.ts';
import type { Volume, VolumeSource } from '../backend/index.ts';

/** Everything that downward volumes may show of a pod and that may change. */
export function downwardFacts({ metadata, spec }: Observed<Pod>): string {
  const resources = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((each) => each.resources);
  return JSON.stringify([metadata.labels, metadata.annotations, resources]);
}

export function isDownward({ downwardAPI, projected }: Volume): boolean {
  return downwardAPI !== undefined || projected?.sources?.some((source) => source.downwardAPI !== undefined) === true;
}

/** Why containers of a pod cannot use a volume in the way they ask for: as files, or as a block device. */
export function modeProblem(
  { spec }: Observed<Pod>,
  { name }: Volume,
  bound: Observed<PersistentVolume>,
): string | undefined {
  const { volumeMode = 'Filesystem' } = bound.spec ?? {};
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])];
  const place = volumeMode === 'Block' ? 'volumeMounts' : 'volumeDevices';
  const isUsed = all.some((container) => container[place]?.some((use) => use.name === name) === true);
  return isUsed ? `volume ${name} has volumeMode ${volumeMode}, but is specified in ${place}` : undefined;
}

/** Why no plugin mounts a volume, in the words of a kubelet, and which kind it is. */
export function unsupportedVolume({ volume, persistentVolume }: VolumeSource): string {
  const { name, ...source } = volume;
  const kinds: Readonly<Record<string, unknown>> = persistentVolume?.spec ?? source;
  const kind = VOLUME_KINDS.find((each) => kinds[each] !== undefined) ?? Object.keys(source)[0] ?? 'unknown';
  const words = `failed to get Plugin from volumeSpec for volume ${JSON.stringify(persistentVolume?.metadata.name ?? name)}`;
  return `${words} err=no volume plugin matched: this node does not support ${kind} volumes`;
}

/** The kinds that a kubelet has or had, by their fields. */
const VOLUME_KINDS = [
  ...['awsElasticBlockStore', 'azureDisk', 'azureFile', 'cephfs', 'cinder', 'csi', 'fc', 'flexVolume', 'flocker'],
  ...[
    'gcePersistentDisk',
    'gitRepo',
    'glusterfs',
    'hostPath',
    'image',
    'iscsi',
    'local',
    'nfs',
    'photonPersistentDisk',
  ],
  ...['portworxVolume', 'quobyte', 'rbd', 'scaleIO', 'storageos', 'vsphereVolume'],
];

/** The plugins of a kubelet, by the field of the volume that is theirs. */
const PLUGIN_NAMES: Readonly<Record<string, string>> = {
  configMap: 'configmap',
  downwardAPI: 'downward-api',
  emptyDir: 'empty-dir',
  hostPath: 'host-path',
  image: 'image',
  local: 'local-volume',
  nfs: 'nfs',
  projected: 'projected',
  secret: 'secret',
};

/** The name of a volume's plugin in metrics: `kubernetes.io/empty-dir`. */
export function pluginNameOf({ volume, persistentVolume }: VolumeSource): string {
  const kinds = persistentVolume?.spec ?? volume;
  if (kinds.csi !== undefined) return `kubernetes.io/csi:${kinds.csi.driver}`;
  if (kinds.flexVolume !== undefined) return `flexvolume-${kinds.flexVolume.driver}`;
  const field = Object.keys(kinds).find((each) => PLUGIN_NAMES[each] !== undefined);
  return field === undefined ? '<n/a>' : `kubernetes.io/${PLUGIN_NAMES[field]}`;
}
