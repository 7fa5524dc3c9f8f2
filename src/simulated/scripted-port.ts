import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { RuntimeError } from '../node/index.ts';
import { drained, duplexPair } from '../wire/connections/index.ts';

export interface ScriptedPort {
  /** Namespace and name. */
  readonly pod: string;
  readonly port: number;
  /** The response body according to the script. */
  readonly page: () => string | undefined;
}

const REQUEST_LINE = /^[A-Z]{3,7} \S+ HTTP\/1\.[01]\r?\n/;

/** A port of a simulated pod: answers HTTP requests with a page, refuses TLS, and echoes everything else. */
export async function* scriptedPort(
  sent: AsyncIterable<Uint8Array>,
  { pod, port, page }: ScriptedPort,
): AsyncGenerator<Uint8Array> {
  const rest = sent[Symbol.asyncIterator]();
  const first = await rest.next();
  if (first.done === true) return;
  async function* all(start: Uint8Array): AsyncGenerator<Uint8Array> {
    yield start;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  if (isClientHello(first.value)) throw new RuntimeError('Invalid', `pod "${pod}" is simulated and does not speak TLS`);
  if (!REQUEST_LINE.test(Buffer.from(first.value).toString('latin1', 0, 8192))) return yield* all(first.value);
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
