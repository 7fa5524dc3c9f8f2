import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};
/** Content encodings by the ending of the packed file, the best first. */
const ENCODINGS = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
] as const;
/** A name with a hash of the content never gets other content. */
const HASHED = /-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * The files of the page. Their names are read once, so that no request can lead to any other file; contents are read when they are asked
 * for, and not kept.
 */
export class PageFiles {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;

  private constructor(folder: string, names: ReadonlySet<string>) {
    this.#folder = folder;
    this.#names = names;
  }

  /** A folder that does not exist has no files. */
  static async open(folder: string): Promise<PageFiles> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      },
    );
    const files = entries.filter((entry) => entry.isFile());
    return new PageFiles(folder, new Set(files.map((file) => relative(folder, join(file.parentPath, file.name)))));
  }

  /** Answers with a file; false when there is none of this path. */
  async answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const name = path === '/' ? 'index.html' : path.slice(1);
    if (!this.#names.has(name)) return false;
    const accepted = request.headers['accept-encoding']?.toString() ?? '';
    const packed = ENCODINGS.find(
      ([ending, encoding]) => accepted.includes(encoding) && this.#names.has(name + ending),
    );
    const body = await readFile(join(this.#folder, name + (packed?.[0] ?? '')));
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
    response.setHeader('etag', etag);
    response.setHeader('vary', 'accept-encoding');
    response.setHeader('cache-control', HASHED.test(name) ? FOREVER : 'no-cache');
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304).end();
      return true;
    }
    response.writeHead(200, {
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
      'content-length': body.length,
      ...(packed === undefined ? {} : { 'content-encoding': packed[1] }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
    return true;
  }
}
