import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** The largest object. */
const MAX_BYTES = 64 * 2 ** 20;
const BUCKET = /^[a-z0-9-]{1,80}$/;
/** A file that says that a bucket was dropped; buckets are never made again under the same name. */
const DROPPED = '.dropped';

export interface Store extends AsyncDisposable {
  /** `http://127.0.0.1:1234` */
  readonly address: string;
}

/**
 * The daemon of a pool: objects in buckets, as files of a folder, each with a version. Of two versions the higher one stays, so that writes
 * may be repeated and come in any order.
 *
 * `PUT /BUCKET/KEY` with the header `x-version` and, for an object that is removed, `x-removed`; `GET` and `HEAD /BUCKET/KEY`;
 * `GET /` and `GET /BUCKET` list; `DELETE /BUCKET` drops it for good.
 */
export async function openStore(options: { readonly folder: string; readonly host?: string }): Promise<Store> {
  const { folder, host = '127.0.0.1' } = options;
  await mkdir(folder, { recursive: true });
  const server = createServer((request, response) => {
    answer(folder, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://${host}:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, bucket = '', key = ''] = (request.url ?? '/').split('/').map((part) => decodeURIComponent(part));
  const { method = 'GET' } = request;
  if (bucket === '') return sendJson(response, await readdir(folder));
  if (!BUCKET.test(bucket)) return void response.writeHead(400).end('not the name of a bucket');
  const place = join(folder, bucket);
  const isDropped = (await readIf(join(place, DROPPED))) !== undefined;
  if (key === '' && method === 'DELETE') {
    await mkdir(place, { recursive: true });
    await writeFile(join(place, DROPPED), '');
    for (const name of await readdir(place)) if (name !== DROPPED) await rm(join(place, name), { force: true });
    return void response.writeHead(204).end();
  }
  if (isDropped) return void response.writeHead(410).end('the bucket was dropped');
  if (key === '') return sendJson(response, await listed(place));
  const file = join(place, encodeURIComponent(key));
  const present = await readIf(file);
  if (method === 'PUT') {
    const bytes = await bodyOf(request);
    if (bytes === undefined) return void response.writeHead(413).end(`objects have at most ${MAX_BYTES} bytes`);
    const head = { version: Number(request.headers['x-version'] ?? 0), isRemoved: 'x-removed' in request.headers };
    if (present === undefined || headOf(present).version < head.version) {
      await mkdir(place, { recursive: true });
      const draft = join(folder, bucket, `.${head.version}.${encodeURIComponent(key)}`);
      await writeFile(draft, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes]));
      await rename(draft, file);
    }
    return void response.writeHead(204).end();
  }
  if (present === undefined) return void response.writeHead(404).end();
  const { version, isRemoved } = headOf(present);
  response.writeHead(200, { 'x-version': version, ...(isRemoved ? { 'x-removed': 'true' } : {}) });
  response.end(method === 'HEAD' ? undefined : present.subarray(present.indexOf('\n') + 1));
}

function headOf(file: Buffer): { readonly version: number; readonly isRemoved: boolean } {
  return JSON.parse(file.subarray(0, file.indexOf('\n')).toString());
}

/** The versions of the objects of a bucket, by key. */
async function listed(
  place: string,
): Promise<Record<string, { readonly version: number; readonly isRemoved: boolean }>> {
  const names = await readdir(place).catch(() => []);
  const found: Record<string, { readonly version: number; readonly isRemoved: boolean }> = {};
  for (const name of names) {
    const file = name.startsWith('.') ? undefined : await readIf(join(place, name));
    if (file !== undefined) found[decodeURIComponent(name)] = headOf(file);
  }
  return found;
}

async function readIf(path: string): Promise<Buffer | undefined> {
  return await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > MAX_BYTES) return undefined;
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
