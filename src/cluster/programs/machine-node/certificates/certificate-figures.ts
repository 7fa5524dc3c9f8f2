import type { Clock } from '../../../../base/index.ts';
import { type Family, MetricTable } from '../../../../node/index.ts';
import type { Credential } from '../../../../wire/certificates/index.ts';
import { validityOf } from './certificate-files.ts';

const LIFE_SECONDS = [
  ...[60, 3600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000],
  ...[15_552_000, 31_104_000, 124_416_000],
];

export const CERTIFICATE_ROWS = {
  kubelet_certificate_manager_client_expiration_renew_errors: {
    type: 'counter',
    startsAtZero: true,
    help: "Attempts to replace the node's client certificate that failed.",
  },
  kubelet_certificate_manager_server_rotation_seconds: {
    type: 'histogram',
    help: 'How long serving certificates had lived when they were replaced.',
    bounds: LIFE_SECONDS,
  },
  kubelet_server_expiration_renew_errors: {
    type: 'counter',
    startsAtZero: true,
    help: "Attempts to replace the node's serving certificate that failed.",
  },
} as const;

/** What becomes of one certificate of a node. */
export interface CertificateFigures {
  /** The certificate that is in use. */
  known(credential: Credential): void;
  rotated(credential: Credential, before: Credential | undefined): void;
  failed(): void;
}

/** How long the certificates of a node are still valid, and what their rotation came to, in the names of a kubelet. */
export class CertificateMetrics {
  readonly #table = new MetricTable(CERTIFICATE_ROWS);
  readonly #clock: Clock;
  /** When certificates end, by what they are for. */
  readonly #untilMs = new Map<'client' | 'server', number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(side: 'client' | 'server'): CertificateFigures {
    const known = (credential: Credential): void => void this.#untilMs.set(side, validityOf(credential).untilMs);
    return {
      known,
      rotated: (credential, before) => {
        known(credential);
        if (side === 'client' || before === undefined) return;
        const livedMs = this.#clock.now() - validityOf(before).fromMs;
        this.#table.observe('kubelet_certificate_manager_server_rotation_seconds', livedMs / 1000);
      },
      failed: () =>
        this.#table.add(
          side === 'client'
            ? 'kubelet_certificate_manager_client_expiration_renew_errors'
            : 'kubelet_server_expiration_renew_errors',
        ),
    };
  }

  families(): readonly Family[] {
    const left = [...this.#untilMs].map(([side, untilMs]): Family => ({
      name: `kubelet_certificate_manager_${side}_ttl_seconds`,
      type: 'gauge',
      help: `Seconds until the node's ${side === 'client' ? 'client' : 'serving'} certificate ends.`,
      samples: [{ value: (untilMs - this.#clock.now()) / 1000 }],
    }));
    return [...left, ...this.#table.families()];
  }
}
