import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Clock, describeError, keepAlive } from '../../base/index.ts';
import { SOCKET } from './requests.ts';

/** The program that serves, and where. */
export interface ServerPlace {
  readonly program: { readonly node: string; readonly file: string };
  /** Where the server is, or will be. */
  readonly folder: string;
  /** How long it waits for somebody when nothing runs. */
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
/** A server that is about to end still holds the folder, so that another one has to be started when it has had the time. */
const START_EVERY_MS = 5000;
const GIVE_UP_MS = 30_000;

/** Connects to the server in the folder; starts one if none is there. */
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
  const told = (await readFile(join(folder, LOG), 'utf8').catch(() => '')).trim(); // nothing was written
  throw new Error(`Cannot reach the server of test clusters: ${told === '' ? describeError(failure) : told}`);
}

/** Starts the server unless it is there, for those who will need it soon. */
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
  server.on('error', () => undefined); // the attempts to connect fail, and that is told
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
