import { messageOf } from '../../base/index.ts';
import { type AuditEvent, eventJson, eventLine } from './audit-event.ts';
import type { AuditMetrics } from './audit-metrics.ts';
import type { AuditSink } from './audit-sink.ts';

export type AuditLogFormat = 'json' | 'legacy';

/** Writes lines in the order of the calls. */
export interface LineWriter extends AsyncDisposable {
  /** `text` ends in a line feed. Rejects when it cannot be written. */
  write(text: string): void | Promise<void>;
}

/** Maximum size of the events that wait to be written; when the disk is slower than that, events are lost. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** Writes each event as one line. */
export function logSink(writer: LineWriter, format: AuditLogFormat, metrics: AuditMetrics): AuditSink {
  const textOf = format === 'json' ? eventJson : eventLine;
  let waitingBytes = 0;
  const failed = (events: readonly AuditEvent[], why: string): false => {
    metrics.lost('log', events, why);
    return false;
  };
  return {
    write(events) {
      const text = events.map((event) => `${textOf(event)}\n`).join('');
      if (waitingBytes + text.length > MAX_WAITING_BYTES) return failed(events, 'too much waits to be written');
      waitingBytes += text.length;
      const done = (): void => void (waitingBytes -= text.length);
      try {
        const writing = writer.write(text);
        if (writing instanceof Promise) {
          return writing
            .then(
              () => true,
              (error: unknown) => failed(events, messageOf(error)),
            )
            .finally(done);
        }
        done();
        return true;
      } catch (error) {
        done();
        return failed(events, messageOf(error));
      }
    },
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}
