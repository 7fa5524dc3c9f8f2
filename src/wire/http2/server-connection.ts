import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/index.ts';
import { goawayFrame } from './control-frames.ts';
import { FrameReader } from './frame-reader.ts';
import { CODE, ConnectionError } from './protocol.ts';
import { Sender } from './sender.ts';
import type { ServerStream } from './server-stream.ts';
import { MAX_INCOMING_FRAME_BYTES, Session, type SessionLimits } from './session.ts';
import type { WriteBuffer } from './write-buffer.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** How many bytes a client may still send after GOAWAY, before it is disconnected. */
const MAX_DISCARDED_BYTES = 256 * 1024;

/** How many bytes other than data are read from a connection before other work has its turn: about 2 ms of work in cold code. */
const UNBOUND_BYTES_A_TURN = 8 * 1024;

export interface ServerConnectionOptions {
  readonly clock: Clock;
  readonly limits: SessionLimits;
  /** Shared by the connections of one thread. */
  readonly buffer: WriteBuffer;
  /** Serves a request. Called after everything that arrived together with the request was read. */
  readonly serve: (stream: ServerStream) => void;
  /** A request was cancelled before it was served, or was refused. */
  readonly takenBack: () => void;
}

/**
 * The server side of one HTTP/2 connection (RFC 9113), without pushes, priorities and extensions.
 *
 * Guarantees: the memory and work that a client can cause is bounded; a violation of the protocol ends its stream or
 * connection with an error code; the client's windows are respected.
 */
export class ServerConnection {
  readonly #socket: Duplex;
  readonly #options: ServerConnectionOptions;
  readonly #sender: Sender;
  readonly #session: Session;
  readonly #reader: FrameReader;
  #state: 'preface' | 'open' | 'draining' | 'over' = 'preface';
  /** Received bytes of the preface. */
  #greeted = 0;
  #arrived: ServerStream[] = [];
  #discarded = 0;
  readonly #onClose: (() => void)[] = [];

  constructor(socket: Duplex, options: ServerConnectionOptions) {
    const { clock, limits } = options;
    this.#socket = socket;
    this.#options = options;
    this.#sender = new Sender(socket, options.buffer, {
      streamOver: (stream) => this.#session.streamOver(stream),
      progress: (bytes) => this.#session.progress(bytes),
      flushed: () => this.#leaveWhenDone(),
      flooded: () => this.fail(CODE.enhanceYourCalm),
    });
    this.#session = new Session({
      clock,
      limits,
      sender: this.#sender,
      events: {
        arrived: (stream) => void this.#arrived.push(stream),
        refused: options.takenBack,
        leaving: () => this.drain(),
      },
    });
    this.#reader = new FrameReader(this.#session, MAX_INCOMING_FRAME_BYTES);
    socket.on('data', this.#receive);
    socket.on('end', () => this.#hangUp());
    socket.on('error', ignore);
    socket.on('close', () => this.#closed());
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  onClose(closed: () => void): void {
    this.#onClose.push(closed);
  }

  /** Accepts no more requests, and closes after the responses in flight. */
  drain(): void {
    if (this.#state !== 'preface' && this.#state !== 'open') return;
    this.#state = 'draining';
    this.#session.drain();
    this.#sender.control(goawayFrame(this.#session.lastStream, CODE.noError));
  }

  destroy(): void {
    this.#state = 'over';
    this.#socket.destroy();
    this.#closed();
  }

  /** Sends the error to the client, and reads nothing more from it. */
  fail(code: number): void {
    this.#sender.flush();
    if (this.isOver) return;
    this.#over();
    this.#socket.end(goawayFrame(this.#session.lastStream, code));
    const timer = this.#options.clock.timer(this.#options.limits.lingerMs, () => this.#socket.destroy());
    this.#onClose.push(() => timer[Symbol.dispose]());
    this.#session.closeStreams();
  }

  readonly #receive = (chunk: Buffer): void => {
    if (this.#state === 'over') {
      this.#discarded += chunk.length;
      if (this.#discarded > MAX_DISCARDED_BYTES) this.#socket.destroy();
      return;
    }
    try {
      this.#reader.push(this.#greeted < PREFACE.length ? this.#greet(chunk) : chunk);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.fail(error.code);
    }
    this.#serveArrived();
    if (this.#session.unboundBytes >= UNBOUND_BYTES_A_TURN) this.#giveTurn();
  };

  /** Input that no window limits is read in pieces, with turns of the event loop in between. */
  #giveTurn(): void {
    this.#session.unboundBytes = 0;
    this.#socket.pause();
    setImmediate(() => this.#socket.resume());
  }

  /** Checks the preface and returns what follows it. */
  #greet(chunk: Buffer): Buffer {
    const length = Math.min(chunk.length, PREFACE.length - this.#greeted);
    if (PREFACE.compare(chunk, 0, length, this.#greeted, this.#greeted + length) !== 0) {
      throw new ConnectionError(CODE.protocolError, 'That is not HTTP/2');
    }
    this.#greeted += length;
    if (this.#greeted === PREFACE.length && this.#state === 'preface') this.#state = 'open';
    return chunk.subarray(length);
  }

  /** A request that is cancelled in the same packet is counted and never served. */
  #serveArrived(): void {
    if (this.#arrived.length === 0) return;
    const arrived = this.#arrived;
    this.#arrived = [];
    for (const stream of arrived) {
      if (this.isOver) return;
      if (stream.destroyed) this.#options.takenBack();
      else this.#options.serve(stream);
    }
  }

  #leaveWhenDone(): void {
    if (this.#state !== 'draining' || this.#session.openStreams > 0 || !this.#sender.isIdle) return;
    this.#over();
    this.#socket.end();
  }

  /** The client has ended its side: sends what is ready. */
  #hangUp(): void {
    if (this.#state === 'over') {
      this.#socket.destroy();
      return;
    }
    this.#sender.flush();
    this.#over();
    this.#socket.end();
    this.#session.closeStreams();
  }

  #over(): void {
    this.#state = 'over';
    this.#sender.stop();
  }

  #closed(): void {
    this.#over();
    this.#session.closeStreams();
    for (const closed of this.#onClose.splice(0)) closed();
  }
}

function ignore(): void {
  // errors of the connection are the client's doing; 'close' follows and is handled
}
