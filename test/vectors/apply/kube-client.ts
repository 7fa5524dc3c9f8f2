import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { dirname, resolve } from 'node:path';
import { load } from 'js-yaml';

export interface Reply {
  readonly code: number;
  readonly body: Record<string, unknown>;
  /** The texts of `Warning` headers. */
  readonly warnings: readonly string[];
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string } }[];
  readonly users: readonly { readonly user: Record<string, string | undefined> }[];
}

/** Speaks to the cluster of a kubeconfig that has a client certificate. Only for recording: it does not check who answers. */
export class KubeClient {
  readonly #server: URL;
  readonly #agent: Agent;

  constructor(kubeconfig: string) {
    const config = load(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
    const user = config.users[0]?.user ?? {};
    const part = (name: string): string | Buffer => {
      const data = user[`${name}-data`];
      if (data !== undefined) return Buffer.from(data, 'base64');
      return readFileSync(resolve(dirname(kubeconfig), user[name] ?? ''));
    };
    this.#server = new URL(config.clusters[0]?.cluster.server ?? '');
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: 8,
      cert: part('client-certificate'),
      key: part('client-key'),
      rejectUnauthorized: false,
    });
  }

  send(
    method: string,
    path: string,
    options: {
      readonly body?: unknown;
      readonly type?: string;
      readonly userAgent?: string;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<Reply> {
    const { body, type = 'application/json', userAgent = 'vectors' } = options;
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const headers = {
      accept: 'application/json',
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      'user-agent': userAgent,
      ...options.headers,
    };
    return new Promise((done, fail) => {
      const call = request(new URL(path, this.#server), { method, agent: this.#agent, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', fail);
        answer.on('end', () => {
          const said = Buffer.concat(chunks).toString('utf8');
          done({
            code: answer.statusCode ?? 0,
            body: said.startsWith('{') ? (JSON.parse(said) as Reply['body']) : { message: said },
            warnings: warningsOf(answer.headers['warning'] ?? ''),
          });
        });
      });
      call.on('error', fail);
      call.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** `299 - "one", 299 - "two"`; Node.js reads headers as Latin-1, and Kubernetes writes UTF-8. */
function warningsOf(header: string): string[] {
  const text = Buffer.from(header, 'latin1').toString('utf8');
  return [...text.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, quoted = '""']) => JSON.parse(quoted) as string);
}
