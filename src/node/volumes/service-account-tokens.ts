import { type Clock, type DeepReadonly, messageOf, type Random } from '../../base/index.ts';
import { type Client, type Observed, type Pod, requestToken } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';

type TokenSource = DeepReadonly<core.ServiceAccountTokenProjection>;

/** Life of a token of a source that does not say. */
const TOKEN_SECONDS = 3600;
/** The share of its life after which a token is replaced, but after a day at the latest; a little earlier at random, so that not all nodes ask at once. */
const USED_SHARE = 0.8;
const MAX_USE_MS = 24 * 3600_000;
const MAX_JITTER_MS = 10_000;
/** A node has far fewer pods; what is beyond is asked for again. */
const MAX_TOKENS = 10_000;

/** A token, and until when it is valid. */
export interface PodToken {
  readonly token: string;
  readonly expirationTimestamp: string;
}

interface KnownToken extends PodToken {
  readonly podUid: string;
  readonly issuedMs: number;
  readonly expiresMs: number;
}

/** Tokens of service accounts for the volumes of pods, replaced before they expire. */
export class ServiceAccountTokens {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #known = new Map<string, KnownToken>();

  constructor(client: Client, { clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#client = client;
    this.#clock = clock;
    this.#random = random;
  }

  /** A token that is valid for a while. When no new one is issued, the old one is used for as long as it is valid. */
  async get(pod: Observed<Pod>, source: TokenSource): Promise<string> {
    return (await this.issued(pod, source)).token;
  }

  /** As `get`, with the end of the token's life. */
  async issued(pod: Observed<Pod>, source: Omit<TokenSource, 'path'>): Promise<PodToken> {
    const { audience = '', expirationSeconds = TOKEN_SECONDS } = source;
    const key = JSON.stringify([pod.metadata.uid, pod.spec?.serviceAccountName, audience, expirationSeconds]);
    const known = this.#known.get(key);
    if (known !== undefined && !this.#isDue(known)) return known;
    try {
      const issued = await this.#request(pod, audience, expirationSeconds);
      this.#keep(key, issued);
      return issued;
    } catch (error) {
      if (known === undefined) throw new Error(`failed to fetch token: ${messageOf(error)}`, { cause: error });
      if (this.#clock.now() <= known.expiresMs) return known;
      throw new Error(`token expired and refresh failed: ${messageOf(error)}`, { cause: error });
    }
  }

  /** The pod is gone, and its tokens are not valid any more. */
  forget(podUid: string): void {
    for (const [key, known] of this.#known) if (known.podUid === podUid) this.#known.delete(key);
  }

  async #request(pod: Observed<Pod>, audience: string, expirationSeconds: number): Promise<KnownToken> {
    const { name, uid, namespace = '' } = pod.metadata;
    const account = pod.spec?.serviceAccountName ?? 'default';
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name, uid };
    const audiences = audience === '' ? [] : [audience];
    const { token, expirationTimestamp } = await requestToken(
      this.#client.core.v1.serviceaccounts.namespace(namespace),
      account,
      { spec: { audiences, expirationSeconds, boundObjectRef } },
    );
    const issuedMs = this.#clock.now();
    const expiresMs = Date.parse(expirationTimestamp);
    return {
      podUid: uid,
      token,
      expirationTimestamp,
      issuedMs,
      expiresMs: Number.isNaN(expiresMs) ? issuedMs : expiresMs,
    };
  }

  #isDue({ issuedMs, expiresMs }: KnownToken): boolean {
    const usedMs = Math.min((expiresMs - issuedMs) * USED_SHARE, MAX_USE_MS);
    return this.#clock.now() > issuedMs + usedMs - this.#random.float() * MAX_JITTER_MS;
  }

  #keep(key: string, issued: KnownToken): void {
    this.#known.delete(key);
    this.#known.set(key, issued);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_TOKENS && oldest !== undefined) this.#known.delete(oldest);
  }
}
