import { AbortScope, type Clock } from '../../../base/index.ts';
import { HttpClient } from '../../../wire/http/index.ts';

export interface FetchOptions {
  /** PEM of trusted authorities; default the system's. */
  readonly authorities?: string;
  readonly clock: Clock;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/** Gets a small JSON document over HTTPS, with limits of time and size. Redirects are not followed. */
export async function fetchJson(url: string, { authorities, clock }: FetchOptions): Promise<unknown> {
  const server = new URL(url);
  const client = new HttpClient({ target: { server }, authorities: async () => authorities, clock });
  using scope = new AbortScope();
  using _timeUp = clock.timer(TIMEOUT_MS, () => scope.abort(new Error(`no answer in ${TIMEOUT_MS} ms`)));
  try {
    const path = server.pathname + server.search;
    const headers = { accept: 'application/json', 'user-agent': 'kube-apiserver' };
    const { status, chunks } = await client.request({ method: 'GET', path, headers, signal: scope.signal });
    const body: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
      body.push(chunk);
    }
    if (status !== 200) throw new Error(`the answer has status ${status}`);
    return JSON.parse(Buffer.concat(body).toString());
  } finally {
    client.destroy();
  }
}
