// The files of volumes that are built from the API: ConfigMaps, Secrets, fields of the pod, tokens.
import { Buffer } from 'node:buffer';
import { posix } from 'node:path';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import { ContainerConfigError, fieldValue, type PodAddresses, resourceValue } from '../config/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import type { Volume, VolumeFile, VolumePayload } from '../backend/index.ts';

/** The bytes of a ConfigMap or Secret, by key. */
export type Contents = ReadonlyMap<string, Uint8Array>;

/** The objects that volumes are built from; undefined for objects that do not exist. */
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

interface KeyedProjection {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

const DEFAULT_MODE = 0o644;
const MISSING_KEY = {
  configmap: 'configmap references non-existent config key: ',
  secret: 'references non-existent secret key: ',
} as const;

/** Whether the content of a volume is built from the API. */
export function hasPayload({ configMap, secret, downwardAPI, projected }: Volume): boolean {
  return (configMap ?? secret ?? downwardAPI ?? projected) !== undefined;
}

/** Builds the content of a volume from the API. */
export async function volumePayload(
  pod: Observed<Pod>,
  { configMap, secret, downwardAPI, projected }: Volume,
  parts: VolumeFilesParts,
): Promise<VolumePayload> {
  const reader = new ProjectionReader(pod, parts);
  if (configMap !== undefined) return reader.payload([{ configMap }], configMap.defaultMode);
  if (secret !== undefined) {
    const { secretName = '', items = [], optional = false, defaultMode } = secret;
    return reader.payload([{ secret: { name: secretName, items, optional } }], defaultMode);
  }
  if (downwardAPI !== undefined) return reader.payload([{ downwardAPI }], downwardAPI.defaultMode);
  return reader.payload(projected?.sources ?? [], projected?.defaultMode);
}

class ProjectionReader {
  readonly #pod: Observed<Pod>;
  readonly #parts: VolumeFilesParts;
  readonly #missing: string[] = [];

  constructor(pod: Observed<Pod>, parts: VolumeFilesParts) {
    this.#pod = pod;
    this.#parts = parts;
  }

  async payload(sources: readonly Projection[], defaultMode = DEFAULT_MODE): Promise<VolumePayload> {
    const files = await Promise.all(sources.map((source) => this.#read(source, defaultMode)));
    return { files: files.flat(), missing: this.#missing };
  }

  async #read(source: Projection, defaultMode: number): Promise<readonly VolumeFile[]> {
    const { data } = this.#parts;
    const { namespace = '' } = this.#pod.metadata;
    const { configMap, secret, downwardAPI, serviceAccountToken } = source;
    if (configMap !== undefined) {
      const contents = await data.configMap(namespace, configMap.name ?? '');
      return this.#project('configmap', configMap, { contents, defaultMode });
    }
    if (secret !== undefined) {
      const contents = await data.secret(namespace, secret.name ?? '');
      return this.#project('secret', secret, { contents, defaultMode });
    }
    if (serviceAccountToken !== undefined) {
      const token = await data.token(this.#pod, serviceAccountToken);
      const bytes = Buffer.from(token ?? '');
      if (token === undefined) this.#missing.push('service account not found');
      return token === undefined ? [] : [{ path: inside(serviceAccountToken.path), mode: defaultMode, bytes }];
    }
    return (downwardAPI?.items ?? []).flatMap((item) => {
      const text = this.#value(item);
      if (text === undefined) return [];
      return [{ path: inside(item.path), mode: item.mode ?? defaultMode, bytes: Buffer.from(text) }];
    });
  }

  /** All keys as files of their names, or only the listed keys at their paths. */
  #project(
    kind: 'configmap' | 'secret',
    { name = '', items = [], optional = false }: KeyedProjection,
    { contents, defaultMode }: { readonly contents: Contents | undefined; readonly defaultMode: number },
  ): readonly VolumeFile[] {
    if (contents === undefined) {
      if (!optional) this.#missing.push(`${kind} ${JSON.stringify(name)} not found`);
      return [];
    }
    const chosen = items.length === 0 ? [...contents.keys()].map((key): KeyToPath => ({ key, path: key })) : items;
    return chosen.flatMap(({ key, path, mode = defaultMode }) => {
      const bytes = contents.get(key);
      if (bytes === undefined && !optional) this.#missing.push(MISSING_KEY[kind] + key);
      return bytes === undefined ? [] : [{ path: inside(path), mode, bytes }];
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

/** Keeps paths within the volume. The API rejects others; this is a second line of defence. */
function inside(path: string): string {
  return posix.resolve('/', path).slice(1);
}
