import type { Counter, Logger, MetricFamily, MetricRegistry } from '../../base/index.ts';
import { type AuditEvent, eventLine } from './audit-event.ts';
import type { AuditLevel } from './audit-policy.ts';

/** At most this many lost events of a batch are named in the log. */
const MAX_NAMED_LOSSES = 10;

/** Counts events and their outcomes, under upstream's metric names. */
export class AuditMetrics {
  readonly #log: Logger;
  readonly #events: Counter;
  readonly #rejected: Counter;
  readonly #errors: MetricFamily<'plugin', Counter>;
  readonly #levels: MetricFamily<'level', Counter>;

  constructor(metrics: MetricRegistry, log: Logger) {
    this.#log = log;
    this.#events = metrics
      .counter({ name: 'apiserver_audit_event_total', help: 'Audit events that were made and handed on.' })
      .with();
    this.#rejected = metrics
      .counter({
        name: 'apiserver_audit_requests_rejected_total',
        help: 'Requests that were refused because their audit event could not be kept.',
      })
      .with();
    this.#errors = metrics.counter({
      name: 'apiserver_audit_error_total',
      help: 'Audit events that were lost, by the part that lost them.',
      labels: ['plugin'],
    });
    this.#levels = metrics.counter({
      name: 'apiserver_audit_level_total',
      help: 'Requests by the level of detail at which the policy has them audited.',
      labels: ['level'],
    });
  }

  judged(level: AuditLevel): void {
    this.#levels.with({ level }).add();
  }

  made(): void {
    this.#events.add();
  }

  rejected(): void {
    this.#rejected.add();
  }

  /** Counts and logs lost events. The log names the first ones, without their content. */
  lost(plugin: string, events: readonly AuditEvent[], why: string): void {
    this.#errors.with({ plugin }).add(events.length);
    const lost = events.slice(0, MAX_NAMED_LOSSES).map(eventLine);
    this.#log.error('audit events lost', { plugin, events: events.length, why, lost: lost.join('\n') });
  }
}
