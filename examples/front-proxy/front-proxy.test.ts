import { request } from 'node:https';
import { findConnection } from 'keelson/client';
import { startCluster } from 'keelson/testing';
import { expect, onTestFinished, test } from 'vitest';
import { portal } from './front-proxy.ts';

test('the API server knows users by their session of the portal', async () => {
  const target = { server: '', certificateAuthority: '' };
  const proxy = portal(() => target);
  const stop = new AbortController();
  const running = proxy.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  await using cluster = await startCluster({
    nodes: 0,
    authentication: { frontProxy: { authorities: proxy.clientAuthority } },
  });
  const { server, certificateAuthority } = await findConnection({ kubeconfig: await cluster.kubeconfig() });
  Object.assign(target, { server, certificateAuthority: (certificateAuthority as { readonly pem: string }).pem });
  const { port } = await proxy.listening();

  const whoami = (headers: Readonly<Record<string, string>>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const options = { host: 'localhost', port, path, method: 'POST', ca: proxy.authority, agent: false as const };
      const sent = request({ ...options, headers: { 'content-type': 'application/json', ...headers } }, (answer) => {
        let text = '';
        answer.on('data', (chunk) => (text += String(chunk)));
        answer.on('end', () =>
          resolve(answer.statusCode === 201 ? JSON.parse(text).status.userInfo : answer.statusCode),
        );
      });
      sent.on('error', reject);
      sent.end('{}');
    });

  expect(await whoami({ cookie: 'theme=dark; session=s-1' })).toEqual({
    username: 'ada',
    groups: ['engineers', 'system:authenticated'],
    extra: { 'acme.io/portal': ['north'] },
  });
  expect(await whoami({ cookie: 'session=s-9' })).toBe(401);
  expect(await whoami({ cookie: 'session=s-2', 'x-remote-user': 'root', 'x-remote-group': 'system:masters' })).toEqual({
    username: 'bob',
    groups: ['visitors', 'system:authenticated'],
  });
});
