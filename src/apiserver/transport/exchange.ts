import type { OutgoingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Connection } from './connection.ts';
import type { CallSource } from './lazy-call.ts';

/** The head of an answer; names are in lower case. */
export interface Head {
  readonly code: number;
  readonly headers: OutgoingHttpHeaders;
}

/** Receives the body of an answer: an HTTP/2 stream or an HTTP/1.1 response. */
export interface Output {
  readonly writableLength: number;
  readonly destroyed: boolean;
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  cork(): void;
  uncork(): void;
  on(event: 'drain' | 'close', listener: () => void): unknown;
}

/** One request and its answer, for both versions of HTTP. */
export interface Exchange extends CallSource {
  readonly connection: Connection;
  readonly output: Output;
  /** Sends the head and the whole body, in as few packets as possible. Without a body (HEAD, 304), sends the head only. */
  send(head: Head, body: Uint8Array | undefined): void;
  /** Sends the head of an answer with code 101 at once, and returns the connection, which no longer speaks HTTP. Assumes `isUpgrade`. */
  takeOver(head: Head): Duplex;
  /** Sends the head at once; the body follows through `output`. */
  start(head: Head): void;
  /** Aborts the answer so that the client sees that it is incomplete. */
  cut(): void;
  /** Calls back once, when nothing more can be sent; `isFlushed` says whether everything written was sent. */
  onClose(closed: (isFlushed: boolean) => void): void;
}
