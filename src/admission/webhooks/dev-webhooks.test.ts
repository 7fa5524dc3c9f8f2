import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { TestPlane } from '../../access/testing/test-plane.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

/** A webhook without TLS whose answer can be chosen. */
async function plainWebhook() {
  const webhook = { url: '', allowed: true, asked: [] as string[] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { request: asked, ...type } = JSON.parse(Buffer.concat(chunks).toString()) as {
        request: { uid: string; name: string };
      };
      webhook.asked.push(asked.name);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...type, response: { uid: asked.uid, allowed: webhook.allowed } }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  webhook.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/check`;
  return webhook;
}

async function plane(devWebhooks: boolean): Promise<TestPlane> {
  const started = await TestPlane.start({ admission: { devWebhooks } });
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

const configuration = (url: string) => ({
  metadata: { name: 'checks' },
  webhooks: [
    {
      name: 'checks.acme.dev',
      clientConfig: { url },
      rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps', 'secrets'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
});

const create = (server: TestPlane, plural: string, name: string) =>
  server.admin('POST', `/api/v1/namespaces/default/${plural}`, { metadata: { name }, data: { key: 'c2VjcmV0' } });

test('without dev webhooks, plain HTTP is refused as upstream refuses it', async () => {
  const server = await plane(false);
  const { code, body } = await server.admin('POST', CONFIGURATIONS, configuration('http://127.0.0.1:8080/check'));
  expect(code).toBe(422);
  expect(body['message']).toContain(
    `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme`,
  );
  expect((await server.admin('GET', '/keelson/webhooks').catch((error: unknown) => error)) as object).toSatisfy(
    (answer: { code?: number }) => answer.code !== 200,
  );
});

test.each(['http://example.com/check', 'http://127.0.0.1.example.com/check', 'ftp://127.0.0.1/', 'http://10.0.0.1/'])(
  'with dev webhooks, %s is still refused',
  async (url) => {
    const server = await plane(true);
    expect((await server.admin('POST', CONFIGURATIONS, configuration(url))).code).toBe(422);
  },
);

test('reviews of a plain webhook are kept, and can be replayed when it has been fixed', async () => {
  const [server, webhook] = [await plane(true), await plainWebhook()];
  expect((await server.admin('POST', CONFIGURATIONS, configuration(webhook.url))).code).toBe(201);
  webhook.allowed = false;
  expect((await create(server, 'configmaps', 'web')).code).toBe(400);
  const list = (await server.admin('GET', '/keelson/webhooks')).body['items'] as readonly object[];
  expect(list).toMatchObject([{ id: '1', configuration: 'checks', webhook: 'checks.acme.dev', code: 200 }]);
  expect(list[0]).not.toHaveProperty('request');
  const { body } = await server.admin('GET', '/keelson/webhooks/1');
  expect(JSON.parse(String(body['request']))).toMatchObject({ request: { name: 'web', operation: 'CREATE' } });
  expect(JSON.parse(String(body['response']))).toMatchObject({ response: { allowed: false } });

  webhook.allowed = true;
  const replayed = await server.admin('POST', '/keelson/webhooks/1/replay');
  expect(replayed.body).toMatchObject({ id: '2', replayOf: '1', code: 200 });
  expect(JSON.parse(String(replayed.body['response']))).toMatchObject({ response: { allowed: true } });
  expect(webhook.asked).toEqual(['web', 'web']);
  expect((await server.admin('GET', '/api/v1/namespaces/default/configmaps/web')).code).toBe(404);
});

test('reviews of Secrets are kept without request and answer, and cannot be replayed', async () => {
  const [server, webhook] = [await plane(true), await plainWebhook()];
  await server.admin('POST', CONFIGURATIONS, configuration(webhook.url));
  expect((await create(server, 'secrets', 'web')).code).toBe(201);
  const { body } = await server.admin('GET', '/keelson/webhooks/1');
  expect(body).not.toHaveProperty('request');
  expect(body).not.toHaveProperty('response');
  expect((await server.admin('POST', '/keelson/webhooks/1/replay')).code).toBe(400);
});

test('only users who are allowed the path may see reviews and traces', async () => {
  const server = await plane(true);
  const certificate = { commonName: 'joe', organizations: [] };
  for (const path of ['/keelson/webhooks', '/keelson/requests', '/keelson/requests/1'])
    expect((await server.send('GET', path, { certificate })).code).toBe(403);
});
