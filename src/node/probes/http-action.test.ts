import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { callHook, probeHttp } from './http-action.ts';

const { signal } = new AbortController();
let server: Server;
let requests: Pick<IncomingMessage, 'url' | 'headers'>[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const { url = '', headers } = request;
    requests.push({ url, headers });
    const to = /^\/to\?(.*)$/.exec(url)?.[1];
    if (to !== undefined) response.writeHead(302, { location: decodeURIComponent(to) });
    response.end(to === undefined ? 'x'.repeat(20_000) : 'moved');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void server.close());
beforeEach(() => (requests = []));

function target(): { podIp: string; port: number; purpose: 'probe' } {
  return { podIp: '127.0.0.1', port: (server.address() as AddressInfo).port, purpose: 'probe' };
}

test('a redirect to the same host is followed, with the headers of the probe', async () => {
  const httpHeaders = [
    { name: 'Host', value: 'web.example' },
    { name: 'X-Twice', value: 'a' },
    { name: 'x-twice', value: 'b' },
  ];
  const outcome = await probeHttp({ port: 1, path: '/to?/ok', httpHeaders }, target(), signal);
  expect(outcome.result).toBe('success');
  expect(outcome.output).toHaveLength(10 * 1024);
  expect(requests.map(({ url }) => url)).toEqual(['/to?/ok', '/ok']);
  for (const { headers } of requests)
    expect(headers).toMatchObject({
      host: 'web.example',
      'x-twice': 'a, b',
      'user-agent': 'kube-probe/1.36',
      accept: '*/*',
    });
});

test('a redirect to another host is a warning, and the other host is not asked', async () => {
  const outcome = await probeHttp({ port: 1, path: '/to?http://0.0.0.0/' }, target(), signal);
  expect(outcome).toEqual({ result: 'warning', output: 'Probe terminated redirects, Response body: moved' });
  expect(requests).toHaveLength(1);
});

test('a circle of redirects fails after ten requests', async () => {
  const self = createServer((_, response) => void response.writeHead(301, { location: '/' }).end());
  await new Promise<void>((resolve) => void self.listen(0, '127.0.0.1', resolve));
  const { port } = self.address() as AddressInfo;
  await expect(probeHttp({ port: 1 }, { ...target(), port }, signal)).rejects.toThrow(
    `Get "http://127.0.0.1:${port}/": stopped after 10 redirects`,
  );
  self.close();
});

test('a path that begins with two slashes does not change the host', async () => {
  await probeHttp({ port: 1, path: '//192.0.2.1/x' }, target(), signal);
  expect(requests.map(({ url }) => url)).toEqual(['//192.0.2.1/x']);
});

test('a port without a server fails with the words of Go', async () => {
  const port = 1; // one that was just closed may be open for a moment longer in a process that another test is starting
  const words = `Get "http://127.0.0.1:${port}/": dial tcp 127.0.0.1:${port}: connect: connection refused`;
  await expect(probeHttp({ port }, { ...target(), port }, signal)).rejects.toThrow(words);
});

test('a hook that says HTTPS to a server without TLS is sent again as plain HTTP, which is a warning', async () => {
  const { port } = target();
  const httpHeaders = [{ name: 'Authorization', value: 'secret' }];
  const outcome = await callHook(
    { port, scheme: 'HTTPS', path: '/hook', httpHeaders },
    { ...target(), purpose: 'lifecycle' },
    signal,
  );
  const words = `request to HTTPS lifecycle hook 127.0.0.1:${port} got HTTP response, retry with HTTP succeeded`;
  expect(outcome).toEqual({ result: 'warning', output: words });
  expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([['/hook', undefined]]);
});
