import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Clock, describeError, keepAlive } from '../../base/index.ts';
import { SOCKET } from './requests.ts';

/** The program of the server, and its folder. */
export interface ServerPlace {
  readonly program: { readonly node: string; readonly file: string };
  /** The folder of the server's socket. */
  readonly folder: string;
  /** How long the server stays when nothing runs. */
  readonly idle: string;
}

export interface ConnectOptions extends ServerPlace {
  /** How long to try; default 30 seconds. */
  readonly giveUpMs?: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const LOG = 'log';
const TRY_EVERY_MS = 10;
/** A server that is about to end still locks the folder, so another start is tried after this time. */
const START_EVERY_MS = 5000;
const GIVE_UP_MS = 30_000;

/** Connects to the server in the folder; starts one if none is running. */
export async function connectToServer(options: ConnectOptions): Promise<Socket> {
  const { folder, clock, signal, giveUpMs = GIVE_UP_MS } = options;
  using _awake = keepAlive();
  const began = clock.monotonic();
  let nextStart = began;
  let failure: unknown;
  while (clock.monotonic() - began < giveUpMs) {
    signal.throwIfAborted();
    try {
      return await connected(folder);
    } catch (error) {
      failure = error;
    }
    if (clock.monotonic() >= nextStart) {
      startServer(options);
      nextStart = clock.monotonic() + START_EVERY_MS;
    }
    await clock.sleep(TRY_EVERY_MS);
  }
  const logged = (await readFile(join(folder, LOG), 'utf8').catch(() => '')).trim(); // nothing was written
  throw new Error(`Cannot reach the server of test clusters: ${logged === '' ? describeError(failure) : logged}`);
}

/** Starts the server if none is running, for a request that follows soon. */
export async function ensureServer(place: ServerPlace): Promise<void> {
  try {
    (await connected(place.folder)).destroy();
  } catch {
    startServer(place);
  }
}

function startServer({ program, folder, idle }: ServerPlace): void {
  const log = openSync(join(folder, LOG), 'w', 0o600);
  const args = [program.file, 'shared-server', '--dir', folder, '--idle', idle];
  const server = spawn(program.node, args, { detached: true, cwd: '/', stdio: ['ignore', log, log] });
  server.on('error', () => undefined); // the attempts to connect fail, which is reported
  server.unref();
  closeSync(log);
}

async function connected(folder: string): Promise<Socket> {
  const socket = connect({ path: join(folder, SOCKET), allowHalfOpen: true });
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
