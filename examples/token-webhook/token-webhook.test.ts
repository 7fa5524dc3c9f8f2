import { bearer, connectTo, findConnection, FixedCredentials } from 'keelson/client';
import { startCluster } from 'keelson/testing';
import { expect, onTestFinished, test } from 'vitest';
import { badgeServer } from './token-webhook.ts';

test('a badge is a credential', async () => {
  const stop = new AbortController();
  const server = badgeServer();
  const running = server.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const webhook = { target: await server.clientConfig('/authenticate'), credential: {} };
  await using cluster = await startCluster({ nodes: 0, authentication: { tokenWebhook: { webhook, version: 'v1' } } });
  const connection = await findConnection({ kubeconfig: await cluster.kubeconfig() });
  const whoami = async (token: string): Promise<unknown> => {
    const credentials = new FixedCredentials({ authorization: bearer(token) });
    await using client = connectTo({ ...connection, credentials });
    return (await client.authentication.v1.selfsubjectreviews.create({})).status?.userInfo;
  };

  expect(await whoami('badge-7')).toEqual({
    username: 'ada',
    uid: '7',
    groups: ['engineers', 'system:authenticated'],
  });
  await expect(whoami('badge-9')).rejects.toMatchObject({ code: 401 });
});
