import type { Logger } from '../../base/index.ts';
import { Audit, type AuditParts } from './audit.ts';
import type { AuditMetrics } from './audit-metrics.ts';
import type { AuditPolicy } from './audit-policy.ts';
import { AuditRules } from './audit-rules.ts';
import { type AuditSink, ignoringFailures, combinedSink } from './audit-sink.ts';
import { BatchedSink, type BatchOptions } from './batched-sink.ts';
import { type AuditLogFormat, type LineWriter, logSink } from './log-sink.ts';
import { RotatingFile, type RotatingFileOptions } from './rotating-file.ts';
import { truncating, type TruncateOptions } from './truncating-sink.ts';
import { type AuditWebhookOptions, type AuditWebhookParts, webhookSink } from './webhook-sink.ts';

/** Whether requests wait for the sink to write their events; `blocking-strict` also rejects requests whose events cannot be written. */
export type AuditDelivery =
  | { readonly mode: 'batch'; readonly batch: BatchOptions }
  | { readonly mode: 'blocking' | 'blocking-strict' };

interface SinkSettings {
  readonly delivery: AuditDelivery;
  /** Larger events lose their objects; default no limit except `MAX_OBJECT_BYTES`. */
  readonly truncate?: TruncateOptions;
}

export interface AuditLogSettings extends SinkSettings {
  readonly format: AuditLogFormat;
  /** A file, a function that prints lines, or a writer, which is disposed combinedSink with the audit. */
  readonly to: Omit<RotatingFileOptions, 'clock' | 'log'> | ((line: string) => void) | LineWriter;
}

/** Which requests are audited, and where their events go. */
export interface AuditOptions {
  readonly policy: AuditPolicy;
  readonly log?: AuditLogSettings;
  readonly webhook?: SinkSettings & AuditWebhookOptions;
  /** Additional sinks for events. */
  readonly sinks?: readonly AuditSink[];
}

/** A larger object is never included in an event. */
const MAX_OBJECT_BYTES = 32 * 1024 * 1024;

export interface AuditEnvironment extends Omit<AuditWebhookParts, 'metrics'> {
  readonly metrics: AuditMetrics;
  readonly log: Logger;
}

export interface OpenAudit extends AsyncDisposable {
  readonly audit: Audit;
}

/** Undefined when there is no sink for events. Throws when a file cannot be written. */
export function openAudit(options: AuditOptions, environment: AuditEnvironment): OpenAudit | undefined {
  const { policy, log, webhook, sinks = [] } = options;
  const all = [
    ...(log === undefined ? [] : [logTo(log, environment)]),
    ...(webhook === undefined ? [] : [delivered(webhookSink(webhook, environment), webhook, environment)]),
    ...sinks,
  ];
  if (all.length === 0) return undefined;
  const limits = [log, webhook].flatMap((one) => (one === undefined ? [] : [one.truncate?.maxEventBytes ?? Infinity]));
  const sink = combinedSink(all);
  const parts: AuditParts = {
    ...environment,
    rules: new AuditRules(policy),
    sink,
    // Objects that every sink would drop are not even encoded.
    maxObjectBytes: Math.min(MAX_OBJECT_BYTES, sinks.length > 0 ? Infinity : Math.max(...limits)),
  };
  return { audit: new Audit(parts), [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose]() };
}

function logTo(settings: AuditLogSettings, environment: AuditEnvironment): AuditSink {
  const { to, format } = settings;
  return delivered(logSink(auditLogWriter(to, environment), format, environment.metrics), settings, environment);
}

/** The writer of an audit log's lines. */
export function auditLogWriter(
  to: AuditLogSettings['to'],
  environment: Pick<AuditEnvironment, 'clock' | 'log'>,
): LineWriter {
  if (typeof to === 'function')
    return { write: (text: string) => to(text.slice(0, -1)), [Symbol.asyncDispose]: () => Promise.resolve() };
  return 'write' in to ? to : new RotatingFile({ ...to, ...environment });
}

function delivered(sink: AuditSink, { delivery, truncate }: SinkSettings, environment: AuditEnvironment): AuditSink {
  const waiting =
    delivery.mode === 'batch'
      ? new BatchedSink(sink, delivery.batch, environment)
      : delivery.mode === 'blocking'
        ? ignoringFailures(sink)
        : sink;
  return truncate === undefined ? waiting : truncating(waiting, truncate, environment.metrics);
}
