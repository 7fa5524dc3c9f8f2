import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { aborted, AbortScope, type Clock, describeError, type Logger } from '../../base/index.ts';
import type { CommandEntry } from '../command.ts';
import { apiserverCommand } from '../commands/apiserver.ts';
import { runCommand } from '../run-command.ts';
import { firstMessage, sendMessage } from './messages.ts';
import { type ApiserverMessage, type ApiserverRequest, type SharedRequest, SOCKET } from './requests.ts';
import { serveCluster } from './serve-cluster.ts';
import type { Served } from './served.ts';

export interface SharedServerOptions {
  /** How long it stays when nothing runs. */
  readonly idleMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The program that starts the server is about to connect. */
const FIRST_WAIT_MS = 10_000;

/** Runs clusters and API servers for clients of a socket in the folder, until there has been no client for a while. */
export async function runSharedServer(folder: string, options: SharedServerOptions): Promise<void> {
  const { clock, log, idleMs } = options;
  using scope = new AbortScope(options.signal);
  const serving = new Set<Promise<void>>();
  let idle: Disposable | undefined;
  const waitAtMost = (ms: number): void => {
    idle?.[Symbol.dispose]();
    idle = clock.timer(ms, () => scope.abort());
  };
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    idle?.[Symbol.dispose]();
    const served = serve(connection, { clock, log, signal: scope.signal, running: serving.size + 1 })
      .catch((error: unknown) => log.error('a request failed', { error: describeError(error) }))
      .finally(() => {
        connection.end();
        serving.delete(served);
        if (serving.size === 0) waitAtMost(idleMs);
      });
    serving.add(served);
  });
  const socket = join(folder, SOCKET);
  await rm(socket, { force: true }); // left by a server that was killed: the folder is locked, so no server uses the socket
  server.listen(socket);
  await once(server, 'listening');
  waitAtMost(Math.max(idleMs, FIRST_WAIT_MS));
  await aborted(scope.signal);
  idle?.[Symbol.dispose]();
  server.close();
  await Promise.all(serving);
}

async function serve(connection: Socket, options: Omit<Served, 'connection'>): Promise<void> {
  using life = new AbortScope(options.signal);
  connection.on('error', () => life.abort()); // the client has disconnected
  connection.once('close', () => life.abort());
  connection.once('end', () => life.abort());
  const request = await firstMessage<SharedRequest>(connection);
  if (request === undefined) return;
  const served = { ...options, connection, signal: life.signal };
  await (request.type === 'cluster' ? serveCluster(request, served) : serveApiserver(request, served));
}

/** One thread serves all, so more of them run better in separate processes. */
const MAX_RUNNING = 4;

const APISERVER: CommandEntry = { name: 'apiserver', summary: '', load: async () => apiserverCommand };

/** Runs `keelson apiserver` on behalf of the client. */
async function serveApiserver(request: ApiserverRequest, served: Served): Promise<void> {
  const { connection, running, signal } = served;
  const send = (message: ApiserverMessage): void => sendMessage(connection, message);
  if (running > MAX_RUNNING) return send({ type: 'full' });
  const code = await runCommand([APISERVER], ['apiserver', ...request.args], {
    env: request.environment,
    stdout: { write: (text) => send({ type: 'out', text }) },
    stderr: { write: (text) => send({ type: 'error', text }) },
    once: (event, stop) => event === 'SIGTERM' && signal.addEventListener('abort', stop, { once: true }),
  });
  send({ type: 'ended', code });
}
