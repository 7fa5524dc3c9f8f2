import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Clock, Random } from '../../base/index.ts';
import {
  type Credential,
  issueCertificate,
  type Issuer,
  newPrivateKey,
  selfIssuer,
} from '../../wire/certificates/index.ts';

/** A key pair to serve with, and the authority by which clients know it; all PEM. */
export interface ServingCertificate extends Credential {
  /** Whom callers have to trust: what goes, in base64, into `caBundle`. */
  readonly authority: string;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const AUTHORITY_DAYS = 10 * 365;
const LEAF_DAYS = 90;
/** Certificates are to be replaced after so long, well before they expire. */
export const RENEW_AFTER_MS = (LEAF_DAYS / 3) * 2 * DAY_MS;
const SUBJECT = { commonName: 'keelson-webhook-ca' };

/** An authority that signs nothing but serving certificates of one app: of one process, or of all that share it. */
export class WebhookAuthority {
  readonly certificate: string;
  readonly #key: KeyObject;
  readonly #issuer: Issuer;
  readonly #given: { readonly clock: Clock; readonly random: Random };

  /** `stored` is one that was made before, as `credential` tells it; default a new one. */
  constructor(given: { readonly clock: Clock; readonly random: Random }, stored?: Credential) {
    this.#given = given;
    this.#key = createPrivateKey(stored?.privateKey ?? newPrivateKey());
    this.#issuer = selfIssuer(SUBJECT, this.#key);
    this.certificate =
      stored?.certificate ?? this.#sign({ subject: SUBJECT, usage: 'authority' }, this.#key, AUTHORITY_DAYS);
    if (stored !== undefined && !new X509Certificate(stored.certificate).checkPrivateKey(this.#key))
      throw new Error('Cannot use the authority: its certificate and its key do not belong together');
  }

  /** The authority itself, with its key, to be kept where only the app reads it. */
  get credential(): Credential {
    return { certificate: this.certificate, privateKey: this.#key.export({ type: 'pkcs8', format: 'pem' }).toString() };
  }

  /** Whether another one should take its place, while this one is good for years yet. */
  get isDue(): boolean {
    const endsMs = Date.parse(new X509Certificate(this.certificate).validTo);
    return endsMs - this.#given.clock.now() < (AUTHORITY_DAYS / 3) * DAY_MS;
  }

  /** A new key and a certificate for these DNS names and IP addresses. */
  issue(names: readonly string[]): ServingCertificate {
    const privateKey = newPrivateKey();
    const request = { subject: { commonName: names[0] ?? 'webhook' }, usage: 'server', names } as const;
    const certificate = this.#sign(request, createPrivateKey(privateKey), LEAF_DAYS);
    return { certificate, privateKey, authority: this.certificate };
  }

  /** A new key and a certificate for a client of this name. */
  issueClient(commonName: string): Credential {
    const privateKey = newPrivateKey();
    const request = { subject: { commonName }, usage: 'client' } as const;
    return { certificate: this.#sign(request, createPrivateKey(privateKey), LEAF_DAYS), privateKey };
  }

  #sign(
    request: Omit<Parameters<typeof issueCertificate>[0], 'notBefore' | 'notAfter'>,
    key: KeyObject,
    days: number,
  ): string {
    const now = this.#given.clock.now();
    const validity = { notBefore: now - HOUR_MS, notAfter: now + days * DAY_MS };
    const { random } = this.#given;
    return issueCertificate({ ...request, ...validity }, createPublicKey(key), { issuer: this.#issuer, random });
  }
}
