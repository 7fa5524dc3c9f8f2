import { type Clock, type Logger, messageOf } from '../../base/index.ts';
import { isStoreError } from '../errors.ts';
import type { EtcdStore } from './etcd-store.ts';

export interface ReachOptions {
  readonly endpoints: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Time limit of one attempt, so that the reason is logged soon. */
const TRY_MS = 2000;
const PAUSE_MS = 1000;
/** The same reason is logged again after this time, so that the end of a log shows what is being waited for. */
const LOG_AGAIN_MS = 60_000;

/**
 * Waits until a quorum of etcd answers, and logs which endpoints it waits for and why.
 *
 * Ends: with the signal's reason; by throwing any error other than `Unavailable`.
 */
export async function reachEtcd(etcd: EtcdStore, { endpoints, clock, log, signal }: ReachOptions): Promise<void> {
  const startedMs = clock.monotonic();
  let logged: { readonly reason: string; readonly atMs: number } | undefined;
  for (;;) {
    try {
      await etcd.revision({ timeoutMs: TRY_MS, signal });
      if (logged !== undefined)
        log.warn('etcd answers', { waitedSeconds: Math.round((clock.monotonic() - startedMs) / 1000) });
      return;
    } catch (error) {
      if (signal.aborted || !isStoreError(error, 'Unavailable')) throw error;
      const [hint, nowMs] = [tlsHint(error), clock.monotonic()];
      const reason = `${hint ?? ''}${messageOf(error.cause)}`;
      if (logged?.reason !== reason || nowMs - logged.atMs > LOG_AGAIN_MS) {
        logged = { reason, atMs: nowMs };
        const fields = { endpoints, error: messageOf(error.cause), ...(hint === undefined ? {} : { hint }) };
        log.warn('waiting for etcd', fields);
      }
    }
    await clock.sleep(PAUSE_MS, signal);
    signal.throwIfAborted();
  }
}

const UNTRUSTED = "its certificate is not signed by the authority given for etcd, or none was given: look at etcd's CA";
const HINTS: readonly (readonly [code: RegExp, hint: string])[] = [
  [/UNABLE_TO_(VERIFY|GET_ISSUER)|SELF_SIGNED|CERT_(SIGNATURE|UNTRUSTED)/, UNTRUSTED],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'its certificate is not valid now: look at its dates and at the clocks'],
  [/ALTNAME_INVALID/, "its certificate does not name the host of the endpoint: look at the certificate's names"],
  [
    /ALERT_(BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE)|CERTIFICATE_REQUIRED|ALERT_HANDSHAKE/,
    'it does not take the client certificate, or none was given: look at the certificate and key for etcd',
  ],
  [/KEY_VALUES_MISMATCH/, 'the client key is not that of the client certificate'],
  [/ERR_OSSL|PEM/, 'the certificate, key or authority for etcd cannot be read'],
  [/WRONG_VERSION_NUMBER/, 'it does not speak TLS, but the endpoint says https://'],
];

/** What a failed connection suggests about the TLS settings. */
export function tlsHint(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = 'code' in at ? String(at.code) : '';
    const found = HINTS.find(([pattern]) => pattern.test(code))?.[1];
    if (found !== undefined) return found;
    if (/disconnected before secure TLS connection/.test(at.message))
      return 'it closed the connection during the TLS handshake: it may not speak TLS, but the endpoint says https://';
    if (/"http:.*the server closed the connection/.test(at.message))
      return 'it closed the connection: it may speak TLS, but the endpoint says http://';
  }
  return undefined;
}
