import { Buffer } from 'node:buffer';
import type { Clock, DeepReadonly, Random } from '../../base/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import type { Client, Observed, Pod } from '../../client/index.ts';
import type { PodObjects } from '../objects/index.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { trustAnchors } from './trust-bundles.ts';
import type { VolumeData, VolumeObject } from './volume-files.ts';

export interface ApiVolumeDataParts {
  readonly objects: Pick<PodObjects, 'get'>;
  readonly clock: Clock;
  readonly random: Random;
}

/** Reads what volumes are built from, with the client of the node. */
export class ApiVolumeData implements VolumeData {
  readonly #client: Client;
  readonly #parts: ApiVolumeDataParts;
  readonly #tokens: ServiceAccountTokens;

  constructor(client: Client, parts: ApiVolumeDataParts) {
    this.#client = client;
    this.#parts = parts;
    this.#tokens = new ServiceAccountTokens(client, parts);
  }

  async configMap(namespace: string, name: string): Promise<VolumeObject | undefined> {
    const found = await this.#parts.objects.get({ kind: 'configmap', namespace, name });
    if (found === undefined) return undefined;
    const { data = {}, binaryData = {}, immutable: isImmutable = false } = found;
    const texts = Object.entries(data).map(([key, text]) => [key, Buffer.from(text)] as const);
    return { contents: new Map([...texts, ...decoded(binaryData)]), isImmutable };
  }

  async secret(namespace: string, name: string): Promise<VolumeObject | undefined> {
    const found = await this.#parts.objects.get({ kind: 'secret', namespace, name });
    return found === undefined
      ? undefined
      : { contents: new Map(decoded(found.data ?? {})), isImmutable: found.immutable === true };
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
}

function decoded(data: Readonly<Record<string, string>>): readonly (readonly [string, Uint8Array])[] {
  return Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64')] as const);
}
