import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../../../base/index.ts';
import type { QueryHandler } from './query-handler.ts';

/** Room for bursts, in the kernel; it grants what its own limit allows. */
const RECEIVE_BYTES = 4 * 1024 * 1024;

/** Addresses are always numbers here: nothing needs to be looked up, and nothing waits for the next turn. */
function lookUpNothing(
  hostname: string,
  _options: unknown,
  callback: (error: null, address: string, family: number) => void,
): void {
  callback(null, hostname, hostname.includes(':') ? 6 : 4);
}

/**
 * Answers questions over UDP on one address.
 *
 * Ends: with `close`.
 */
export class UdpPort {
  readonly #handler: QueryHandler;
  readonly #log: Logger;
  readonly #socket: Socket;

  /** Opens the port; 0 takes any free one. */
  static async open(host: string, port: number, tools: UdpPortTools): Promise<UdpPort> {
    const isIpv6 = host.includes(':');
    const socket = createSocket({
      type: isIpv6 ? 'udp6' : 'udp4',
      ipv6Only: isIpv6,
      lookup: lookUpNothing,
      recvBufferSize: RECEIVE_BYTES,
    });
    const listening = once(socket, 'listening'); // which may come at once, because nothing is looked up
    socket.bind(port, host);
    await listening;
    return new UdpPort(socket, tools);
  }

  private constructor(socket: Socket, { handler, log }: UdpPortTools) {
    this.#handler = handler;
    this.#log = log;
    this.#socket = socket;
    socket.on('message', (bytes, from) => this.#answer(bytes, from));
    socket.on('error', (error) => this.#log.warn('cannot receive over UDP', { error }));
  }

  get address(): AddressInfo {
    return this.#socket.address();
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  #answer(bytes: Buffer, from: RemoteInfo): void {
    const answer = this.#handler.handle(bytes, { address: from.address, transport: 'udp' });
    if (answer === undefined) return;
    if (answer instanceof Promise) void answer.then((late) => late !== undefined && this.#send(late, from));
    else this.#send(answer, from);
  }

  #send(answer: Buffer, { address, port }: RemoteInfo): void {
    try {
      this.#socket.send(answer, port, address);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_SOCKET_DGRAM_NOT_RUNNING') return; // it was closed meanwhile
      this.#log.debug('cannot answer over UDP', { error, to: address });
    }
  }
}

export interface UdpPortTools {
  readonly handler: QueryHandler;
  readonly log: Logger;
}
