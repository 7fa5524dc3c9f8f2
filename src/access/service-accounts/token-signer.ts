import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { UidSource } from '../../base/index.ts';
import { signJws } from '../authentication/jwt/signature-algorithms.ts';
import { verificationKey, type VerificationKey } from '../authentication/jwt/verification-key.ts';
import { accountUserName } from './account-name.ts';

export interface NamedUid {
  readonly name: string;
  readonly uid: string;
}

/** The content of a token to sign. */
export interface TokenContent {
  readonly namespace: string;
  readonly serviceAccount: NamedUid;
  /** The token becomes invalid when this object is deleted. */
  readonly boundTo: (NamedUid & { readonly kind: 'Pod' | 'Secret' | 'Node' }) | undefined;
  /** The node of a bound pod; its uid is empty when unknown. */
  readonly node: NamedUid | undefined;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** After this many seconds, the token is still valid, but its use is recorded. */
  readonly warnAfterSeconds: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface LegacyTokenContent {
  readonly namespace: string;
  readonly secretName: string;
  readonly serviceAccount: NamedUid;
}

export interface TokenSignerOptions {
  readonly issuer: string;
  /** PEM of the private key. */
  readonly privateKey: string;
  readonly uids: UidSource;
  readonly apiAudiences: readonly string[];
  readonly maxExpirationSeconds?: number;
  readonly extendedExpirationSeconds?: number;
}

/** Signs tokens of service accounts. Members of claims are sorted by name, as upstream's are. */
export class TokenSigner {
  readonly apiAudiences: readonly string[];
  readonly maxExpirationSeconds: number | undefined;
  readonly extendedExpirationSeconds: number | undefined;
  readonly #issuer: string;
  readonly #privateKey: string;
  /** Parsed for the first token: most test clusters never sign one. */
  #read: { readonly key: KeyObject; readonly verification: VerificationKey } | undefined;
  readonly #uids: UidSource;

  constructor(options: TokenSignerOptions) {
    this.#issuer = options.issuer;
    this.#privateKey = options.privateKey;
    this.#uids = options.uids;
    this.apiAudiences = options.apiAudiences;
    this.maxExpirationSeconds = options.maxExpirationSeconds;
    this.extendedExpirationSeconds = options.extendedExpirationSeconds;
  }

  /** The key that verifies this signer's tokens. */
  get verification(): VerificationKey {
    return this.#keys().verification;
  }

  /** Signs a token for a Secret. It is valid until the Secret or the service account is deleted; it does not expire. */
  legacyToken({ namespace, secretName, serviceAccount }: LegacyTokenContent): string {
    const claims = {
      iss: 'kubernetes/serviceaccount',
      'kubernetes.io/serviceaccount/namespace': namespace,
      'kubernetes.io/serviceaccount/secret.name': secretName,
      'kubernetes.io/serviceaccount/service-account.name': serviceAccount.name,
      'kubernetes.io/serviceaccount/service-account.uid': serviceAccount.uid,
      sub: accountUserName({ namespace, name: serviceAccount.name }),
    };
    return this.#sign(claims);
  }

  async issue(wish: TokenContent): Promise<IssuedToken> {
    const { serviceAccount, namespace } = wish;
    const now = Math.floor(wish.now / 1000);
    const tokenId = this.#uids.next();
    const claims = {
      aud: wish.audiences,
      exp: now + wish.expirationSeconds,
      iat: now,
      iss: this.#issuer,
      jti: tokenId,
      'kubernetes.io': {
        namespace,
        ...boundClaims(wish),
        serviceaccount: { name: serviceAccount.name, uid: serviceAccount.uid },
        ...(wish.warnAfterSeconds === undefined ? {} : { warnafter: now + wish.warnAfterSeconds }),
      },
      nbf: now,
      sub: accountUserName({ namespace, name: serviceAccount.name }),
    };
    return { token: this.#sign(claims), tokenId };
  }

  #sign(claims: object): string {
    const { key, verification } = this.#keys();
    return signJws({ kid: verification.id }, claims, { key, name: verification.algorithm });
  }

  #keys(): { readonly key: KeyObject; readonly verification: VerificationKey } {
    if (this.#read === undefined) {
      const key = createPrivateKey(this.#privateKey);
      this.#read = { key, verification: verificationKey(key) };
    }
    return this.#read;
  }
}

export interface IssuedToken {
  readonly token: string;
  /** Identifies the token in audit logs. */
  readonly tokenId: string;
}

function boundClaims({ boundTo, node }: TokenContent): Readonly<Record<string, Partial<NamedUid>>> {
  if (boundTo === undefined) return {};
  const { kind, name, uid } = boundTo;
  if (kind === 'Secret') return { secret: { name, uid } };
  if (kind === 'Node') return { node: { name, uid } };
  if (node === undefined) return { pod: { name, uid } };
  return { node: { name: node.name, ...(node.uid === '' ? {} : { uid: node.uid }) }, pod: { name, uid } };
}
