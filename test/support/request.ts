import { request } from 'node:https';
import type { TestCluster } from './test-cluster.ts';

export interface RawAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body, parsed; undefined when it is no JSON. */
  readonly json: unknown;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Without a certificate, as anybody. */
  readonly anonymous?: boolean;
}

/** One HTTPS request to a test cluster, by Node's own client. */
export function send({ plane }: TestCluster, path: string, options: RawRequest = {}): Promise<RawAnswer> {
  const { access } = plane;
  const { hostname, port } = new URL(access.server);
  const identity = options.anonymous === true ? {} : { cert: access.client.certificate, key: access.client.privateKey };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        hostname,
        port,
        path,
        method: options.method ?? 'GET',
        headers: options.headers,
        ca: access.certificateAuthority,
        agent: false,
        ...identity,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ code: incoming.statusCode ?? 0, headers: incoming.headers, text, json: parse(text) });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: the caller looks at the text
  }
}

/** POST or PUT of a JSON object. */
export function sendJson(cluster: TestCluster, method: string, path: string, body: unknown): Promise<RawAnswer> {
  return send(cluster, path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}
