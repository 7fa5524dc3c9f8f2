import { quoteGo } from '../../api/index.ts';
import type {
  DownwardAPIVolumeFile,
  KeyToPath,
  PersistentVolumeClaimSpec,
  Volume,
  VolumeProjection,
} from '../../api/types/core/v1.d.ts';
import { amount } from './resource-list.ts';

const DEPRECATED: readonly (readonly [name: keyof Volume, shown: string, since: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** Warnings about the volumes of a pod: plugins that are gone, claims with parts of bytes, files that hide each other. */
export function volumeWarnings(volumes: readonly Volume[], field: string): string[] {
  return [...volumes.flatMap((volume, index) => warnings(volume, `${field}[${index}]`)), ...volumes.flatMap(overlaps)];
}

function warnings(volume: Volume, field: string): string[] {
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  const old = DEPRECATED.filter(([name]) => volume[name] !== undefined);
  return [
    ...old.map(([, shown, since]) => `${field}.${shown}: ${since}`),
    ...(claim === undefined ? [] : claimWarnings(claim, `${field}.ephemeral.volumeClaimTemplate.spec`)),
  ];
}

/** Sizes of a claim with a fraction of a byte. */
export function claimWarnings({ resources = {} }: PersistentVolumeClaimSpec, field: string): string[] {
  return (['requests', 'limits'] as const).flatMap((name) => {
    const text = resources[name]?.['storage'];
    if (text === undefined || amount(text).scaledValue(-3) % 1000n === 0n) return [];
    const at = `${field}.resources.${name}[storage]`;
    return [`${at}: fractional byte value ${quoteGo(text)} is invalid, must be an integer`];
  });
}

interface PlacedFile {
  readonly path: string;
  /** What the file comes from; empty where the volume has one source. */
  readonly source: string;
}

function overlaps({ name, configMap, secret, downwardAPI, projected }: Volume): string[] {
  const warnings = (what: string, files: readonly PlacedFile[]): string[] =>
    collisions(files).map(({ text }) => `volume ${quoteGo(name)} (${what}): overlapping paths: ${text}`);
  return [
    ...warnings(`ConfigMap ${quoteGo(configMap?.name ?? '')}`, filesOf(configMap?.items)),
    ...warnings(`Secret ${quoteGo(secret?.secretName ?? '')}`, filesOf(secret?.items)),
    ...warnings('DownwardAPI', filesOf(downwardAPI?.items)),
    ...overlapsOfSources(projected?.sources ?? [], `volume ${quoteGo(name)} (Projected)`),
  ];
}

/** Of each source that it is none, or what it has in common with those before. */
function overlapsOfSources(sources: readonly VolumeProjection[], volume: string): string[] {
  const files = sources.flatMap((source, at) => projectedFiles(source).map((file) => ({ ...file, at })));
  const found = collisions(files);
  return sources.flatMap((source, at) =>
    Object.keys(source).length === 0
      ? [`${volume} has no sources provided`]
      : found.filter(({ index }) => files[index]?.at === at).map(({ text }) => `${volume}: overlapping paths: ${text}`),
  );
}

function filesOf(items: readonly (KeyToPath | DownwardAPIVolumeFile)[] = [], source = ''): PlacedFile[] {
  return items.map(({ path }) => ({ path, source }));
}

/** The files of a projection: those of the first source that it has. */
function projectedFiles(projection: VolumeProjection): PlacedFile[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = projection;
  if (configMap?.items !== undefined) return filesOf(configMap.items, `ConfigMap ${quoteGo(configMap.name ?? '')}`);
  if (secret?.items !== undefined) return filesOf(secret.items, `Secret ${quoteGo(secret.name ?? '')}`);
  if (downwardAPI?.items !== undefined) return filesOf(downwardAPI.items, 'DownwardAPI');
  if (serviceAccountToken !== undefined) return [{ path: serviceAccountToken.path, source: 'ServiceAccountToken' }];
  if (clusterTrustBundle !== undefined) {
    const { path, name, signerName = '' } = clusterTrustBundle;
    return [{ path, source: `ClusterTrustBundle ${quoteGo(name ?? signerName)}` }];
  }
  if (podCertificate === undefined) return [];
  const { certificateChainPath = '', keyPath = '', credentialBundlePath = '' } = podCertificate;
  return [
    { path: certificateChainPath, source: 'PodCertificate chain' },
    { path: keyPath, source: 'PodCertificate key' },
    { path: credentialBundlePath, source: 'PodCertificate credential bundle' },
  ].filter(({ path }) => path !== '');
}

/** Maximum number of collisions that one volume's warnings name: the header that carries them holds fewer. */
const MAX_COLLISIONS = 100;

/** A file, by its index, that has something in common with one before it. */
interface Collision {
  readonly index: number;
  readonly text: string;
}

/** Pairs of files of which one has the path of the other, or of a folder that it is in. */
function collisions(files: readonly PlacedFile[]): Collision[] {
  const known: PlacedFile[] = [];
  /** By path, the files there; by folder, the files below it: places in `known`. */
  const at = new Map<string, number[]>();
  const below = new Map<string, number[]>();
  const found: Collision[] = [];
  for (const [index, { path, source }] of files.entries()) {
    if (found.length >= MAX_COLLISIONS) break;
    const file = { path: path.replace(/\/+$/, ''), source };
    const folders = foldersOf(file.path);
    const places = [file.path, ...folders].flatMap((place) => at.get(place) ?? []);
    for (const place of [...places, ...(below.get(file.path) ?? [])].sort((left, right) => left - right)) {
      const other = known[place];
      if (other !== undefined) found.push({ index, text: `${shown(file)} with ${shown(other)}` });
    }
    if (file.path === '') continue;
    note(at, file.path, known.length);
    for (const folder of folders) note(below, folder, known.length);
    known.push(file);
  }
  return found.slice(0, MAX_COLLISIONS);
}

/** Deeper folders are not looked at, so that the work stays linear in the length of paths. */
const MAX_DEPTH = 32;

function foldersOf(path: string): string[] {
  const folders: string[] = [];
  let slash = path.indexOf('/', 1);
  while (slash > 0 && folders.length < MAX_DEPTH) {
    folders.push(path.slice(0, slash));
    slash = path.indexOf('/', slash + 1);
  }
  return folders;
}

function note(index: Map<string, number[]>, key: string, place: number): void {
  const places = index.get(key);
  if (places === undefined) index.set(key, [place]);
  else if (places.length < MAX_COLLISIONS) places.push(place);
}

function shown({ path, source }: PlacedFile): string {
  return source === '' ? quoteGo(path) : `${quoteGo(path)} (${source})`;
}
