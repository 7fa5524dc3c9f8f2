import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { send } from '../support/request.ts';
import { startTestCluster } from '../support/test-cluster.ts';

test('a server whose store is removed refuses writes and is neither live nor ready, and says why', async () => {
  const data = await mkdtemp(join(tmpdir(), 'keelson-taken-'));
  const folder = join(data, 'store');
  try {
    await using cluster = await startTestCluster({ storage: { type: 'durable', folder } });
    const create = (name: string): Promise<{ readonly code: number; readonly text: string }> =>
      send(cluster, '/api/v1/namespaces', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ metadata: { name } }),
      });
    expect((await create('before')).code).toBe(201);
    expect((await send(cluster, '/readyz')).text).toBe('ok');
    await rm(folder, { recursive: true });

    const refused = await create('after');

    expect(refused).toMatchObject({ code: 503, text: expect.stringContaining('was removed') as string });
    for (const path of ['/readyz', '/livez', '/healthz']) {
      const anonymous = await send(cluster, path, { anonymous: true });
      expect(anonymous).toMatchObject({ code: 500, text: expect.stringContaining('[-]etcd failed: reason withheld') });
      expect(await send(cluster, path)).toMatchObject({ code: 500, text: expect.stringContaining('was removed') });
      expect(await send(cluster, `${path}/etcd`)).toMatchObject({
        code: 500,
        text: expect.stringContaining('internal server error: Cannot commit: writing to the disk has failed'),
      });
    }
    expect((await send(cluster, '/api/v1/namespaces/before')).code).toBe(200); // reading goes on
  } finally {
    await rm(data, { recursive: true, force: true });
  }
});
