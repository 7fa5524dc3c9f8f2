import type { ContainerStatus } from './container.ts';

/** A line, or a part of one, that a container has written. */
export interface LogEntry {
  /** As in RFC 3339, with nanoseconds. */
  readonly time: string;
  readonly stream: 'stdout' | 'stderr';
  readonly content: Uint8Array;
  /** False when the rest of the line comes in the next entry. */
  readonly isLineEnd: boolean;
}

export interface LogQuery {
  /** Begins with this many of the last lines; default all lines. */
  readonly tailLines?: number;
  /** Waits for more until the container has ended. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
}

/** Where the output of containers is read: the files that a runtime writes, or a runtime that has none. */
export interface ContainerLogs {
  entries(container: ContainerStatus, query: LogQuery): AsyncIterable<LogEntry>;
}
