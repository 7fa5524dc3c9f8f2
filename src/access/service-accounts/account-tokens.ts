import type { ServerObjects } from '../../apiserver/index.ts';
import type { Clock } from '../../base/index.ts';
import { type CompactJws, readJws } from '../authentication/jwt/compact-jws.ts';
import { isSignedBy } from '../authentication/jwt/signature-algorithms.ts';
import type { VerificationKey } from '../authentication/jwt/verification-key.ts';
import { MAX_TOKENS, RecentByDigest } from '../recent-by-digest.ts';
import {
  refused,
  type TokenAuthenticator,
  type TokenFinding,
  type TokenNotes,
  type TokenQuestion,
  UNKNOWN,
} from '../authentication/token-authenticator.ts';
import { accountUser } from './account-user.ts';
import { LEEWAY_MS, TokenObjects } from './bound-object-check.ts';
import { checkLegacyToken } from './legacy-secret-check.ts';
import type { LegacyTokenUse } from './legacy-token-use.ts';
import { readClaims, type TokenClaims } from './token-claims.ts';

/** The issuer of tokens that are kept in Secrets. */
const LEGACY_ISSUER = 'kubernetes/serviceaccount';

export interface AccountTokenOptions {
  /** Tokens are issued in the name of the first one; tokens of all are accepted. */
  readonly issuers: readonly string[];
  readonly keys: () => readonly VerificationKey[];
  readonly apiAudiences: readonly string[];
  readonly objects: ServerObjects;
  readonly clock: Clock;
  /** Records the use of tokens that are kept in Secrets. */
  readonly use: LegacyTokenUse;
}

/**
 * Authenticates tokens of service accounts. The signature of a token is verified once; whether it has expired, and whether the objects it
 * is bound to still exist, is checked at every use.
 */
export class AccountTokens implements TokenAuthenticator {
  readonly name = 'service account tokens';
  readonly #options: AccountTokenOptions;
  readonly #issuers: ReadonlySet<string>;
  readonly #objects: TokenObjects;
  readonly #verified = new RecentByDigest<TokenClaims>(MAX_TOKENS);

  constructor(options: AccountTokenOptions) {
    this.#options = options;
    this.#issuers = new Set([...options.issuers, LEGACY_ISSUER]);
    this.#objects = new TokenObjects(options.objects);
  }

  async authenticate(token: string, question: TokenQuestion): Promise<TokenFinding> {
    const claims = this.#verified.get(token) ?? this.#verify(token);
    if ('type' in claims) return claims;
    const { apiAudiences } = this.#options;
    const tokenAudiences = claims.audiences.length === 0 ? apiAudiences : claims.audiences;
    const audiences = question.audiences.filter((audience) => tokenAudiences.includes(audience));
    if (audiences.length === 0 && apiAudiences.length > 0) {
      return refused(
        `token audiences ${quoted(tokenAudiences)} is invalid for the target audiences ${quoted(question.audiences)}`,
      );
    }
    const finding =
      claims.issuer === LEGACY_ISSUER
        ? await checkLegacyToken(token, claims, { objects: this.#objects, use: this.#options.use })
        : await this.#checkBound(claims);
    if (finding.type !== 'known') return finding;
    if (claims.audiences.length > 0) return { ...finding, audiences };
    const annotations = { 'authentication.k8s.io/legacy-token': claims.subject, ...finding.notes?.annotations };
    return { ...finding, audiences, notes: { ...finding.notes, annotations } };
  }

  #verify(token: string): TokenClaims | TokenFinding {
    const jws = readJws(token);
    const issuer = jws?.claims['iss'];
    if (jws === undefined || typeof issuer !== 'string' || !this.#issuers.has(issuer)) return UNKNOWN;
    const keys = this.#options.keys();
    const fitting = jws.keyId === '' ? keys : keys.filter(({ id }) => id === jws.keyId);
    if (fitting.length === 0) return refused('invalid signature, no keys found');
    if (!fitting.some(({ key }) => hasValidSignature(jws, key)))
      return refused('go-jose/go-jose: error in cryptographic primitive');
    const claims = readClaims(jws.claims);
    if (claims === undefined) return refused('claims of the token are not of the right types');
    this.#verified.set(token, claims);
    return claims;
  }

  async #checkBound(claims: TokenClaims): Promise<TokenFinding> {
    const nowMs = this.#options.clock.now();
    const problem = timeProblem(claims, nowMs) ?? (await this.#objects.problem(claims.bound, nowMs));
    if (problem !== undefined) return refused(problem);
    return { type: 'known', user: accountUser(claims.bound, claims.id), notes: staleness(claims, nowMs) };
  }
}

function hasValidSignature(jws: CompactJws, key: VerificationKey['key']): boolean {
  try {
    return isSignedBy(jws, key);
  } catch {
    return false; // a malformed signature is invalid
  }
}

function timeProblem({ notBefore, expires, issuedAt }: TokenClaims, nowMs: number): string | undefined {
  const isLater = (seconds: number | undefined): boolean => (seconds ?? 0) * 1000 > nowMs + LEEWAY_MS;
  if (isLater(notBefore)) return 'service account token is not valid yet';
  if (expires !== undefined && expires * 1000 < nowMs - LEEWAY_MS) return 'service account token has expired';
  return isLater(issuedAt) ? 'service account token is issued in the future' : undefined;
}

/** A pod that does not reload its token keeps using the old one; the annotation makes this visible. */
function staleness({ bound, subject }: TokenClaims, nowMs: number): TokenNotes {
  const { warnAfter = 0 } = bound;
  if (warnAfter === 0 || nowMs <= warnAfter * 1000) return {};
  const seconds = Math.floor(nowMs / 1000) - Math.floor(warnAfter);
  const text = `subject: ${subject}, seconds after warning threshold: ${seconds}`;
  return { annotations: { 'authentication.k8s.io/stale-token': text } };
}

function quoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}
