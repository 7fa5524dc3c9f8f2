import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { dirname, resolve } from 'node:path';
import { load } from 'js-yaml';
import { countFrames } from './watch-frames.ts';

/** An answer as it came over the wire. */
export interface Reply {
  readonly status: number;
  /** Names in lower case; several of a name in order. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: Buffer;
}

export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly isAnonymous: boolean;
  /** Leave the answer after this many events of a watch. */
  readonly events: number | undefined;
}

/** Who a target's client is. */
export interface Identity {
  readonly server: string;
  readonly certificate: string | Buffer;
  readonly key: string | Buffer;
}

const PATIENCE_MS = 20_000;

/** A server that cases are played on, over HTTPS. It does not check who answers. */
export class Target implements Disposable {
  readonly server: URL;
  readonly #known: Agent;
  readonly #anonymous: Agent;

  constructor({ server, certificate, key }: Identity) {
    this.server = new URL(server);
    this.#known = new Agent({ keepAlive: true, cert: certificate, key, rejectUnauthorized: false });
    this.#anonymous = new Agent({ keepAlive: true, rejectUnauthorized: false });
  }

  send({ method, path, headers, body, isAnonymous, events }: Outgoing): Promise<Reply> {
    const { hostname, port } = this.server;
    const agent = isAnonymous ? this.#anonymous : this.#known;
    return new Promise((done, fail) => {
      // Node sends a DELETE's body without its length by default.
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      const options = { hostname, port, path, method, headers: { ...headers, ...length }, agent, timeout: PATIENCE_MS };
      const call = request(options, (incoming) => {
        const chunks: Buffer[] = [];
        const finish = (): void => {
          const reply = { status: incoming.statusCode ?? 0, headers: distinctHeaders(incoming.rawHeaders) };
          done({ ...reply, body: Buffer.concat(chunks) });
        };
        incoming.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (events === undefined || incoming.statusCode !== 200) return;
          if (countFrames(Buffer.concat(chunks), incoming.headers['content-type'] ?? '') < events) return;
          finish();
          call.destroy();
        });
        incoming.on('end', finish);
        incoming.on('error', fail);
      });
      call.on('timeout', () => call.destroy(new Error(`${method} ${path}: no answer for ${PATIENCE_MS} ms`)));
      call.on('error', fail);
      call.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#known.destroy();
    this.#anonymous.destroy();
  }
}

function distinctHeaders(raw: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    headers[name] = [...(headers[name] ?? []), raw[at + 1] ?? ''];
  }
  return headers;
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string } }[];
  readonly users: readonly { readonly user: Readonly<Record<string, string | undefined>> }[];
}

/** The server and the client certificate of a kubeconfig's first cluster and user. */
export function identityOf(kubeconfig: string): Identity {
  const config = load(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const user = config.users[0]?.user ?? {};
  const part = (name: string): Buffer => {
    const data = user[`${name}-data`];
    if (data !== undefined) return Buffer.from(data, 'base64');
    return readFileSync(resolve(dirname(kubeconfig), user[name] ?? ''));
  };
  const server = config.clusters[0]?.cluster.server ?? '';
  return { server, certificate: part('client-certificate'), key: part('client-key') };
}
