import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { RuntimeError } from '../node/index.ts';
import { drained, duplexPair } from '../wire/connections/index.ts';
import type { SimulatedContainer } from './simulated-container.ts';

export interface ScriptedPort {
  /** Namespace and name. */
  readonly pod: string;
  readonly port: number;
  /** The response body according to the script. */
  readonly page: () => string | undefined;
  /** The containers of the pod that run. */
  readonly containers: () => readonly Pick<SimulatedContainer, 'ended'>[];
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal;
}

const REQUEST_LINE = /^[A-Z]{3,7} \S+ HTTP\/1\.[01]\r?\n/;

/**
 * A port of a simulated pod: answers HTTP requests with a page, refuses TLS, and echoes everything else. The connection ends with the containers
 * that ran when it was opened.
 */
export async function* scriptedPort(
  sent: AsyncIterable<Uint8Array>,
  { containers, signal, ...served }: ScriptedPort,
): AsyncGenerator<Uint8Array> {
  const running = containers();
  if (running.length === 0)
    throw new RuntimeError('Unavailable', `dial tcp4 127.0.0.1:${served.port}: connect: connection refused`);
  const leaving = new AbortController();
  const scope = AbortSignal.any([signal, leaving.signal]);
  const answers = answersOf(sent, served);
  let stop: (end: undefined) => void = () => undefined;
  let isOver = false;
  void Promise.all(running.map((container) => container.ended(scope))).then(() => {
    isOver = true;
    stop(undefined);
  });
  try {
    while (!isOver) {
      // not Promise.race, which would keep something for each piece until the containers end
      const next = await new Promise<IteratorResult<Uint8Array, undefined> | undefined>((resolve, reject) => {
        stop = resolve;
        answers.next().then(resolve, reject);
      });
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  } finally {
    leaving.abort();
    void answers.return(undefined).catch(() => undefined); // it may wait for bytes that never come
  }
}

type ServedPort = Pick<ScriptedPort, 'pod' | 'port' | 'page'>;

async function* answersOf(
  sent: AsyncIterable<Uint8Array>,
  { pod, port, page }: ServedPort,
): AsyncGenerator<Uint8Array, undefined> {
  const rest = sent[Symbol.asyncIterator]();
  const first = await rest.next();
  if (first.done === true) return;
  async function* all(start: Uint8Array): AsyncGenerator<Uint8Array> {
    yield start;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  if (isClientHello(first.value)) throw new RuntimeError('Invalid', `pod "${pod}" is simulated and does not speak TLS`);
  if (!REQUEST_LINE.test(Buffer.from(first.value).toString('latin1', 0, 8192))) {
    yield* all(first.value);
    return;
  }
  yield* serveHttp(all(first.value), (request, response) => {
    request.resume(); // the request body is dropped
    request.once('end', () => {
      const text = page() ?? `${request.method} ${request.url} of pod ${pod}, port ${port}\n`;
      response.writeHead(200, { 'content-type': typeOf(text), 'content-length': Buffer.byteLength(text) }).end(text);
    });
  });
}

/** Whether the bytes begin a TLS connection: a record of a handshake, and in it the first message of a client. */
function isClientHello(bytes: Uint8Array): boolean {
  const [type, major, minor = 0] = bytes;
  return type === 22 && major === 3 && minor <= 4 && bytes[5] === 1;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function* serveHttp(sent: AsyncIterable<Uint8Array>, handler: Handler): AsyncGenerator<Uint8Array> {
  const [near, far] = duplexPair();
  const server = createServer(handler);
  server.emit('connection', far);
  near.on('error', () => undefined); // the read loop sees the error
  const bring = async (): Promise<void> => {
    for await (const bytes of sent) {
      if (!near.writable) return;
      if (!near.write(bytes)) await drained(near);
    }
    near.end();
  };
  void bring().catch(() => near.destroy());
  try {
    for await (const bytes of near) yield bytes as Buffer;
  } finally {
    near.destroy();
    server.close();
  }
}

function typeOf(text: string): string {
  if (/^\s*</.test(text)) return 'text/html; charset=utf-8';
  return /^\s*[[{]/.test(text) ? 'application/json' : 'text/plain; charset=utf-8';
}
