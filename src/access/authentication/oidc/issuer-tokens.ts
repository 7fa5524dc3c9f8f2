import type { Clock } from '../../../base/index.ts';
import { type CompactJws, readJws } from '../jwt/compact-jws.ts';
import { isSignedBy } from '../jwt/signature-algorithms.ts';
import { MAX_TOKENS, RecentByDigest } from '../../recent-by-digest.ts';
import { refused, type TokenAuthenticator, type TokenFinding, UNKNOWN } from '../token-authenticator.ts';
import { ClaimError, userFrom } from './claim-mapper.ts';
import type { CompiledJwt } from './compile-configuration.ts';
import { RemoteKeys } from './remote-keys.ts';

/** How far the issuer's clock may be ahead of ours. */
const NOT_BEFORE_LEEWAY_MS = 5 * 60_000;

/** Authenticates the tokens of one issuer of OpenID Connect. */
export class IssuerTokens implements TokenAuthenticator {
  readonly #jwt: CompiledJwt;
  readonly #algorithms: readonly string[];
  readonly #clock: Clock;
  readonly #keys: RemoteKeys;
  /** By token: the generation of keys that verified its signature. */
  readonly #verified = new RecentByDigest<number>(MAX_TOKENS);

  constructor(jwt: CompiledJwt, options: { readonly algorithms: readonly string[]; readonly clock: Clock }) {
    this.#jwt = jwt;
    this.#algorithms = options.algorithms;
    this.#clock = options.clock;
    this.#keys = new RemoteKeys(jwt.configuration.issuer, options.clock);
  }

  async authenticate(token: string): Promise<TokenFinding> {
    const { url } = this.#jwt.configuration.issuer;
    const jws = readJws(token);
    if (jws === undefined || jws.claims['iss'] !== url) return UNKNOWN;
    const problem = this.#claimProblem(jws.claims) ?? (await this.#signatureProblem(token, jws));
    if (problem !== undefined) return refused(`oidc: verify token: ${problem}`);
    try {
      return { type: 'known', user: userFrom(jws.claims, this.#jwt) };
    } catch (error) {
      if (error instanceof ClaimError) return refused(error.message);
      throw error;
    }
  }

  #claimProblem({ aud, exp, nbf }: CompactJws['claims']): string | undefined {
    const nowMs = this.#clock.now();
    if (typeof exp !== 'number' || exp * 1000 < nowMs) return 'oidc: token is expired';
    if (typeof nbf === 'number' && nbf * 1000 > nowMs + NOT_BEFORE_LEEWAY_MS)
      return 'oidc: current time before the nbf (not before) time';
    const { audiences } = this.#jwt.configuration.issuer;
    const shown: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
    if (shown.some((one) => typeof one === 'string' && audiences.includes(one))) return undefined;
    const quoted = (texts: readonly unknown[]): string => `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
    return `oidc: expected audience in ${quoted(audiences.toSorted())} got ${quoted(shown)}`;
  }

  async #signatureProblem(token: string, jws: CompactJws): Promise<string | undefined> {
    if (this.#verified.get(token) === this.#keys.generation) return undefined;
    if (!this.#algorithms.includes(jws.algorithm)) {
      const expected = `[${this.#algorithms.map((name) => `"${name}"`).join(' ')}]`;
      return `oidc: id token signed with unsupported algorithm, expected ${expected} got ${JSON.stringify(jws.algorithm)}`;
    }
    for (const key of await this.#keys.keysFor(jws.keyId)) {
      if (!hasValidSignature(jws, key)) continue;
      this.#verified.set(token, this.#keys.generation);
      return undefined;
    }
    return 'failed to verify signature: failed to verify id token signature';
  }
}

function hasValidSignature(jws: CompactJws, key: Parameters<typeof isSignedBy>[1]): boolean {
  try {
    return isSignedBy(jws, key);
  } catch {
    return false; // a malformed signature is invalid
  }
}
