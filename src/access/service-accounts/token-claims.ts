/** The claims of a service account's token, after its signature was verified. */
export interface TokenClaims {
  readonly subject: string;
  readonly issuer: string;
  readonly id: string;
  readonly audiences: readonly string[];
  /** Seconds since the epoch, like the other times. */
  readonly expires: number | undefined;
  readonly notBefore: number | undefined;
  readonly issuedAt: number | undefined;
  readonly bound: BoundClaims;
  readonly legacy: LegacyClaims;
}

export interface Reference {
  readonly name: string;
  readonly uid: string;
}

/** The claims of TokenRequest's tokens about their account and the object they are bound to. */
export interface BoundClaims {
  readonly namespace: string;
  readonly serviceAccount: Reference;
  readonly pod: Reference | undefined;
  readonly secret: Reference | undefined;
  readonly node: Reference | undefined;
  /** From this time on, uses of the token are recorded. */
  readonly warnAfter: number | undefined;
}

/** The claims of tokens that are kept in Secrets. */
export interface LegacyClaims {
  readonly namespace: string;
  readonly secretName: string;
  readonly accountName: string;
  readonly accountUid: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Parses claims; undefined when one of them has the wrong type. */
export function readClaims(claims: Json): TokenClaims | undefined {
  try {
    const kubernetes = objectIn(claims, 'kubernetes.io') ?? {};
    return {
      subject: textIn(claims, 'sub'),
      issuer: textIn(claims, 'iss'),
      id: textIn(claims, 'jti'),
      audiences: audiencesIn(claims['aud']),
      expires: numberIn(claims, 'exp'),
      notBefore: numberIn(claims, 'nbf'),
      issuedAt: numberIn(claims, 'iat'),
      bound: {
        namespace: textIn(kubernetes, 'namespace'),
        serviceAccount: referenceIn(kubernetes, 'serviceaccount') ?? { name: '', uid: '' },
        pod: referenceIn(kubernetes, 'pod'),
        secret: referenceIn(kubernetes, 'secret'),
        node: referenceIn(kubernetes, 'node'),
        warnAfter: numberIn(kubernetes, 'warnafter'),
      },
      legacy: {
        namespace: textIn(claims, `${LEGACY}/namespace`),
        secretName: textIn(claims, `${LEGACY}/secret.name`),
        accountName: textIn(claims, `${LEGACY}/service-account.name`),
        accountUid: textIn(claims, `${LEGACY}/service-account.uid`),
      },
    };
  } catch (error) {
    if (error instanceof WrongClaim) return undefined;
    throw error;
  }
}

const LEGACY = 'kubernetes.io/serviceaccount';

class WrongClaim extends Error {}

function textIn(claims: Json, name: string): string {
  const value = claims[name] ?? '';
  if (typeof value !== 'string') throw new WrongClaim(name);
  return value;
}

function numberIn(claims: Json, name: string): number | undefined {
  const value = claims[name] ?? undefined;
  if (value !== undefined && typeof value !== 'number') throw new WrongClaim(name);
  return value;
}

function objectIn(claims: Json, name: string): Json | undefined {
  const value = claims[name] ?? undefined;
  if (value !== undefined && (typeof value !== 'object' || Array.isArray(value))) throw new WrongClaim(name);
  return value as Json | undefined;
}

function referenceIn(claims: Json, name: string): Reference | undefined {
  const reference = objectIn(claims, name);
  return reference === undefined ? undefined : { name: textIn(reference, 'name'), uid: textIn(reference, 'uid') };
}

function audiencesIn(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new WrongClaim('aud');
}
