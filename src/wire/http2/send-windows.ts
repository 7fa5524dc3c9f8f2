import { CODE, ConnectionError, DEFAULT_WINDOW_BYTES, MAX_WINDOW_BYTES } from './protocol.ts';
import type { Sender } from './sender.ts';
import type { ServerStream } from './server-stream.ts';

/** How much the client lets the server send: on each stream, and on all of them together. */
export class SendWindows {
  readonly #sender: Sender;
  #initial = DEFAULT_WINDOW_BYTES;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /** The initial window of a stream. */
  get initial(): number {
    return this.#initial;
  }

  /** Changes the initial window of new streams, and the windows of open streams by the difference. */
  begin(initial: number, streams: Iterable<ServerStream>): void {
    const change = initial - this.#initial;
    this.#initial = initial;
    for (const stream of streams) {
      stream.sendWindow += change;
      if (stream.sendWindow > MAX_WINDOW_BYTES) throw tooLarge();
      if (stream.queuedBytes > 0) this.#sender.list(stream);
    }
  }

  /** Opens the window of the connection. */
  openAll(bytes: number): void {
    this.#sender.window += bytes;
    if (bytes === 0) throw new ConnectionError(CODE.protocolError, 'A window is opened by nothing');
    if (this.#sender.window > MAX_WINDOW_BYTES) throw tooLarge();
    this.#sender.unblock();
  }

  /** Opens the window of a stream. */
  open(stream: ServerStream, bytes: number): void {
    stream.sendWindow += bytes;
    if (bytes === 0) stream.reset(CODE.protocolError);
    else if (stream.sendWindow > MAX_WINDOW_BYTES) stream.reset(CODE.flowControlError);
    else if (stream.queuedBytes > 0) this.#sender.list(stream);
  }
}

function tooLarge(): ConnectionError {
  return new ConnectionError(CODE.flowControlError, 'Too large a window');
}
