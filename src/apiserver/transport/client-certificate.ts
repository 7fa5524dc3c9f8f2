import type { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../request/call.ts';

/** What a client showed when it connected. */
export type ShownCertificate =
  | { readonly type: 'none' }
  /** Expired, or not from an authority we trust for clients: connecting goes on, authentication refuses it. */
  | { readonly type: 'refused' }
  | { readonly type: 'valid'; readonly certificate: ClientCertificate; readonly endsMs: number };

const NONE: ShownCertificate = { type: 'none' };
const REFUSED: ShownCertificate = { type: 'refused' };

/** Reads the client's certificate; a resumed TLS session shows the one it began with. */
export function readCertificate(socket: TLSSocket): ShownCertificate {
  const shown = socket.getPeerCertificate();
  if (shown === null || shown.subject === undefined) return NONE;
  if (!socket.authorized) return REFUSED;
  const commonName = all(shown.subject.CN).at(-1) ?? '';
  if (commonName === '') return NONE; // a certificate without a name says nothing about its bearer
  const endsMs = Date.parse(shown.valid_to);
  return {
    type: 'valid',
    certificate: {
      commonName,
      organizations: all(shown.subject.O),
      sha256: shown.fingerprint256.replaceAll(':', '').toLowerCase(),
      endsMs,
    },
    endsMs,
  };
}

function all(values: string | readonly string[] | undefined): readonly string[] {
  if (values === undefined) return [];
  return typeof values === 'string' ? [values] : values;
}
