// The files of volumes that are built from the API: ConfigMaps, Secrets, fields of the pod, tokens.
import { Buffer } from 'node:buffer';
import { posix } from 'node:path';
import { type DeepReadonly, messageOf } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import { ContainerConfigError, fieldValue, type PodAddresses, resourceValue } from '../config/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import type { Volume, VolumeFile, VolumePayload } from '../backend/index.ts';

/** The bytes of a ConfigMap or Secret, by key. */
export type Contents = ReadonlyMap<string, Uint8Array>;

/** A ConfigMap or Secret. */
export interface VolumeObject {
  readonly contents: Contents;
  readonly isImmutable: boolean;
}

/** The objects that volumes are built from; undefined for ConfigMaps and Secrets that do not exist. */
export interface VolumeData {
  configMap(namespace: string, name: string): Promise<VolumeObject | undefined>;
  secret(namespace: string, name: string): Promise<VolumeObject | undefined>;
  token(pod: Observed<Pod>, source: DeepReadonly<core.ServiceAccountTokenProjection>): Promise<string>;
  trustAnchors(source: DeepReadonly<core.ClusterTrustBundleProjection>): Promise<string>;
  /** The pod needs nothing any more. */
  forgetPod(podUid: string): void;
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
const PRIVATE_MODE = 0o600;
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
  #isFixed = true;

  constructor(pod: Observed<Pod>, parts: VolumeFilesParts) {
    this.#pod = pod;
    this.#parts = parts;
  }

  async payload(sources: readonly Projection[], defaultMode = DEFAULT_MODE): Promise<VolumePayload> {
    const files = await Promise.all(sources.map((source) => this.#read(source, defaultMode)));
    return { files: files.flat(), missing: this.#missing, isFixed: this.#isFixed };
  }

  async #read(source: Projection, defaultMode: number): Promise<readonly VolumeFile[]> {
    const { data } = this.#parts;
    const { namespace = '' } = this.#pod.metadata;
    const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
    if (configMap !== undefined) {
      const found = await data.configMap(namespace, configMap.name ?? '');
      return this.#project('configmap', configMap, { found, defaultMode });
    }
    if (secret !== undefined) {
      const found = await data.secret(namespace, secret.name ?? '');
      return this.#project('secret', secret, { found, defaultMode });
    }
    this.#isFixed = false;
    if (serviceAccountToken !== undefined)
      return await this.#private(serviceAccountToken.path, defaultMode, () =>
        data.token(this.#pod, serviceAccountToken),
      );
    if (clusterTrustBundle !== undefined)
      return await this.#private(clusterTrustBundle.path, defaultMode, () => data.trustAnchors(clusterTrustBundle));
    if (podCertificate !== undefined) this.#missing.push('podCertificate sources are not supported on this node');
    return (downwardAPI?.items ?? []).flatMap((item) => {
      const text = this.#value(item);
      if (text === undefined) return [];
      return [{ path: inside(item.path), mode: item.mode ?? defaultMode, bytes: Buffer.from(text) }];
    });
  }

  /** A file for the user of the pod alone, and for its group if it has an fsGroup; as other files in pods without such a user or group. */
  async #private(path: string, defaultMode: number, read: () => Promise<string>): Promise<readonly VolumeFile[]> {
    const owner = userOf(this.#pod);
    const isOpen = owner === undefined && this.#pod.spec?.securityContext?.fsGroup === undefined;
    try {
      const bytes = Buffer.from(await read());
      const mode = isOpen ? defaultMode : PRIVATE_MODE;
      return [{ path: inside(path), mode, bytes, ...(owner === undefined ? {} : { owner }) }];
    } catch (error) {
      this.#missing.push(messageOf(error));
      return [];
    }
  }

  /** All keys as files of their names, or only the listed keys at their paths. */
  #project(
    kind: 'configmap' | 'secret',
    { name = '', items = [], optional = false }: KeyedProjection,
    { found, defaultMode }: { readonly found: VolumeObject | undefined; readonly defaultMode: number },
  ): readonly VolumeFile[] {
    if (found?.isImmutable !== true) this.#isFixed = false;
    if (found === undefined) {
      if (!optional) this.#missing.push(`${kind} ${JSON.stringify(name)} not found`);
      return [];
    }
    const { contents } = found;
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

/** The user that all containers of a pod run as; undefined when they do not say, or run as several. */
function userOf({ spec }: Observed<Pod>): number | undefined {
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])];
  const users = new Set(all.map((each) => each.securityContext?.runAsUser ?? spec?.securityContext?.runAsUser));
  const [user] = users;
  return users.size === 1 ? user : undefined;
}

/** Keeps paths within the volume. The API rejects others; this is a second line of defence. */
function inside(path: string): string {
  return posix.resolve('/', path).slice(1);
}
