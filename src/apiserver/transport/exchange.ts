import type { OutgoingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Connection } from './connection.ts';
import type { CallSource } from './lazy-call.ts';

/** The head of an answer; names are in lower case. */
export interface Head {
  readonly code: number;
  readonly headers: OutgoingHttpHeaders;
}

/** Where the body of an answer is written to: a stream of HTTP/2 or a response of HTTP/1.1. */
export interface Output {
  readonly writableLength: number;
  readonly destroyed: boolean;
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  cork(): void;
  uncork(): void;
  on(event: 'drain' | 'close', listener: () => void): unknown;
}

/** One request and the place for its answer, alike for both versions of HTTP. */
export interface Exchange extends CallSource {
  readonly connection: Connection;
  readonly output: Output;
  /** Head and whole body, in as few packets as possible. Without a body (HEAD, 304) the head stands alone. */
  send(head: Head, body: Uint8Array | undefined): void;
  /** The head of an answer with code 101, at once; gives the connection, which belongs to HTTP no more. Assumes `isUpgrade`. */
  takeOver(head: Head): Duplex;
  /** The head, at once; the body follows through `output`. */
  start(head: Head): void;
  /** Cuts the answer off so that the client sees that it is not whole. */
  cut(): void;
  /** Calls back once, when nothing more can be sent; `isFlushed` tells whether all that was written went out. */
  onClose(closed: (isFlushed: boolean) => void): void;
}
