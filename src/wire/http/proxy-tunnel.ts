import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { messageOf } from '../../base/index.ts';
import { TransportError } from './transport-error.ts';

/** What is wrong with a proxy's URL; undefined when it can be used. */
export function checkProxyUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return `proxy-url "${url}" is no URL`;
  const { protocol } = new URL(url);
  if (protocol === 'http:' || protocol === 'https:') return undefined;
  return `proxy-url "${url}" is not supported: proxies are spoken to over http or https, not "${protocol.slice(0, -1)}"`;
}

/** Asks a proxy for a tunnel to `host:port` (RFC 9110, CONNECT); gives the socket at its end. */
export function openTunnel(proxyUrl: string, target: string, signal: AbortSignal): Promise<Duplex> {
  const proxy = new URL(proxyUrl);
  const request = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void => {
      const message = `Cannot reach "${target}" through proxy "${proxy.protocol}//${proxy.host}": ${why}`;
      reject(signal.aborted ? signal.reason : new TransportError('connect', message, { cause }));
    };
    const asked = request({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port),
      method: 'CONNECT',
      path: target,
      headers: {
        host: target,
        ...(credentials === ':'
          ? {}
          : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
      agent: false,
      signal,
    });
    asked.once('error', (error) => fail(messageOf(error), error));
    asked.once('response', (response) => {
      response.destroy();
      fail(`it answered ${response.statusCode} ${response.statusMessage ?? ''}`.trim());
    });
    asked.once('connect', (response, socket, head) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        fail(`it answered ${response.statusCode} ${response.statusMessage ?? ''}`.trim());
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.end();
  });
}
