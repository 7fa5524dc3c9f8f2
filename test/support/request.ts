import { request } from 'node:https';
import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import type { ClusterAccess } from '../../src/cluster/kubeconfig.ts';

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

/** A cluster that is reached as its administrator. */
export interface Reached {
  readonly plane: { readonly access: Omit<ClusterAccess, 'name'> };
}

/** One HTTPS request to a test cluster, by Node's own client. */
export function send({ plane }: Reached, path: string, options: RawRequest = {}): Promise<RawAnswer> {
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

/** The cluster of a kubeconfig with one cluster and a client certificate. */
export async function reachedBy(kubeconfig: string): Promise<Reached> {
  interface Config {
    readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
    readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
  }
  const config = load(await readFile(kubeconfig, 'utf8')) as Config;
  const [{ cluster }] = config.clusters;
  const [{ user }] = config.users;
  const data = (text = ''): string => Buffer.from(text, 'base64').toString();
  const client = {
    certificate: data(user['client-certificate-data']),
    privateKey: data(user['client-key-data']),
  };
  const certificateAuthority = data(cluster['certificate-authority-data']);
  return { plane: { access: { server: cluster['server'] ?? '', certificateAuthority, client } } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: the caller looks at the text
  }
}

/** POST or PUT of a JSON object. */
export function sendJson(cluster: Reached, method: string, path: string, body: unknown): Promise<RawAnswer> {
  return send(cluster, path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}
