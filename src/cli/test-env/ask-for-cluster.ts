import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Clock, describeError, keepAlive } from '../../base/index.ts';
import { type ClusterAnswer, type ClusterRequest, readLine, SOCKET } from './cluster-request.ts';

export interface AskOptions {
  readonly program: { readonly node: string; readonly file: string };
  /** Where the server is, or will be. */
  readonly folder: string;
  readonly idle: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A cluster that others may use, until it is disposed of or its server ends. */
export interface OpenCluster extends Disposable {
  readonly kubeconfig: string;
  readonly server: string;
  /** Resolves when the cluster is gone. */
  readonly closed: Promise<void>;
}

/** Asks the server in the folder for a cluster; starts one if none is there. */
export async function askForCluster(request: ClusterRequest, options: AskOptions): Promise<OpenCluster> {
  const connection = await connectOrStart(options);
  const closed = once(connection, 'close').then(
    () => undefined,
    () => undefined, // a connection that breaks is closed too
  );
  connection.on('error', () => undefined);
  const stop = (): void => void connection.destroy();
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    connection.write(`${JSON.stringify(request)}\n`);
    const answer = JSON.parse(await readLine(connection)) as ClusterAnswer;
    if (answer.problem !== undefined) throw new Error(`Cannot start a test cluster: ${answer.problem}`);
    return { ...answer, closed, [Symbol.dispose]: stop };
  } catch (error) {
    connection.destroy();
    throw error;
  } finally {
    options.signal.removeEventListener('abort', stop);
  }
}

const TRY_EVERY_MS = 10;
/** A server that is about to end still holds the folder: another one is started when it has had the time. */
const START_EVERY_MS = 1000;
const GIVE_UP_MS = 30_000;

async function connectOrStart(options: AskOptions): Promise<Socket> {
  const { folder, clock, signal } = options;
  const began = clock.monotonic();
  let nextStart = began;
  let failure: unknown;
  while (clock.monotonic() - began < GIVE_UP_MS) {
    signal.throwIfAborted();
    try {
      return await connected(join(folder, SOCKET));
    } catch (error) {
      failure = error;
    }
    if (clock.monotonic() >= nextStart) {
      start(options);
      nextStart = clock.monotonic() + START_EVERY_MS;
    }
    await waitAwake(clock, TRY_EVERY_MS);
  }
  const told = await readFile(join(folder, LOG), 'utf8').catch(() => ''); // nothing was written
  throw new Error(
    `Cannot reach the server of test clusters: ${told.trim() === '' ? describeError(failure) : told.trim()}`,
  );
}

const LOG = 'log';

function start({ program, folder, idle }: AskOptions): void {
  const log = openSync(join(folder, LOG), 'w', 0o600);
  const args = [program.file, 'test-env-server', '--dir', folder, '--idle', idle];
  const server = spawn(program.node, args, { detached: true, cwd: '/', stdio: ['ignore', log, log] });
  server.on('error', () => undefined); // the attempts to connect fail, and that is told
  server.unref();
  closeSync(log);
}

async function connected(path: string): Promise<Socket> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** A pause during which the process does not end, although nothing else may be under way. */
async function waitAwake(clock: Clock, ms: number): Promise<void> {
  using _awake = keepAlive();
  await clock.sleep(ms);
}
