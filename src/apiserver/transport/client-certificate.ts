import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../request/incoming-request.ts';

/** What a client showed when it connected. */
export type ShownCertificate =
  | { readonly type: 'none' }
  /** Expired, or not from an authority we trust for clients: connecting goes on, authentication refuses it. */
  | { readonly type: 'refused'; readonly proxy?: ClientCertificate }
  | {
      readonly type: 'valid';
      readonly certificate: ClientCertificate;
      readonly endsMs: number;
      /** The certificate again, when an authority for front proxies vouches for it too. */
      readonly proxy?: ClientCertificate;
    };

const NONE: ShownCertificate = { type: 'none' };
const REFUSED: ShownCertificate = { type: 'refused' };

/** Whose certificates count, as PEM; without either, clients are not asked for any. */
export interface Authorities {
  readonly clientAuthorities?: string | undefined;
  readonly proxyAuthorities?: string | undefined;
}

/** Reads the certificates of clients, and tells those of front proxies apart: they vouch for others, not for themselves. */
export class CertificateReader {
  /** PEM of all that a handshake accepts. */
  readonly authorities: string | undefined;
  readonly #clients: readonly X509Certificate[];
  readonly #proxies: readonly X509Certificate[];

  constructor({ clientAuthorities, proxyAuthorities }: Authorities) {
    const all = [clientAuthorities, proxyAuthorities].filter((pem) => pem !== undefined);
    this.authorities = all.length === 0 ? undefined : all.join('\n');
    this.#clients = certificatesIn(clientAuthorities ?? '');
    this.#proxies = certificatesIn(proxyAuthorities ?? '');
  }

  /** A resumed TLS session shows the certificate it began with. */
  read(socket: TLSSocket): ShownCertificate {
    const shown = socket.getPeerCertificate();
    if (shown === null || shown.subject === undefined) return NONE;
    if (!socket.authorized) return REFUSED;
    const certificate: ClientCertificate & { readonly endsMs: number } = {
      commonName: all(shown.subject.CN).at(-1) ?? '',
      organizations: all(shown.subject.O),
      sha256: shown.fingerprint256.replaceAll(':', '').toLowerCase(),
      endsMs: Date.parse(shown.valid_to),
    };
    const proxy = isVouchedFor(socket, this.#proxies) ? { proxy: certificate } : {};
    // With authorities of one kind only, the handshake has told already.
    const isClient = this.#proxies.length === 0 || isVouchedFor(socket, this.#clients);
    if (!isClient) return { type: 'refused', ...proxy };
    if (certificate.commonName === '') return NONE; // a certificate without a name says nothing about its bearer
    return { type: 'valid', certificate, endsMs: certificate.endsMs, ...proxy };
  }
}

/** Chains are short; longer ones have been refused in the handshake. */
const MAX_CHAIN = 10;

/** True when one of the authorities is in the chain, which the handshake has found to hold. */
function isVouchedFor(socket: TLSSocket, authorities: readonly X509Certificate[]): boolean {
  if (authorities.length === 0) return false;
  let current = socket.getPeerX509Certificate();
  for (let depth = 0; current !== undefined && depth < MAX_CHAIN; depth++) {
    const link = current;
    if (authorities.some((authority) => link.checkIssued(authority) && link.verify(authority.publicKey))) return true;
    current = link.issuerCertificate;
  }
  return false;
}

function certificatesIn(bundle: string): readonly X509Certificate[] {
  const blocks = bundle.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((pem) => new X509Certificate(pem));
}

function all(values: string | readonly string[] | undefined): readonly string[] {
  if (values === undefined) return [];
  return typeof values === 'string' ? [values] : values;
}
