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
      return allWritten(sinks.map((sink) => sink.write(events)));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(sinks.map((sink) => sink[Symbol.asyncDispose]()));
    },
  };
}

/** Whether all of several writes have worked; nobody waits where nobody has to. */
export function allWritten(written: readonly (boolean | Promise<boolean>)[]): boolean | Promise<boolean> {
  const waiting = written.filter((one) => one instanceof Promise);
  const isWell = !written.includes(false);
  return waiting.length === 0 ? isWell : Promise.all(waiting).then((all) => isWell && !all.includes(false));
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
