import { AbortScope } from '../../base/index.ts';
import { ByteInbox } from '../connections/index.ts';
import { CLOSE_CODE, type WebSocketConnection } from '../websocket/index.ts';

/** In v5, a message on this channel contains the number of a channel that has ended. */
const CLOSE_CHANNEL = 255;
const ZERO = '0'.codePointAt(0) ?? 0;

/**
 * Several streams over one WebSocket: each message begins with the number of its channel, as a byte, or as a digit before
 * base64 in protocols with base64 in their name.
 */
export class WebSocketChannels {
  readonly #connection: WebSocketConnection;
  readonly #isBase64: boolean;
  readonly #inboxes: ReadonlyMap<number, ByteInbox>;
  readonly #scope = new AbortScope();

  constructor(connection: WebSocketConnection, readable: readonly number[]) {
    this.#connection = connection;
    this.#isBase64 = connection.protocol.includes('base64');
    this.#inboxes = new Map(readable.map((channel) => [channel, new ByteInbox()]));
    void this.#read();
  }

  /** Aborted when the connection ends. */
  get signal(): AbortSignal {
    return this.#scope.signal;
  }

  /** The messages of a channel; messages of a channel that is not read are dropped. */
  async *read(channel: number): AsyncGenerator<Uint8Array> {
    yield* this.#inboxes.get(channel) ?? [];
  }

  /** Undefined when more may be sent at once. Copies the bytes. */
  send(channel: number, bytes: Uint8Array): Promise<void> | undefined {
    if (this.#isBase64) return this.#connection.send(`${channel}${Buffer.from(bytes).toString('base64')}`);
    return this.#connection.sendAfter(Uint8Array.of(channel), bytes);
  }

  close(): void {
    this.#connection.close(CLOSE_CODE.normal);
  }

  async #read(): Promise<void> {
    try {
      for await (const batch of this.#connection.batches()) {
        for (const { data } of batch) {
          const full = this.#deliver(data);
          if (full !== undefined) await full;
        }
      }
    } catch {
      // a lost connection ends its channels, like a closed one
    } finally {
      for (const inbox of this.#inboxes.values()) inbox.drop();
      this.#scope.abort(new Error('The caller is gone'));
    }
  }

  /** Puts a message into the inbox of its channel; a promise while that is full. */
  #deliver(data: Uint8Array): Promise<void> | undefined {
    const [first = ZERO] = data;
    const rest = data.subarray(1);
    if (this.#isBase64)
      return this.#inboxes.get(first - ZERO)?.offer(Buffer.from(Buffer.from(rest).toString('latin1'), 'base64'));
    if (first !== CLOSE_CHANNEL) return this.#inboxes.get(first)?.offer(rest);
    this.#inboxes.get(rest[0] ?? CLOSE_CHANNEL)?.finish();
    return undefined;
  }
}
