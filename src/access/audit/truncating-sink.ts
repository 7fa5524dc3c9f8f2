import { Buffer } from 'node:buffer';
import { type AuditEvent, eventJson } from './audit-event.ts';
import type { AuditMetrics } from './audit-metrics.ts';
import { allWritten, type AuditSink } from './audit-sink.ts';

export interface TruncateOptions {
  readonly maxEventBytes: number;
  readonly maxBatchBytes: number;
}

/**
 * Removes the objects from events that are too large, and splits batches that are. An event that is too large even without objects is lost.
 */
export function truncating(next: AuditSink, options: TruncateOptions, metrics: AuditMetrics): AuditSink {
  return {
    write(events) {
      const written = batchesOf(events, options, metrics).map((batch) => next.write(batch));
      return allWritten(written);
    },
    [Symbol.asyncDispose]: () => next[Symbol.asyncDispose](),
  };
}

function batchesOf(events: readonly AuditEvent[], options: TruncateOptions, metrics: AuditMetrics): AuditEvent[][] {
  const { maxEventBytes, maxBatchBytes } = options;
  const batches: AuditEvent[][] = [];
  const lost: AuditEvent[] = [];
  let batchBytes = Infinity;
  for (const whole of events) {
    const wholeBytes = bytesOf(whole);
    const event = wholeBytes > maxEventBytes && whole.level !== 'Metadata' ? withoutObjects(whole) : whole;
    const bytes = event === whole ? wholeBytes : bytesOf(event);
    if (bytes > maxEventBytes) {
      lost.push(whole);
      continue;
    }
    if (batchBytes + bytes > maxBatchBytes) {
      batches.push([]);
      batchBytes = 0;
    }
    batchBytes += bytes;
    batches.at(-1)?.push(event);
  }
  if (lost.length > 0) metrics.lost('truncate', lost, 'event is too large even after truncating');
  return batches;
}

/** Includes the line feed that is written after it. */
function bytesOf(event: AuditEvent): number {
  return Buffer.byteLength(eventJson(event)) + 1;
}

function withoutObjects({ requestObject: _1, responseObject: _2, ...event }: AuditEvent): AuditEvent {
  return { ...event, annotations: { ...event.annotations, 'audit.k8s.io/truncated': 'true' } };
}
