import { createHash } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { messageOf } from '../../base/index.ts';

const VERSION = 1;
/** The longest first line that is searched for. */
const MAX_HEAD = 1024;
/** Larger than any cluster in memory. */
const MAX_BYTES = 1024 * 1024 * 1024;

/** The first line of a file. */
interface Head {
  readonly keelsonSnapshot: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes a value as a snapshot, atomically. Only the owner may read the file: it contains keys. */
export async function writeSnapshotFile(path: string, value: unknown): Promise<void> {
  const body = await promisify(gzip)(JSON.stringify(value));
  const head: Head = { keelsonSnapshot: VERSION, bytes: body.length, sha256: digest(body) };
  const temporary = `${path}.${process.pid}.part`;
  try {
    await writeFile(temporary, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]), { mode: 0o600 });
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw new Error(`Cannot save the cluster to "${path}": ${messageOf(cause)}`, { cause });
  }
}

/** Reads a snapshot. Rejects other files, other versions and damaged contents. */
export async function readSnapshotFile(path: string): Promise<unknown> {
  const file = await readFile(path).catch((cause: unknown) => {
    throw refuse(path, messageOf(cause), cause);
  });
  const end = file.subarray(0, MAX_HEAD).indexOf('\n');
  const head = readHead(end < 0 ? '' : file.subarray(0, end).toString());
  if (head === undefined) throw refuse(path, 'it is not a snapshot of a cluster');
  if (head.keelsonSnapshot !== VERSION)
    throw refuse(
      path,
      `it is a snapshot of version ${head.keelsonSnapshot}, and this program reads version ${VERSION}`,
    );
  const body = file.subarray(end + 1);
  if (body.length !== head.bytes || digest(body) !== head.sha256)
    throw refuse(path, 'it is damaged: its checksum does not match');
  try {
    return JSON.parse((await promisify(gunzip)(body, { maxOutputLength: MAX_BYTES })).toString());
  } catch (cause) {
    throw refuse(path, `it cannot be read: ${messageOf(cause)}`, cause);
  }
}

function readHead(line: string): Head | undefined {
  try {
    const value = JSON.parse(line) as Partial<Head> | null;
    return typeof value?.keelsonSnapshot === 'number' ? (value as Head) : undefined;
  } catch {
    return undefined; // not a snapshot
  }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function refuse(path: string, problem: string, cause?: unknown): Error {
  return new Error(`Cannot open "${path}": ${problem}`, { cause });
}
