import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../request/incoming-request.ts';

/** The certificate that a client presented when it connected. */
export type ShownCertificate =
  | { readonly type: 'none' }
  /** Expired, or not signed by a trusted authority: the connection is accepted, and authentication refuses the request. */
  | { readonly type: 'refused'; readonly proxy?: ClientCertificate }
  | {
      readonly type: 'valid';
      readonly certificate: ClientCertificate;
      readonly endsMs: number;
      /** The same certificate, when an authority for front proxies also signed it. */
      readonly proxy?: ClientCertificate;
    };

const NONE: ShownCertificate = { type: 'none' };
const REFUSED: ShownCertificate = { type: 'refused' };

/** PEM of the trusted authorities; without either, clients are not asked for certificates. */
export interface Authorities {
  readonly clientAuthorities?: string | undefined;
  readonly proxyAuthorities?: string | undefined;
}

/** Reads clients' certificates, and distinguishes those of front proxies, which authenticate the proxy and not a user. */
export class CertificateReader {
  /** PEM of all authorities that a handshake accepts. */
  readonly authorities: string | undefined;
  readonly #clients: readonly X509Certificate[];
  readonly #proxies: readonly X509Certificate[];

  constructor({ clientAuthorities, proxyAuthorities }: Authorities) {
    const all = [clientAuthorities, proxyAuthorities].filter((pem) => pem !== undefined);
    this.authorities = all.length === 0 ? undefined : all.join('\n');
    this.#clients = certificatesIn(clientAuthorities ?? '');
    this.#proxies = certificatesIn(proxyAuthorities ?? '');
  }

  /** A resumed TLS session has the certificate of the original one. */
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
    const proxy = isSignedByAny(socket, this.#proxies) ? { proxy: certificate } : {};
    // With authorities of one kind only, the handshake has already verified this.
    const isClient = this.#proxies.length === 0 || isSignedByAny(socket, this.#clients);
    if (!isClient) return { type: 'refused', ...proxy };
    if (certificate.commonName === '') return NONE; // it identifies no user
    return { type: 'valid', certificate, endsMs: certificate.endsMs, ...proxy };
  }
}

/** Chains are short; the handshake has refused longer ones. */
const MAX_CHAIN = 10;

/** Whether one of the authorities is in the chain, which the handshake has verified. */
function isSignedByAny(socket: TLSSocket, authorities: readonly X509Certificate[]): boolean {
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
