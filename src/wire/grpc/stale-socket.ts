import { lstat, rm } from 'node:fs/promises';
import { connect } from 'node:net';

/** Removes the socket of a server that has died; one that answers keeps it. */
export async function removeStaleSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined); // usually there is none
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`Cannot listen on "${path}": there is a file that is not a socket`);
  if (await doesAnswer(path)) throw new Error(`Cannot listen on "${path}": another server answers there`);
  await rm(path);
}

function doesAnswer(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
