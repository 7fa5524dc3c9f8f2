import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2';
import type { RunningServer } from '../../peers/index.ts';

export interface Answered {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text, as JSON. */
  readonly body: KubernetesObject;
}

export interface KubernetesObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly items?: readonly KubernetesObject[];
  readonly [member: string]: unknown;
}

/** One HTTP/2 connection to a server, so that all of its requests go to the same worker. */
export class Connection implements Disposable {
  readonly #session: ClientHttp2Session;
  readonly #token: string;

  private constructor(session: ClientHttp2Session, token: string) {
    this.#session = session;
    this.#token = token;
    session.on('error', () => undefined); // its requests fail too
  }

  static async open(server: RunningServer): Promise<Connection> {
    const session = connect(server.url, { ca: readFileSync(`${server.folder}/pki/ca.crt`) });
    await once(session, 'connect');
    return new Connection(session, server.token);
  }

  get port(): number {
    return this.#session.socket.localPort ?? 0;
  }

  get isClosed(): boolean {
    return this.#session.destroyed;
  }

  async request(method: string, path: string, sent?: object): Promise<Answered> {
    const stream = this.#stream(method, path);
    stream.end(sent === undefined ? undefined : JSON.stringify(sent));
    let [code, text] = [0, ''];
    let headers: IncomingHttpHeaders = {};
    stream.once('response', (arrived) => {
      headers = arrived;
      code = Number(arrived[constants.HTTP2_HEADER_STATUS]);
    });
    for await (const piece of stream.setEncoding('utf8')) text += String(piece);
    return {
      code,
      headers,
      text,
      get body() {
        return JSON.parse(text) as KubernetesObject;
      },
    };
  }

  /** The objects of a watch, until there were `count` of them. */
  async watch(path: string, count: number): Promise<KubernetesObject[]> {
    const stream = this.#stream('GET', path);
    stream.end();
    const found: KubernetesObject[] = [];
    let rest = '';
    for await (const piece of stream.setEncoding('utf8')) {
      const lines = (rest + String(piece)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) found.push((JSON.parse(line) as { object: KubernetesObject }).object);
      if (found.length >= count) break;
    }
    return found;
  }

  [Symbol.dispose](): void {
    this.#session.destroy();
  }

  #stream(method: string, path: string) {
    return this.#session.request({
      [constants.HTTP2_HEADER_METHOD]: method,
      [constants.HTTP2_HEADER_PATH]: path,
      authorization: `Bearer ${this.#token}`,
      'content-type': 'application/json',
    });
  }
}

/** The processes that a server has started. */
export function workersOf({ daemons: [main] }: RunningServer): number[] {
  const pid = main?.pid ?? 0;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

/** The worker at the other end of a connection. */
export function workerOf(connection: Connection, server: RunningServer): number {
  const [here, there] = [new URL(server.url).port, connection.port].map((port) =>
    Number(port).toString(16).toUpperCase().padStart(4, '0'),
  );
  const found = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([, local = '', remote = '']) => local.endsWith(`:${here}`) && remote.endsWith(`:${there}`));
  const socket = `socket:[${found?.[9] ?? ''}]`;
  const worker = workersOf(server).find((pid) => linksOf(pid).includes(socket));
  if (worker === undefined) throw new Error(`No worker has the connection from port ${connection.port}`);
  return worker;
}

function linksOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return ''; // it was closed just now
    }
  });
}
