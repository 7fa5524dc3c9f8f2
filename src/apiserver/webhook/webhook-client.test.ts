import { describe, expect, onTestFinished, test } from 'vitest';
import { builtInTypes } from '../../api/index.ts';
import { CryptoRandom, RandomUidSource, VirtualClock } from '../../base/index.ts';
import type { ServiceResolver } from './service-resolver.ts';
import { type Answer, caBundle, HookServer } from './testing/hook-server.ts';
import { WebhookClient } from './webhook-client.ts';
import type { WebhookClientOptions } from './webhook-client-options.ts';
import type { WebhookTarget } from './webhook-target.ts';

const types = builtInTypes();
const clock = new VirtualClock({ startMs: Date.UTC(2026, 0) });
const noServices: ServiceResolver = { resolve: () => Promise.reject(new Error('no services here')) };

function clientWith(options: Partial<WebhookClientOptions> = {}): WebhookClient {
  const uids = new RandomUidSource(new CryptoRandom());
  const client = new WebhookClient({ clock, uids, types, services: noServices, ...options });
  onTestFinished(() => client[Symbol.dispose]());
  return client;
}

async function start(answer: Answer, protocol?: 'h2' | 'http/1.1'): Promise<HookServer> {
  const server = await HookServer.start(answer, protocol);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

interface Call {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

async function post(client: WebhookClient, target: WebhookTarget, call: Call = {}): Promise<string> {
  const { timeoutMs = 10_000, signal = new AbortController().signal } = call;
  const { code, body } = await client.post(target, { body: '{"a":1}', timeoutMs, signal });
  return `${code} ${Buffer.from(body).toString()}`;
}

const echo: Answer = (body, response, { url, method, headers }) =>
  response.end(`${method} ${url} ${headers['content-type']} ${body}`);

describe('WebhookClient.post()', () => {
  test.each(['h2', 'http/1.1'] as const)('posts JSON over %s, and keeps the connection', async (protocol) => {
    const server = await start(echo, protocol);
    const client = clientWith();
    const target = { url: server.url, caBundle };
    for (let call = 0; call < 3; call++) {
      expect(await post(client, target)).toBe('200 POST /hook?timeout=10s application/json {"a":1}');
    }
    expect(server.connections).toBe(1);
  });

  test.each(['h2', 'http/1.1'] as const)(
    'reconnects to a server of %s that restarted between calls',
    async (protocol) => {
      const server = await start(echo, protocol);
      const client = clientWith();
      const target = { url: server.url, caBundle };
      await post(client, target);

      await server.close();
      const message = `Post "${server.url}?timeout=10s": dial tcp 127.0.0.1:${server.port}: connect: connection refused`;
      await expect(post(client, target)).rejects.toThrow(message);

      await server.open();
      expect(await post(client, target)).toMatch(/^200 /);
    },
  );

  test('a timeout and the signal end a hanging call, before and during the answer', async () => {
    let isReached = (): void => undefined;
    const server = await start((_body, response, { url }) => {
      if (url?.startsWith('/hook') === true) isReached();
      else response.writeHead(200).write('{', () => isReached());
    });
    const client = clientWith();
    const reached = (): Promise<void> => new Promise((resolve) => (isReached = resolve));
    const target = { url: server.url, caBundle };

    let isThere = reached();
    const late = post(client, target);
    await isThere;
    await Promise.all([
      expect(late).rejects.toThrow(`Post "${server.url}?timeout=10s": context deadline exceeded`),
      clock.advance('10s'),
    ]);

    isThere = reached();
    const leaving = new AbortController();
    const left = post(client, target, { signal: leaving.signal });
    await isThere;
    leaving.abort();
    await expect(left).rejects.toThrow('context canceled');

    isThere = reached();
    const slow = post(client, { url: server.url.replace('/hook', '/slow'), caBundle });
    await isThere;
    await Promise.all([expect(slow).rejects.toThrow('context deadline exceeded'), clock.advance('10s')]);
  });

  test('an answer that is too large is abandoned', async () => {
    const server = await start((_body, response) => {
      const more = (): void => void (response.destroyed || response.write('x'.repeat(65_536), more));
      more();
    });
    const client = clientWith({ maxAnswerBytes: 1_000_000 });
    await expect(post(client, { url: server.url, caBundle })).rejects.toThrow(
      'unexpected error when reading response body. Please retry. Original error: the answer has more than 1000000 bytes',
    );
  });

  test('a webhook that sends Retry-After is called again after that time', async () => {
    let calls = 0;
    const server = await start((_body, response) => {
      calls += 1;
      if (calls < 3) response.writeHead(429, { 'retry-after': '2' }).end();
      else response.end('done');
    });
    const answer = post(clientWith(), { url: server.url, caBundle });
    let isOver = false;
    const over = answer.finally(() => (isOver = true));
    while (!isOver) {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      if (calls > 0 && calls < 3) await clock.advance('1s');
    }
    await over;
    expect(await answer).toBe('200 done');
  });

  test('presents a certificate or a token where configured', async () => {
    const server = await start((_body, response, { headers }) => response.end(headers.authorization ?? 'none'));
    const asked: string[] = [];
    const client = clientWith({
      credentialFor: (host) => {
        asked.push(host);
        return { authorization: 'Bearer abc' };
      },
    });
    expect(await post(client, { url: server.url, caBundle })).toBe('200 Bearer abc');
    expect(asked).toEqual([`localhost:${server.port}`]);
    expect(await post(clientWith(), { url: server.url, caBundle })).toBe('200 none');
  });

  test('a service is reached at one of its endpoints, under the name of the service', async () => {
    const server = await start((_body, response, { headers }) => response.end(headers.host));
    const services: ServiceResolver = {
      resolve: ({ namespace, name, port }) =>
        namespace === 'default' && name === 'hook' && port === 8443
          ? Promise.resolve({ host: '127.0.0.1', port: server.port })
          : Promise.reject(new Error('another service')),
    };
    const client = clientWith({ services });
    const service = { namespace: 'default', name: 'hook', path: '/p/', port: 8443 };
    expect(await post(client, { service, caBundle })).toBe('200 hook.default.svc:8443');
    const other = { ...service, name: 'other', port: undefined as unknown as number };
    await expect(post(client, { service: other, caBundle })).rejects.toThrow(
      'Post "https://other.default.svc:443/p?timeout=10s": another service',
    );
  });

  test('with too many targets, the oldest one’s connections are closed', async () => {
    const servers = await Promise.all([start(echo), start(echo), start(echo)]);
    const client = clientWith({ maxTargets: 2 });
    for (const server of [...servers, ...servers]) await post(client, { url: server.url, caBundle });
    expect(servers.map(({ connections }) => connections)).toEqual([2, 2, 2]);
    await post(client, { url: servers[2]?.url ?? '', caBundle });
    expect(servers[2]?.connections).toBe(2);
  });
});
