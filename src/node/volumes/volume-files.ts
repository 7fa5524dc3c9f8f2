// The files of volumes that are made from the API: ConfigMaps, Secrets, fields of the pod, tokens.
import { Buffer } from 'node:buffer';
import { posix } from 'node:path';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import { ContainerConfigError, fieldValue, type PodAddresses, resourceValue } from '../config/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import type { Volume } from '../runtime/index.ts';

/** A file, by its path within the volume. */
export interface VolumeFile {
  readonly path: string;
  readonly mode: number;
  readonly bytes: Uint8Array;
}

/** The bytes of a ConfigMap or Secret, by key. */
export type Contents = ReadonlyMap<string, Uint8Array>;

/** What volumes are made from; undefined for what is not there. */
export interface VolumeData {
  configMap(namespace: string, name: string): Promise<Contents | undefined>;
  secret(namespace: string, name: string): Promise<Contents | undefined>;
  token(pod: Observed<Pod>, source: DeepReadonly<core.ServiceAccountTokenProjection>): Promise<string | undefined>;
}

export interface VolumeFilesParts extends PodAddresses {
  readonly data: VolumeData;
  readonly allocatable: Readonly<Record<string, string>>;
}

type KeyToPath = DeepReadonly<core.KeyToPath>;
type DownwardFile = DeepReadonly<core.DownwardAPIVolumeFile>;
type Projection = DeepReadonly<core.VolumeProjection>;

const DEFAULT_MODE = 0o644;

/** Undefined for volumes of other kinds, whose files nobody knows. What a volume refers to and is not there is left out. */
export async function volumeFiles(
  pod: Observed<Pod>,
  { configMap, secret, downwardAPI, projected }: Volume,
  parts: VolumeFilesParts,
): Promise<readonly VolumeFile[] | undefined> {
  const reader = new ProjectionReader(pod, parts);
  if (configMap !== undefined) return reader.read({ configMap }, configMap.defaultMode);
  if (secret !== undefined) {
    const { secretName = '', items = [], defaultMode } = secret;
    return reader.read({ secret: { name: secretName, items } }, defaultMode);
  }
  if (downwardAPI !== undefined) return reader.read({ downwardAPI }, downwardAPI.defaultMode);
  if (projected === undefined) return undefined;
  const files = await Promise.all(
    (projected.sources ?? []).map((source) => reader.read(source, projected.defaultMode)),
  );
  return files.flat();
}

class ProjectionReader {
  readonly #pod: Observed<Pod>;
  readonly #parts: VolumeFilesParts;

  constructor(pod: Observed<Pod>, parts: VolumeFilesParts) {
    this.#pod = pod;
    this.#parts = parts;
  }

  async read(source: Projection, defaultMode = DEFAULT_MODE): Promise<readonly VolumeFile[]> {
    const { data } = this.#parts;
    const { namespace = '' } = this.#pod.metadata;
    const { configMap, secret, downwardAPI, serviceAccountToken } = source;
    if (configMap !== undefined) {
      return projectKeys(await data.configMap(namespace, configMap.name ?? ''), configMap.items, defaultMode);
    }
    if (secret !== undefined) {
      return projectKeys(await data.secret(namespace, secret.name ?? ''), secret.items, defaultMode);
    }
    if (serviceAccountToken !== undefined) {
      const token = await data.token(this.#pod, serviceAccountToken);
      const bytes = Buffer.from(token ?? '');
      return token === undefined ? [] : [{ path: inside(serviceAccountToken.path), mode: defaultMode, bytes }];
    }
    return (downwardAPI?.items ?? []).flatMap((item) => {
      const text = this.#value(item);
      if (text === undefined) return [];
      return [{ path: inside(item.path), mode: item.mode ?? defaultMode, bytes: Buffer.from(text) }];
    });
  }

  #value({ fieldRef, resourceFieldRef }: DownwardFile): string | undefined {
    const { allocatable } = this.#parts;
    const [container] = this.#pod.spec?.containers ?? [];
    try {
      if (fieldRef !== undefined) return fieldValue(this.#pod, fieldRef.fieldPath, this.#parts);
      if (resourceFieldRef === undefined || container === undefined) return undefined;
      return resourceValue(this.#pod, resourceFieldRef, { container: container satisfies ContainerSpec, allocatable });
    } catch (error) {
      if (error instanceof ContainerConfigError) return undefined;
      throw error;
    }
  }
}

/** All keys as files of their names, or those that are listed at the paths that are given. */
function projectKeys(
  contents: Contents | undefined,
  items: readonly KeyToPath[] = [],
  defaultMode: number,
): readonly VolumeFile[] {
  if (contents === undefined) return [];
  const chosen = items.length === 0 ? [...contents.keys()].map((key): KeyToPath => ({ key, path: key })) : items;
  return chosen.flatMap(({ key, path, mode = defaultMode }) => {
    const bytes = contents.get(key);
    return bytes === undefined ? [] : [{ path: inside(path), mode, bytes }];
  });
}

/** Paths that lead out of the volume are refused by the API; this keeps them in all the same. */
function inside(path: string): string {
  return posix.resolve('/', path).slice(1);
}
