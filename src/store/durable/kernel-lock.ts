import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { errorCode } from './durable-files.ts';

/** BSD's `open` flag for taking an exclusive `flock` at once; Node has no name for it. */
const BSD_EXCLUSIVE_LOCK = 0x20;

/** The folder's descriptor, with every lock on it that the kernel offers; closing it releases them. */
export interface KernelLock {
  readonly descriptor: number;
  close(): Promise<void>;
}

/**
 * Locks a folder in ways that the kernel releases with the process, and that removing files cannot release earlier.
 *
 * All locks are on the folder itself, not on its path or on a file in it, so links and mounts lead to the same lock.
 * Each reaches as far as it can, and two processes need only one in common:
 *
 * - Linux: an abstract socket named after the folder's device and inode, among all processes in a network namespace.
 * - Linux: `flock` on the folder, among all processes that share the file system. Node cannot call it, but the program
 *   `flock` of util-linux or BusyBox can, for a descriptor that it inherits: the lock belongs to the open file, not to
 *   the process that locked it. Where there is no such program, only the socket is used.
 * - macOS: `flock` on the folder, by a flag of `open`.
 *
 * `undefined` when another process holds one of them.
 */
export async function lockInKernel(folder: string): Promise<KernelLock | undefined> {
  if (process.platform === 'darwin') return lockByFlag(folder);
  const handle = await open(folder, 'r');
  if (process.platform !== 'linux') return { descriptor: handle.fd, close: () => handle.close() };
  let server: Server | undefined;
  try {
    server = await listenOnInode(handle);
    if (server !== undefined && (await lockByProgram(handle)))
      return { descriptor: handle.fd, close: () => closeBoth(server, handle) };
  } catch (error) {
    await closeBoth(server, handle);
    throw error;
  }
  await closeBoth(server, handle);
  return undefined;
}

async function lockByFlag(folder: string): Promise<KernelLock | undefined> {
  try {
    const handle = await open(folder, constants.O_RDONLY | constants.O_NONBLOCK | BSD_EXCLUSIVE_LOCK);
    return { descriptor: handle.fd, close: () => handle.close() };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EAGAIN' || code === 'EWOULDBLOCK') return undefined;
    throw error;
  }
}

async function listenOnInode(handle: FileHandle): Promise<Server | undefined> {
  const { dev, ino } = await handle.stat({ bigint: true });
  return listenExclusively(`\0keelson-store-${dev}-${ino}`);
}

/** True if the lock was taken, or if it cannot be taken for a reason other than another owner. */
function lockByProgram(handle: FileHandle): Promise<boolean> {
  const HELD_BY_ANOTHER = 1;
  return new Promise((resolve) => {
    const program = spawn('flock', ['-xn', '3'], { stdio: ['ignore', 'ignore', 'ignore', handle.fd] });
    program.once('error', () => resolve(true)); // the program is not installed
    program.once('close', (code) => resolve(code !== HELD_BY_ANOTHER));
  });
}

async function closeBoth(server: Server | undefined, handle: FileHandle): Promise<void> {
  if (server !== undefined) await closeServer(server);
  await handle.close();
}

/**
 * Listens on a Unix socket; `undefined` when another process does already. Without `serve`, connections are closed at
 * once.
 */
export function listenExclusively(
  path: string,
  serve: (socket: Socket) => void = (socket) => socket.destroy(),
): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer(serve);
    server.once('error', (error) => {
      if (errorCode(error) === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen({ path, exclusive: true }, () => resolve(server));
    server.unref();
  });
}

/** Closing also removes the socket's file. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
