import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Clock, Random } from '../../base/index.ts';
import {
  type Credential,
  issueCertificate,
  type Issuer,
  newPrivateKey,
  selfIssuer,
} from '../../wire/certificates/index.ts';

/** A certificate and key to serve with, and the CA certificate that clients verify it with; all PEM. */
export interface ServingCertificate extends Credential {
  /** The CA certificate that callers have to trust; in base64, it is the `caBundle`. */
  readonly authority: string;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const AUTHORITY_DAYS = 10 * 365;
const LEAF_DAYS = 90;
/** The age at which certificates are replaced, well before they expire. */
export const RENEW_AFTER_MS = (LEAF_DAYS / 3) * 2 * DAY_MS;
const SUBJECT = { commonName: 'keelson-webhook-ca' };

/** A certificate authority that only signs serving certificates of one app: of one process, or of all that share it. */
export class WebhookAuthority {
  readonly certificate: string;
  readonly #key: KeyObject;
  readonly #issuer: Issuer;
  readonly #given: { readonly clock: Clock; readonly random: Random };

  /** `stored` is the `credential` of an existing authority; default: makes a new one. */
  constructor(given: { readonly clock: Clock; readonly random: Random }, stored?: Credential) {
    this.#given = given;
    this.#key = createPrivateKey(stored?.privateKey ?? newPrivateKey());
    this.#issuer = selfIssuer(SUBJECT, this.#key);
    this.certificate =
      stored?.certificate ?? this.#sign({ subject: SUBJECT, usage: 'authority' }, this.#key, AUTHORITY_DAYS);
    if (stored !== undefined && !new X509Certificate(stored.certificate).checkPrivateKey(this.#key))
      throw new Error('Cannot use the authority: its certificate and its key do not belong together');
  }

  /** The authority's own certificate and key, to be stored where only the app can read them. */
  get credential(): Credential {
    return { certificate: this.certificate, privateKey: this.#key.export({ type: 'pkcs8', format: 'pem' }).toString() };
  }

  /** Whether it is time to replace the authority, which is valid for years after that. */
  get isDue(): boolean {
    const endsMs = Date.parse(new X509Certificate(this.certificate).validTo);
    return endsMs - this.#given.clock.now() < (AUTHORITY_DAYS / 3) * DAY_MS;
  }

  /** A new key and a serving certificate for these DNS names and IP addresses. */
  issue(names: readonly string[]): ServingCertificate {
    const privateKey = newPrivateKey();
    const request = { subject: { commonName: names[0] ?? 'webhook' }, usage: 'server', names } as const;
    const certificate = this.#sign(request, createPrivateKey(privateKey), LEAF_DAYS);
    return { certificate, privateKey, authority: this.certificate };
  }

  /** A new key and a client certificate with this common name. */
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
