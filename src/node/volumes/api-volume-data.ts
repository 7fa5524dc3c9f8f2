import { Buffer } from 'node:buffer';
import type { DeepReadonly } from '../../base/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import { type Client, hasReason, type Observed, type Pod, requestToken } from '../../client/index.ts';
import type { Contents, VolumeData } from './volume-files.ts';

const TOKEN_SECONDS = 3600;

/** Reads the objects that volumes are built from, with the client of the node. */
export class ApiVolumeData implements VolumeData {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  configMap(namespace: string, name: string): Promise<Contents | undefined> {
    return unlessMissing(async () => {
      const { data = {}, binaryData = {} } = await this.#client.core.v1.configmaps.namespace(namespace).get(name);
      const texts = Object.entries(data).map(([key, text]) => [key, Buffer.from(text)] as const);
      return new Map([...texts, ...decoded(binaryData)]);
    });
  }

  secret(namespace: string, name: string): Promise<Contents | undefined> {
    return unlessMissing(async () => {
      const { data = {} } = await this.#client.core.v1.secrets.namespace(namespace).get(name);
      return new Map(decoded(data));
    });
  }

  token(
    { metadata: { name, uid, namespace = '' }, spec }: Observed<Pod>,
    { audience, expirationSeconds = TOKEN_SECONDS }: DeepReadonly<core.ServiceAccountTokenProjection>,
  ): Promise<string | undefined> {
    const accounts = this.#client.core.v1.serviceaccounts.namespace(namespace);
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name, uid };
    const audiences = audience === undefined || audience === '' ? [] : [audience];
    return unlessMissing(async () => {
      const account = spec?.serviceAccountName ?? 'default';
      const { token } = await requestToken(accounts, account, {
        spec: { audiences, expirationSeconds, boundObjectRef },
      });
      return token;
    });
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
