import type { AuditEvent } from './audit-event.ts';

/** Stores or forwards audit events. */
export interface AuditSink extends AsyncDisposable {
  /** Returns whether the events were written, as far as this sink guarantees it; returns a promise only when the caller has to wait. */
  write(events: readonly AuditEvent[]): boolean | Promise<boolean>;
}

/** Writes to several sinks; returns false when one of them failed. */
export function combinedSink(sinks: readonly AuditSink[]): AuditSink {
  return {
    write(events) {
      return allWritten(sinks.map((sink) => sink.write(events)));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(sinks.map((sink) => sink[Symbol.asyncDispose]()));
    },
  };
}

/** Whether all of several writes succeeded; returns a promise only when one of them is a promise. */
export function allWritten(written: readonly (boolean | Promise<boolean>)[]): boolean | Promise<boolean> {
  const waiting = written.filter((one) => one instanceof Promise);
  const isWell = !written.includes(false);
  return waiting.length === 0 ? isWell : Promise.all(waiting).then((all) => isWell && !all.includes(false));
}

/** Requests wait for the sink, and continue even when it failed. */
export function ignoringFailures(sink: AuditSink): AuditSink {
  return {
    write(events) {
      const written = sink.write(events);
      return typeof written === 'boolean' ? true : written.then(() => true);
    },
    [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose](),
  };
}
