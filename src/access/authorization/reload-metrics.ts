import { createHash } from 'node:crypto';
import type { Clock, Counter, Gauge, MetricRegistry } from '../../base/index.ts';

export interface ReloadMetricsOptions {
  readonly clock: Clock;
  /** The ID of this server among several; metrics have its digest. */
  readonly serverId: string;
  /** `authorization_config_controller` and similar. */
  readonly subsystem: string;
}

type Status = 'success' | 'failure';

/** Counts reloads of a configuration file, under upstream's metric names. */
export class ReloadMetrics {
  readonly #clock: Clock;
  readonly #reloads: (status: Status) => Counter;
  readonly #last: (status: Status) => Gauge;
  #hash = '';

  constructor(metrics: MetricRegistry, { clock, serverId, subsystem }: ReloadMetricsOptions) {
    this.#clock = clock;
    const prefix = `apiserver_${subsystem}`;
    const labels = ['status', 'apiserver_id_hash'] as const;
    const reloads = metrics.counter({
      name: `${prefix}_automatic_reloads_total`,
      help: 'How often the configuration was read again, by how it went.',
      labels,
    });
    const last = metrics.gauge({
      name: `${prefix}_automatic_reload_last_timestamp_seconds`,
      help: 'When the configuration was last read again, by how it went.',
      labels,
    });
    const apiserver_id_hash = digest(serverId);
    this.#reloads = (status) => reloads.with({ status, apiserver_id_hash });
    this.#last = (status) => last.with({ status, apiserver_id_hash });
    metrics.callback(
      {
        name: `${prefix}_last_config_info`,
        help: 'The configuration in use, by its digest.',
        labels: ['apiserver_id_hash', 'hash'],
      },
      () => [{ labels: { apiserver_id_hash, hash: this.#hash }, value: 1 }],
    );
  }

  /** Records that this text is in use. */
  using(text: string): void {
    this.#hash = digest(text);
  }

  succeeded(text: string): void {
    this.using(text);
    this.#count('success');
  }

  failed(): void {
    this.#count('failure');
  }

  #count(status: Status): void {
    this.#reloads(status).add();
    this.#last(status).set(this.#clock.now() / 1000);
  }
}

function digest(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
