import { type Clock, type Logger, messageOf, type Random, type Runnable } from '../../../../base/index.ts';
import type { Client } from '../../../../client/index.ts';
import type { Credential } from '../../../../wire/certificates/index.ts';
import { type CertificateFiles, validityOf } from './certificate-files.ts';
import type { CertificateFigures } from './certificate-figures.ts';
import { requestCertificate, type WantedNodeCertificate } from './request-certificate.ts';

/** Share of a certificate's life after which it is replaced: between these two. */
const EARLIEST = 0.7;
const SPREAD = 0.2;
const FIRST_RETRY_MS = 2000;
const LAST_RETRY_MS = 256_000;
/** Longest single sleep: timers of Node cannot be set for months. */
const MAX_SLEEP_MS = 24 * 60 * 60_000;

export interface RotationParts {
  readonly client: Client;
  readonly files: CertificateFiles;
  readonly wanted: WantedNodeCertificate;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Counts what becomes of the certificate. */
  readonly figures?: CertificateFigures;
  /** Called with each certificate that was stored. */
  readonly onStored?: (credential: Credential) => void;
}

/** A certificate of the API server that is requested when there is none, and again before it ends to count. */
export class RotatedCertificate implements Runnable {
  readonly #parts: RotationParts;

  constructor(parts: RotationParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, files } = this.#parts;
    while (!signal.aborted) {
      const known = await files.current();
      if (known !== undefined) this.#parts.figures?.known(known);
      const waitMs = known === undefined ? 0 : this.#deadlineOf(known) - clock.now();
      if (waitMs <= 0) await this.#rotate(signal);
      else await this.#sleep(waitMs, signal);
    }
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    for (let leftMs = ms; leftMs > 0 && !signal.aborted; leftMs -= MAX_SLEEP_MS)
      await this.#parts.clock.sleep(Math.min(leftMs, MAX_SLEEP_MS), signal);
  }

  #deadlineOf(credential: Credential): number {
    const { fromMs, untilMs } = validityOf(credential);
    return fromMs + (untilMs - fromMs) * (EARLIEST + SPREAD * this.#parts.random.float());
  }

  /** Tries until there is a new certificate. */
  async #rotate(signal: AbortSignal): Promise<void> {
    const { client, files, wanted, clock, log, onStored, figures } = this.#parts;
    for (let delayMs = FIRST_RETRY_MS; !signal.aborted; delayMs = Math.min(2 * delayMs, LAST_RETRY_MS)) {
      try {
        const before = await files.current();
        const credential = await requestCertificate(client, wanted, { signal });
        await files.store(credential);
        figures?.rotated(credential, before);
        onStored?.(credential);
        log.info('certificate rotated', { path: files.path, signer: wanted.signerName });
        return;
      } catch (error) {
        if (signal.aborted) return;
        figures?.failed();
        log.warn('certificate cannot be rotated yet', { error: messageOf(error), retryAfterMs: delayMs });
        await clock.sleep(delayMs, signal);
      }
    }
  }
}
