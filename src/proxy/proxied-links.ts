import { posix } from 'node:path';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw } from 'node:zlib';
import { LinkRewriter } from './link-rewriter.ts';

/** How to change the links of a proxied server so that following them leads through the proxy again. */
export interface ProxiedPlace {
  /** The path of the proxy, which precedes the server's paths. */
  readonly prefix: string;
  /** Host and port of the server, as the proxy connects to it. */
  readonly serverHost: string;
  /** Host and port under which the client knows the proxy. */
  readonly clientHost: string;
}

/** Rewrites a link to the server so that it leads through the proxy; links to other servers and relative links are unchanged. */
export function proxiedLink(link: string, { prefix, serverHost, clientHost }: ProxiedPlace): string {
  const parts = /^([a-z][a-z0-9+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)([^]*)$/i.exec(link);
  if (parts === null) return link;
  const [, scheme = '', host = '', path = '', rest = ''] = parts;
  if ((host !== '' && host !== serverHost && host !== clientHost) || !path.startsWith('/')) return link;
  const origin = host !== '' && host === clientHost ? `${scheme}//${host}` : '';
  return `${origin}${path.startsWith(prefix) ? path : joined(prefix, path)}${rest}`;
}

/** Joins paths as Go does, keeping a slash at the end. */
export function joined(first: string, second: string): string {
  const path = posix.join(first, second);
  return second.endsWith('/') && !path.endsWith('/') ? `${path}/` : path;
}

/** Rewrites the links in a server's page; undefined when its content encoding is not supported. */
export function withProxiedLinks(
  page: AsyncIterable<Uint8Array>,
  encoding: string,
  place: ProxiedPlace,
): AsyncIterable<Uint8Array> | undefined {
  const rewriter = new LinkRewriter((url) => proxiedLink(url, place));
  const rewriting = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      done(null, Buffer.from(rewriter.push(chunk.toString('latin1')), 'latin1'));
    },
    flush(done: TransformCallback) {
      done(null, Buffer.from(rewriter.end(), 'latin1'));
    },
  });
  const steps = { '': [], gzip: [createGunzip, createGzip], deflate: [createInflateRaw, createDeflateRaw] }[encoding];
  if (steps === undefined) return undefined;
  const [unpack, pack] = steps;
  const unpacked = unpack === undefined ? Readable.from(page) : Readable.from(page).compose(unpack());
  const rewritten = unpacked.compose(rewriting);
  return pack === undefined ? rewritten : rewritten.compose(pack());
}
