import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { keepAlive, RealClock } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import { errorCode, isOutOfSpace } from './durable-files.ts';
import { closeServer, type KernelLock, listenAlone, lockInKernel } from './kernel-lock.ts';

export interface FolderLockOptions {
  /** Nothing will be written, so that a folder in which nothing can be written is locked well enough by the kernel. */
  readonly isOnlyRead?: boolean;
}

/** A folder that is kept for this process. */
export interface FolderLock extends AsyncDisposable {
  /** From now on processes that connect to the owner are answered so; before, they are let go. */
  answer(visitor: Answer): void;
}

type Answer = (socket: Socket) => void;

/**
 * Keeps a second process out of a folder, throwing `Locked` when there is one.
 *
 * The lock is the kernel's, on the folder itself. Besides, the owner listens on a Unix socket in the folder, and whoever can
 * connect to it knows that the owner lives: that keeps out those whom the kernel's locks do not reach, another network
 * namespace without the program `flock` or an older version of Keelson. The system closes the socket when the process
 * ends, however it ends, so there is no stale lock to reason about, and a process that is merely stopped still holds it.
 *
 * Sockets of the dead stay behind as files, and two processes must not both succeed a dead one. So each contender takes a
 * number of its own, above all it sees, and owns the folder if afterwards nobody has a higher one and nobody with a lower one
 * lives. Of two who come at once the one that looks last sees the other, so they never both win.
 */
export async function lockFolder(folder: string, options: FolderLockOptions = {}): Promise<FolderLock> {
  const kernelLock = await waitForKernel(folder);
  const visitors = new Visitors();
  try {
    const place = new LockPlace(folder, kernelLock.descriptor, (socket) => visitors.welcome(socket));
    const server = await takeSocket(place, options);
    const release = async (): Promise<void> => {
      visitors.dismiss();
      if (server !== undefined) await closeServer(server);
      await kernelLock.close();
    };
    return { answer: (visitor) => visitors.answerWith(visitor), [Symbol.asyncDispose]: release };
  } catch (error) {
    await kernelLock.close();
    throw error;
  }
}

const ATTEMPTS = 10;
const KERNEL_ATTEMPTS = 15;
const KERNEL_PAUSE_MS = 20;
const LOCK_FILE = /^lock-(\d+)$/;
const OWNER_FILE = 'owner';

/** The processes that are connected to the owner. */
class Visitors {
  readonly #sockets = new Set<Socket>();
  #answer: Answer | undefined;

  answerWith(answer: Answer): void {
    this.#answer = answer;
  }

  welcome(socket: Socket): void {
    socket.on('error', () => undefined); // whoever only looks whether the owner lives goes without a word
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

/**
 * Connects to the process that has a folder locked; `undefined` when there is none, or none that can be reached.
 */
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
    // a socket's path may have little more than 100 bytes; by way of its descriptor the folder's own path does not count
    this.#base = process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : folder;
  }

  path(number: number): string {
    return `${this.#base}/lock-${number}`;
  }

  listen(number: number): Promise<Server | undefined> {
    return listenAlone(this.path(number), this.#welcome);
  }

  async numbers(): Promise<number[]> {
    const names = await readdir(this.folder);
    return names.flatMap((name) => LOCK_FILE.exec(name)?.[1] ?? []).map(Number);
  }
}

/**
 * A process that was just killed, or one between `fork` and `exec`, may hold a lock for some milliseconds more.
 *
 * The time is real, whatever clock the store has: it is the kernel's.
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

/** The socket of the owner; `undefined` where none can be made and none is needed. */
async function takeSocket(place: LockPlace, options: FolderLockOptions): Promise<Server | undefined> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const server = await contend(place);
      if (server === undefined) continue;
      await writeFile(join(place.folder, OWNER_FILE), `${process.pid}\n`).catch((error: unknown) => {
        if (!isOutOfSpace(error)) throw error; // it is only for messages
      });
      return server;
    }
  } catch (error) {
    if (options.isOnlyRead === true && ['EROFS', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
  throw new StoreError('Locked', `Cannot open store "${place.folder}": others are trying to at the same time`);
}

/** The socket of the owner if that is this process now; `undefined` to try again. */
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

async function lockedError(folder: string): Promise<StoreError> {
  const owner = await readFile(join(folder, OWNER_FILE), 'utf8').catch(() => 'unknown'); // only to be of help
  const problem = `another process has it open (process id ${owner.trim()})`;
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
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'); // whatever else it is, nobody has shown to be dead
    });
  });
}
