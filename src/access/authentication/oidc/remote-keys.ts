import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { AbortScope, type Clock, messageOf } from '../../../base/index.ts';
import { HttpClient } from '../../../wire/http/index.ts';
import { algorithmOf } from '../jwt/signature-algorithms.ts';
import type { IssuerConfiguration } from './configuration.ts';

interface RemoteKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Minimum interval between fetches for unknown keys, so that tokens with made-up key IDs cannot cause more. */
const MIN_FETCH_INTERVAL_MS = 1000;
/** An issuer that did not answer is asked again after this time. */
const RETRY_AFTER_MS = 10_000;
const MAX_KEYS = 100;

/** The public keys of an issuer, found through its discovery document; kept until a token names an unknown key. */
export class RemoteKeys {
  readonly #issuer: IssuerConfiguration;
  readonly #clock: Clock;
  /** Incremented each time the keys are fetched: signatures that an earlier set verified must be verified again. */
  generation = 0;
  #keysUrl: string | undefined;
  #keys: readonly RemoteKey[] = [];
  #lookedAtMs = -Infinity;
  #failure: string | undefined;
  #looking: Promise<void> | undefined;

  constructor(issuer: IssuerConfiguration, clock: Clock) {
    this.#issuer = issuer;
    this.#clock = clock;
  }

  /** The keys that may have signed a token which names this key ID, or none. Throws when the issuer cannot be reached. */
  async keysFor(keyId: string): Promise<readonly KeyObject[]> {
    const known = this.#matching(keyId);
    if (known.length > 0) return known;
    await this.#look();
    return this.#matching(keyId);
  }

  #matching(keyId: string): readonly KeyObject[] {
    return this.#keys.filter(({ id }) => keyId === '' || id === keyId).map(({ key }) => key);
  }

  async #look(): Promise<void> {
    const waitMs = this.#failure === undefined ? MIN_FETCH_INTERVAL_MS : RETRY_AFTER_MS;
    if (this.#looking === undefined && this.#clock.monotonic() - this.#lookedAtMs >= waitMs) {
      this.#lookedAtMs = this.#clock.monotonic();
      this.#looking = this.#fetch().finally(() => (this.#looking = undefined));
    }
    await this.#looking;
    if (this.#failure !== undefined && this.#keys.length === 0)
      throw new Error(`oidc: authenticator not initialized: ${this.#failure}`);
  }

  async #fetch(): Promise<void> {
    try {
      const { certificateAuthority } = this.#issuer;
      const options = {
        clock: this.#clock,
        ...(certificateAuthority === '' ? {} : { authorities: certificateAuthority }),
      };
      this.#keysUrl ??= await this.#discover(options);
      this.#keys = readKeys(await fetchJson(this.#keysUrl, options));
      this.generation += 1;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = messageOf(error);
    }
  }

  async #discover(options: Parameters<typeof fetchJson>[1]): Promise<string> {
    const { url, discoveryURL } = this.#issuer;
    const place = discoveryURL === '' ? `${url.replace(/\/$/, '')}/.well-known/openid-configuration` : discoveryURL;
    const { issuer, jwks_uri: keysUrl } = (await fetchJson(place, options)) as Readonly<Record<string, unknown>>;
    if (issuer !== url) {
      const got = JSON.stringify(issuer);
      throw new Error(`oidc: issuer did not match the issuer returned by provider, expected "${url}" got ${got}`);
    }
    if (typeof keysUrl !== 'string' || !URL.canParse(keysUrl) || new URL(keysUrl).protocol !== 'https:')
      throw new Error('provider did not return JWKS URL');
    return keysUrl;
  }
}

/** Skips keys that are not for signing and keys of unsupported types. */
function readKeys(document: unknown): readonly RemoteKey[] {
  const keys = (document as { readonly keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys)) throw new Error('the key set has no keys');
  return keys.slice(0, MAX_KEYS).flatMap((one: JsonWebKey & { readonly kid?: unknown; readonly use?: unknown }) => {
    if (one?.use !== undefined && one.use !== 'sig') return [];
    try {
      const key = createPublicKey({ key: one, format: 'jwk' });
      return algorithmOf(key) === undefined ? [] : [{ id: typeof one.kid === 'string' ? one.kid : '', key }];
    } catch {
      return []; // a key that cannot be parsed is skipped
    }
  });
}

interface FetchOptions {
  /** PEM of trusted authorities; default the system's. */
  readonly authorities?: string;
  readonly clock: Clock;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/** Gets a small JSON document over HTTPS, with limits of time and size. Redirects are not followed. */
async function fetchJson(url: string, { authorities, clock }: FetchOptions): Promise<unknown> {
  const server = new URL(url);
  const client = new HttpClient({ target: { server }, authorities: async () => authorities, clock });
  using scope = new AbortScope();
  using _timeUp = clock.timer(TIMEOUT_MS, () => scope.abort(new Error(`no answer in ${TIMEOUT_MS} ms`)));
  try {
    const path = server.pathname + server.search;
    const headers = { accept: 'application/json', 'user-agent': 'kube-apiserver' };
    const { status, chunks } = await client.request({ method: 'GET', path, headers, signal: scope.signal });
    const body: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
      body.push(chunk);
    }
    if (status !== 200) throw new Error(`the answer has status ${status}`);
    return JSON.parse(Buffer.concat(body).toString());
  } finally {
    client.destroy();
  }
}
