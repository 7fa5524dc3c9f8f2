import { Buffer } from 'node:buffer';
import type { Clock, DeepReadonly, Random } from '../../base/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import { type Client, hasReason, type Observed, type Pod } from '../../client/index.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { trustAnchors } from './trust-bundles.ts';
import type { VolumeData, VolumeObject } from './volume-files.ts';

/** Objects that are remembered so that pods which are refreshed at the same time share a request. */
const MAX_RECENT = 1000;

export interface ApiVolumeDataParts {
  readonly clock: Clock;
  readonly random: Random;
}

/** Reads the objects that volumes are built from, with the client of the node. */
export class ApiVolumeData implements VolumeData {
  readonly #client: Client;
  readonly #parts: ApiVolumeDataParts;
  readonly #tokens: ServiceAccountTokens;
  readonly #recent = new Map<string, { readonly readMs: number; readonly object: Promise<VolumeObject | undefined> }>();

  constructor(client: Client, parts: ApiVolumeDataParts) {
    this.#client = client;
    this.#parts = parts;
    this.#tokens = new ServiceAccountTokens(client, parts);
  }

  configMap(namespace: string, name: string, maxAgeMs: number): Promise<VolumeObject | undefined> {
    return this.#read(`configmap ${namespace}/${name}`, maxAgeMs, async () => {
      const found = await this.#client.core.v1.configmaps.namespace(namespace).get(name);
      const { data = {}, binaryData = {}, immutable: isImmutable = false } = found;
      const texts = Object.entries(data).map(([key, text]) => [key, Buffer.from(text)] as const);
      return { contents: new Map([...texts, ...decoded(binaryData)]), isImmutable };
    });
  }

  secret(namespace: string, name: string, maxAgeMs: number): Promise<VolumeObject | undefined> {
    return this.#read(`secret ${namespace}/${name}`, maxAgeMs, async () => {
      const found = await this.#client.core.v1.secrets.namespace(namespace).get(name);
      const { data = {}, immutable: isImmutable = false } = found;
      return { contents: new Map(decoded(data)), isImmutable };
    });
  }

  token(pod: Observed<Pod>, source: DeepReadonly<core.ServiceAccountTokenProjection>): Promise<string> {
    return this.#tokens.get(pod, source);
  }

  trustAnchors(source: DeepReadonly<core.ClusterTrustBundleProjection>): Promise<string> {
    return trustAnchors(this.#client, source, this.#parts.random);
  }

  forgetPod(podUid: string): void {
    this.#tokens.forget(podUid);
  }

  #read(key: string, maxAgeMs: number, get: () => Promise<VolumeObject>): Promise<VolumeObject | undefined> {
    if (maxAgeMs === 0) return unlessMissing(get);
    const readMs = this.#parts.clock.now();
    for (const [other, known] of this.#recent) {
      if (readMs - known.readMs <= maxAgeMs && this.#recent.size <= MAX_RECENT) break; // the others are younger
      this.#recent.delete(other);
    }
    const known = this.#recent.get(key);
    if (known !== undefined) return known.object;
    const object = unlessMissing(get);
    this.#recent.set(key, { readMs, object });
    object.catch(() => this.#recent.delete(key));
    return object;
  }
}

function decoded(data: Readonly<Record<string, string>>): readonly (readonly [string, Uint8Array])[] {
  return Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64')] as const);
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
