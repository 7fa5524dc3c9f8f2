import { RealClock, settle } from '../base/index.ts';
import { TestCluster } from '../client/testing/test-cluster.ts';
import { nodeAgents, nodeNames } from './index.ts';
import { runPart } from './testing/scratch-context.ts';

const main = async () => {
  await using cluster = await TestCluster.start({ clock: new RealClock() });
  const client = cluster.client('in process');
  const stop = new AbortController();
  const nodes = nodeNames(100);
  const t0 = performance.now();
  const { events, prepared, done } = runPart(client, nodeAgents({ names: nodes }), stop.signal);
  while ((await client.core.v1.nodes.list()).items.length < 100) await settle();
  console.log('nodes', performance.now() - t0);
  const pods = client.core.v1.pods.namespace('default');
  const t1 = performance.now();
  const N = 10000;
  const create = async (from: number) => {
    for (let i = from; i < N; i += 64)
      await pods.create({ metadata: { name: `web-${i}` }, spec: { nodeName: nodes[i % 100], containers: [{ name: 'web', image: 'nginx:1' }] } });
  };
  await Promise.all(Array.from({ length: 64 }, (_, i) => create(i)));
  const t2 = performance.now(); const c2 = process.cpuUsage();
  console.log('created', t2 - t1);
  while (events.filter((e) => e.includes('Started')).length < N || !prepared.isIdle) await new Promise((r) => setTimeout(r, 20));
  console.log('running', performance.now() - t1, 'after create', performance.now() - t2, events.length, prepared.isIdle, process.memoryUsage().rss / 1e6);
  console.log('cpu', process.cpuUsage(c2).user / 1e6);
  console.log((globalThis as {steps?: number}).steps, (globalThis as {patches?: number}).patches);
  console.log((await pods.list({ fieldSelector: 'status.phase=Running' })).items.length);
  stop.abort();
  await done;
};
await main(); process.exit(0);
