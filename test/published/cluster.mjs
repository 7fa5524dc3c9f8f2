// Run by node:test with the published bundle, as a user of the package would.
import assert from 'node:assert/strict';
import test from 'node:test';
import { app, controller, mergePatch, Pod, StatusError } from 'keelson';
import { startCluster } from 'keelson/testing';

await test('a cluster runs in node:test, with a controller from another entry of the package', async () => {
  const cluster = await startCluster();
  try {
    const pods = cluster.client.core.v1.pods.namespace('default');
    const seen = controller(Pod, {
      name: 'seen',
      async reconcile({ metadata }, { key, objects }) {
        if (metadata.labels?.seen === undefined)
          await objects(Pod).patch(key, mergePatch({ metadata: { labels: { seen: 'yes' } } }));
      },
    });
    await cluster.run(app('seen', [seen]));
    await pods.create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'c', image: 'nginx' }] } });
    await cluster.settle();
    const { status, metadata } = await pods.get('web');
    assert.equal(status.phase, 'Running');
    assert.deepEqual(metadata.labels, { seen: 'yes' });
    await assert.rejects(pods.get('missing'), StatusError);
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
});
