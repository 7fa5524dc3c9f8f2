import { CODE, ConnectionError, DEFAULT_WINDOW_BYTES, MAX_WINDOW_BYTES } from './protocol.ts';
import type { Sender } from './sender.ts';
import type { ServerStream } from './server-stream.ts';

/** How much the client lets us send: on each of its streams, and on all of them together. */
export class SendWindows {
  readonly #sender: Sender;
  #initial = DEFAULT_WINDOW_BYTES;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /** What a new stream begins with. */
  get initial(): number {
    return this.#initial;
  }

  /** Lets new streams begin with so much, and those that are open with as much more or less. */
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
