import type { AuditEvent } from './audit-event.ts';

/** Whoever keeps events. */
export interface AuditSink extends AsyncDisposable {
  /** Whether the events are safe, as far as this sink promises it; without a promise where nobody has to wait. */
  write(events: readonly AuditEvent[]): boolean | Promise<boolean>;
}

/** Writes to several; false when one of them has failed. */
export function together(sinks: readonly AuditSink[]): AuditSink {
  return {
    write(events) {
      const written = sinks.map((sink) => sink.write(events));
      if (written.every((one) => typeof one === 'boolean')) return !written.includes(false);
      return Promise.all(written).then((all) => !all.includes(false));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(sinks.map((sink) => sink[Symbol.asyncDispose]()));
    },
  };
}

/** Requests wait for the sink, and go on whether or not it has worked. */
export function forgiving(sink: AuditSink): AuditSink {
  return {
    write(events) {
      const written = sink.write(events);
      return typeof written === 'boolean' ? true : written.then(() => true);
    },
    [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose](),
  };
}
