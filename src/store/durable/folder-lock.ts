import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Server, type Socket } from 'node:net';
import { basename, join } from 'node:path';
import { keepAlive, RealClock } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import { errorCode, isOutOfSpace } from './durable-files.ts';
import { closeServer, type KernelLock, listenExclusively, lockInKernel } from './kernel-lock.ts';

export interface FolderLockOptions {
  /** Nothing will be written, so if the folder is read-only the kernel's lock alone is enough. */
  readonly isOnlyRead?: boolean;
}

/** A folder locked by this process. */
export interface FolderLock extends AsyncDisposable {
  /** From now on this handler serves processes that connect to the owner; before, they are disconnected. */
  answer(visitor: Answer): void;
}

type Answer = (socket: Socket) => void;

/**
 * Keeps a second process out of a folder; throws `Locked` when there is one.
 *
 * The lock is the kernel's, on the folder itself. In addition the owner listens on a Unix socket in the folder, so a
 * process that can connect to it knows that the owner is alive. That keeps out processes the kernel's lock does not
 * reach: another network namespace without the program `flock`, or an older version of Keelson. The system closes the
 * socket when the process ends, however it ends, so there are no stale locks, and a process that is merely stopped
 * still holds its lock.
 *
 * Sockets of dead processes stay behind as files, and two processes must not both succeed a dead one. So each contender
 * takes a number above all it sees, and owns the folder if afterwards no higher number exists and no process with a
 * lower number is alive. Of two simultaneous contenders, the one that looks last sees the other, so they never both
 * win.
 */
export async function lockFolder(folder: string, options: FolderLockOptions = {}): Promise<FolderLock> {
  const kernelLock = await waitForKernel(folder);
  const connections = new OwnerConnections();
  try {
    const place = new LockPlace(folder, kernelLock.descriptor, (socket) => connections.welcome(socket));
    const server = await takeSocket(place, options);
    const release = async (): Promise<void> => {
      connections.dismiss();
      if (server !== undefined) await closeServer(server);
      await kernelLock.close();
    };
    return { answer: (visitor) => connections.answerWith(visitor), [Symbol.asyncDispose]: release };
  } catch (error) {
    await kernelLock.close();
    throw error;
  }
}

const ATTEMPTS = 10;
const KERNEL_ATTEMPTS = 50;
const KERNEL_PAUSE_MS = 20;
const LOCK_FILE = /^lock-(\d+)$/;
const OWNER_FILE = 'owner';
const MAX_COMMAND = 500;

/** The connections other processes have open to the owner. */
class OwnerConnections {
  readonly #sockets = new Set<Socket>();
  #answer: Answer | undefined;

  answerWith(answer: Answer): void {
    this.#answer = answer;
  }

  welcome(socket: Socket): void {
    socket.on('error', () => undefined); // a process that only checks whether the owner lives disconnects without sending anything
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#answer === undefined) socket.destroy();
    else this.#answer(socket);
  }

  dismiss(): void {
    this.#answer = undefined;
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Connects to the process that has a folder locked; `undefined` when there is none, or it cannot be reached. */
export async function connectToOwner(folder: string): Promise<Socket | undefined> {
  const handle = await open(folder, 'r');
  try {
    const place = new LockPlace(folder, handle.fd);
    const numbers = (await place.numbers()).sort((left, right) => right - left);
    for (const number of numbers) {
      const socket = await connected(place.path(number));
      if (socket !== undefined) return socket;
    }
    return undefined;
  } finally {
    await handle.close();
  }
}

function connected(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const refused = (): void => resolve(undefined);
    socket.once('error', refused);
    socket.once('connect', () => {
      socket.off('error', refused);
      resolve(socket);
    });
  });
}

class LockPlace {
  readonly folder: string;
  readonly #base: string;
  readonly #welcome: Answer | undefined;

  constructor(folder: string, descriptor: number, welcome?: Answer) {
    this.folder = folder;
    this.#welcome = welcome;
    // a socket's path is limited to little more than 100 bytes; going through the descriptor, the folder's own path
    // does not count
    this.#base = process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : folder;
  }

  path(number: number): string {
    return `${this.#base}/lock-${number}`;
  }

  listen(number: number): Promise<Server | undefined> {
    return listenExclusively(this.path(number), this.#welcome);
  }

  async numbers(): Promise<number[]> {
    const names = await readdir(this.folder);
    return names.flatMap((name) => LOCK_FILE.exec(name)?.[1] ?? []).map(Number);
  }
}

/**
 * Waits for the kernel's lock: a process that was just killed, or is between `fork` and `exec`, may hold it for some
 * milliseconds more.
 *
 * This waits in real time, whatever clock the store has, because it waits for the kernel.
 */
async function waitForKernel(folder: string): Promise<KernelLock> {
  const clock = new RealClock();
  using _alive = keepAlive();
  const { signal } = new AbortController();
  for (let attempt = 0; attempt < KERNEL_ATTEMPTS; attempt++) {
    if (attempt > 0) await clock.sleep(KERNEL_PAUSE_MS, signal);
    const lock = await lockInKernel(folder);
    if (lock !== undefined) return lock;
  }
  throw await lockedError(folder);
}

/** The owner's socket; `undefined` where none can be created and none is needed. */
async function takeSocket(place: LockPlace, options: FolderLockOptions): Promise<Server | undefined> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const server = await contend(place);
      if (server === undefined) continue;
      await writeFile(join(place.folder, OWNER_FILE), `${process.pid}\n${commandLine()}\n`).catch((error: unknown) => {
        if (!isOutOfSpace(error)) throw error; // the owner file is only used in messages
      });
      return server;
    }
  } catch (error) {
    if (options.isOnlyRead === true && ['EROFS', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
  throw new StoreError(
    'Locked',
    `Cannot open store "${place.folder}": several processes are trying to at the same time`,
  );
}

/** The owner's socket if this process won; `undefined` to try again. */
async function contend(place: LockPlace): Promise<Server | undefined> {
  const seen = await place.numbers();
  await refuseIfAnyLives(place, seen);
  const number = Math.max(0, ...seen) + 1;
  const server = await place.listen(number);
  if (server === undefined) return undefined;
  try {
    const others = (await place.numbers()).filter((other) => other !== number);
    if (others.some((other) => other > number)) {
      await closeServer(server);
      return undefined;
    }
    await refuseIfAnyLives(place, others);
    await Promise.all(others.map((other) => rm(join(place.folder, `lock-${other}`), { force: true })));
    return server;
  } catch (error) {
    await closeServer(server);
    throw error;
  }
}

async function refuseIfAnyLives(place: LockPlace, numbers: readonly number[]): Promise<void> {
  const alive = await Promise.all(numbers.map((number) => isAlive(place.path(number))));
  if (!alive.includes(true)) return;
  throw await lockedError(place.folder);
}

/** What this process was started with, on one line. */
function commandLine(): string {
  const [, file = '', ...args] = process.argv;
  return ['node', basename(file), ...args].join(' ').replaceAll(/\s+/g, ' ').slice(0, MAX_COMMAND);
}

async function lockedError(folder: string): Promise<StoreError> {
  const owner = await readFile(join(folder, OWNER_FILE), 'utf8').catch(() => 'unknown'); // only makes the message more helpful
  const [pid = '', command = ''] = owner.trim().split('\n');
  const problem = `another process has it open (process id ${pid}${command === '' ? '' : `: ${command}`})`;
  return new StoreError('Locked', `Cannot open store "${folder}": ${problem}`);
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      const code = errorCode(error);
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'); // any other error does not prove that the owner is dead
    });
  });
}
