import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

const LISTENING = '0A';

/** The process that listens on a TCP port, such as `25669 (node main.js up)`; undefined where the system does not say. */
export async function portOwner(port: number): Promise<string | undefined> {
  const sockets = await listeningSockets(port);
  if (sockets.size === 0) return undefined;
  for (const pid of await entries('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    for (const descriptor of await entries(`/proc/${pid}/fd`)) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => ''); // it was closed meanwhile
      if (sockets.has(target)) return `${pid}${await commandOf(pid)}`;
    }
  }
  return undefined;
}

/** The sockets that listen on the port, as links of descriptors name them. */
async function listeningSockets(port: number): Promise<ReadonlySet<string>> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = tables.flatMap((table) => table.split('\n').slice(1)).map((row) => row.trim().split(/\s+/));
  const found = rows.filter(([, local = '', , state]) => state === LISTENING && local.endsWith(`:${wanted}`));
  return new Set(found.map((row) => `socket:[${row[9] ?? ''}]`));
}

/** Empty for folders that other users' processes keep to themselves, and on systems without /proc. */
async function entries(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

async function commandOf(pid: string): Promise<string> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const [program = '', ...args] = text.split('\0').filter((part) => part !== '');
  return program === ''
    ? ''
    : ` (${[basename(program), ...args.map((arg) => arg.replace(/^.*\/(?=[^/]+\.m?js$)/, ''))].join(' ')})`;
}
