import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const MANIFEST_PATH = /^\/v2\/(?<name>[a-z0-9/._-]+)\/manifests\/(?<reference>[\w.:-]+)$/;
const BLOB_PATH = /^\/v2\/[a-z0-9/._-]+\/blobs\/(?<digest>sha256:[0-9a-f]{64})$/;

interface Manifest {
  readonly mediaType: string;
  readonly digest: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A read-only image registry over an OCI image layout. */
export interface ImageRegistry extends AsyncDisposable {
  readonly url: string;
}

export interface RegistryOptions {
  /** Default 127.0.0.1. */
  readonly address?: string;
  /** Default any that is free. */
  readonly port?: number;
  /** Who may pull; default all may. */
  readonly login?: { readonly username: string; readonly password: string };
}

/** Serves the images of a layout whose names begin with `host` on a port of this address, for runtimes that pull. */
export async function startRegistry(
  layout: string,
  host: string,
  { address = '127.0.0.1', port: wantedPort = 0, login }: RegistryOptions = {},
): Promise<ImageRegistry> {
  const wanted =
    login === undefined ? undefined : `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`;
  const index = JSON.parse(await readFile(join(layout, 'index.json'), 'utf8')) as { readonly manifests: Manifest[] };
  const findManifest = (name: string, reference: string): Manifest | undefined =>
    index.manifests.find(
      ({ digest, annotations }) =>
        digest === reference || annotations['io.containerd.image.name'] === `${host}/${name}:${reference}`,
    );
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (wanted !== undefined && request.headers.authorization !== wanted) return askForLogin(response);
    const path = (request.url ?? '').replace(/\?.*$/, '');
    const { name = '', reference = '' } = MANIFEST_PATH.exec(path)?.groups ?? {};
    const manifest = findManifest(name, reference);
    const digest = manifest?.digest ?? BLOB_PATH.exec(path)?.groups?.['digest'];
    if (path === '/v2/') response.end('{}');
    else if (digest === undefined) refuse(response);
    else await sendBlob({ request, response, layout, digest, type: manifest?.mediaType ?? 'application/octet-stream' });
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy()); // the client went away, or the layout was removed
  });
  server.listen(wantedPort, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${address}:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Sending {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly layout: string;
  readonly digest: string;
  readonly type: string;
}

async function sendBlob({ request, response, layout, digest, type }: Sending): Promise<void> {
  const path = join(layout, 'blobs', ...digest.split(':'));
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined, // the layout has no such blob
  );
  if (size === undefined) {
    refuse(response);
    return;
  }
  response.writeHead(200, { 'content-type': type, 'content-length': size, 'docker-content-digest': digest });
  if (request.method === 'HEAD') response.end();
  else await pipeline(createReadStream(path), response);
}

function askForLogin(response: ServerResponse): void {
  response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="images"' });
  response.end(JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message: 'a login is needed' }] }));
}

function refuse(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ errors: [{ code: 'NAME_UNKNOWN', message: 'not in this layout' }] }));
}
