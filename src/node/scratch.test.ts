import { test } from 'vitest';
import { settle, type VirtualClock } from '../base/index.ts';
import { TestCluster } from '../client/testing/test-cluster.ts';
import { nodeAgents } from './index.ts';
import { runPart } from './testing/scratch-context.ts';

test('scratch', async () => {
  await using cluster = await TestCluster.start();
  const clock = cluster.clock as VirtualClock;
  const client = cluster.client('in process');
  const stop = new AbortController();
  const { events, prepared, done } = runPart(client, nodeAgents(), stop.signal);
  await settle();
  await settle();
  const pods = client.core.v1.pods.namespace('default');
  await pods.create({ metadata: { name: 'web' }, spec: { nodeName: 'keelson', containers: [{ name: 'web', image: 'nginx' }] } });
  await settle();
  for (let i = 0; i < 40; i++) { console.log(clock.now() - Date.UTC(2026,0,1), clock.nextDueMs! - Date.UTC(2026,0,1), clock.pending); await clock.advance(1000); }
  await clock.advance('30s');
  await pods.delete('web');
  await settle();
  console.log((await pods.list()).items.length, prepared.isIdle);
  console.log(events.join('\n'));
  stop.abort();
  await done;
});
