import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
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
const SUBJECT = { commonName: 'keelson-webhook-ca' };

/** An authority of one process, whose key never leaves it and which signs nothing but that process's serving certificates. */
export class WebhookAuthority {
  /** Certificates are to be replaced after so long, well before they expire. */
  static readonly RENEW_AFTER_MS = (LEAF_DAYS / 3) * 2 * DAY_MS;

  readonly certificate: string;
  readonly #key: KeyObject = createPrivateKey(newPrivateKey());
  readonly #issuer: Issuer;
  readonly #given: { readonly clock: Clock; readonly random: Random };

  constructor(given: { readonly clock: Clock; readonly random: Random }) {
    this.#given = given;
    this.#issuer = selfIssuer(SUBJECT, this.#key);
    this.certificate = this.#sign({ subject: SUBJECT, usage: 'authority' }, this.#key, AUTHORITY_DAYS);
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
