import { get } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Daemon } from './daemon.ts';

export interface ReadyOptions {
  /** PEM of the authority that signed the server's certificate. */
  readonly certificateAuthority: string;
  readonly token: string;
  /** Watched meanwhile: one that ends makes the wait fail at once. */
  readonly daemons: readonly Daemon[];
  readonly signal?: AbortSignal;
}

const DEADLINE_MS = 90_000;
const POLL_MS = 25;

/** Polls /readyz until the server says 200. */
export async function awaitReady(url: string, options: ReadyOptions): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (performance.now() < deadline) {
    options.signal?.throwIfAborted();
    if ((await statusOf(`${url}/readyz`, options)) === 200) return;
    for (const daemon of options.daemons) if (daemon.failure !== undefined) throw new Error(daemon.failure);
    await sleep(POLL_MS);
  }
  const logs = options.daemons.map((daemon) => `--- ${daemon.name}\n${daemon.logTail(5)}`);
  throw new Error(`"${url}" was not ready within ${DEADLINE_MS / 1000} s\n${logs.join('\n')}`);
}

function statusOf(url: string, { certificateAuthority, token }: ReadyOptions): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(
      url,
      { ca: certificateAuthority, headers: { authorization: `Bearer ${token}` }, agent: false, timeout: 5000 },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined)); // not listening yet
  });
}
