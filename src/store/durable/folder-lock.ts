import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { StoreError } from '../errors.ts';
import { errorCode } from './durable-files.ts';

/**
 * Keeps a second process out of a folder.
 *
 * The owner listens on a Unix socket in the folder, and whoever can connect to it knows that the owner lives. Node has no
 * file locks, and this is the next best thing: the system itself closes the socket when the process ends, however it ends, so
 * there is no stale lock to reason about; it works across containers that share the folder, where a process id means
 * nothing; it needs no heartbeat; a process that is merely stopped still holds it.
 *
 * Sockets of the dead stay behind as files, and two processes must not both succeed a dead one. So each contender takes a
 * number of its own, above all it sees, and owns the folder if afterwards nobody has a higher one and nobody with a lower one
 * lives. Of two who come at once the one that looks last sees the other, so they never both win.
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const handle = await open(folder, 'r');
  const place = new LockPlace(folder, handle.fd);
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const server = await contend(place);
      if (server === undefined) continue;
      await writeFile(join(folder, OWNER_FILE), `${process.pid}\n`);
      const release = async (): Promise<void> => {
        await closeServer(server);
        await handle.close();
      };
      return { [Symbol.asyncDispose]: release };
    }
    throw new StoreError('Locked', `Cannot open store "${folder}": others are trying to at the same time`);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const ATTEMPTS = 10;
const LOCK_FILE = /^lock-(\d+)$/;
const OWNER_FILE = 'owner';

class LockPlace {
  readonly folder: string;
  readonly #base: string;

  constructor(folder: string, descriptor: number) {
    this.folder = folder;
    // a socket's path may have little more than 100 bytes; by way of its descriptor the folder's own path does not count
    this.#base = process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : folder;
  }

  path(number: number): string {
    return `${this.#base}/lock-${number}`;
  }

  async numbers(): Promise<number[]> {
    const names = await readdir(this.folder);
    return names.flatMap((name) => LOCK_FILE.exec(name)?.[1] ?? []).map(Number);
  }
}

/** The socket of the owner if that is this process now; `undefined` to try again. */
async function contend(place: LockPlace): Promise<Server | undefined> {
  const seen = await place.numbers();
  await refuseIfAnyLives(place, seen);
  const number = Math.max(0, ...seen) + 1;
  const server = await listen(place.path(number));
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
  const owner = await readFile(join(place.folder, OWNER_FILE), 'utf8').catch(() => 'unknown'); // only to be of help
  throw new StoreError(
    'Locked',
    `Cannot open store "${place.folder}": another process has it open (process id ${owner.trim()})`,
  );
}

/** `undefined` when somebody else was quicker. */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => {
      if (errorCode(error) === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen({ path, exclusive: true }, () => resolve(server));
    server.unref();
  });
}

/** Closing also removes the socket's file. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
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
