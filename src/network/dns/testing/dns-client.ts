// Questions over real sockets, for tests.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  decodeMessage,
  Flag,
  FrameReader,
  framed,
  type Message,
  MessageEncoder,
  RecordClass,
} from '../../../wire/dns/index.ts';

const encoder = new MessageEncoder();

/** The bytes of a question. */
export function questionBytes(name: string, type: number, parts: Partial<Message> = {}): Buffer {
  const questions = [{ name, type, class: RecordClass.IN }];
  const empty = { answers: [], authorities: [], additionals: [] };
  return encoder.encode({ id: 4711, flags: Flag.RECURSION_DESIRED, questions, ...empty, ...parts });
}

interface Server {
  readonly host: string;
  readonly port: number;
}

/** Sends bytes over UDP and waits for one answer. */
export async function askUdp({ host, port }: Server, bytes: Uint8Array): Promise<Message> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    const answered = once(socket, 'message');
    socket.send(bytes, port, host);
    const [answer] = (await answered) as [Buffer];
    return decodeMessage(answer);
  } finally {
    socket.close();
  }
}

/** A TCP connection on which questions can be asked. */
export class TcpQuestions implements Disposable {
  readonly socket: Socket;
  readonly #frames = new FrameReader();
  readonly #answers: Message[] = [];
  readonly #waiting: ((answer: Message) => void)[] = [];

  static async open({ host, port }: Server): Promise<TcpQuestions> {
    const socket = connect({ host, port });
    await once(socket, 'connect');
    return new TcpQuestions(socket);
  }

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined); // the server may close it
    socket.on('data', (chunk) => {
      for (const bytes of this.#frames.push(chunk)) {
        const answer = decodeMessage(bytes);
        const next = this.#waiting.shift();
        if (next === undefined) this.#answers.push(answer);
        else next(answer);
      }
    });
  }

  send(bytes: Uint8Array): void {
    this.socket.write(framed(bytes));
  }

  /** The next answer. */
  answer(): Promise<Message> {
    const known = this.#answers.shift();
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** Resolves when the server has closed the connection. */
  async closed(): Promise<void> {
    if (!this.socket.closed) await once(this.socket, 'close');
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
