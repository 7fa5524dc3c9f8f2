import { describe, expect, test } from 'vitest';
import { settle, VirtualClock } from '../../base/index.ts';
import { mergePatch } from '../../client/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { app } from '../app.ts';
import { extender, type SchedulerExtender } from './extender.ts';

const GPU = 'example.com/gpu';
const context = { signal: new AbortController().signal };

function gpuPod(name: string, gpus: string): object {
  const resources = { requests: { [GPU]: gpus } };
  return { metadata: { name, namespace: 'default', uid: name }, spec: { containers: [{ name: 'c', resources }] } };
}

/** An extender in an app with two nodes: n1 has two GPUs and a pod that takes one, n2 has none. */
async function running(made: SchedulerExtender): Promise<AsyncDisposable> {
  const cluster = await TestCluster.start({ clock: new VirtualClock() });
  const client = cluster.client();
  const stop = new AbortController();
  for (const [name, gpus] of Object.entries({ n1: '2', n2: '0' })) {
    const allocatable = { cpu: '4', [GPU]: gpus };
    await client.core.v1.nodes.create({ metadata: { name } });
    await client.core.v1.nodes.status.patch(name, mergePatch({ status: { allocatable, capacity: allocatable } }));
  }
  const containers = [{ name: 'c', image: 'i', resources: { requests: { [GPU]: '1' }, limits: { [GPU]: '1' } } }];
  await client.core.v1.pods
    .namespace('default')
    .create({ metadata: { name: 'old' }, spec: { nodeName: 'n1', containers } });
  const apps = app('gpu', [made]).run(client, stop.signal);
  await settle();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await apps;
      await cluster[Symbol.asyncDispose]();
    },
  };
}

describe('an extender', () => {
  test("answers a scheduler from its app's caches of nodes and pods", async () => {
    const gpu = extender('gpu-fit', {
      resources: [GPU],
      filter(pod, node) {
        if (node.allocatable(GPU) === 0) return { never: 'no GPU' };
        return node.free(GPU) >= pod.requests(GPU) ? undefined : `${node.free(GPU)} left`;
      },
      score: (_, node) => node.free(GPU),
      preempt: (_, node) => (node.name === 'n1' ? node.victims : false),
    });
    await using _app = await running(gpu);
    const NodeNames = ['n1', 'n2', 'n9'];
    expect(await gpu.send('filter', { Pod: gpuPod('new', '1'), NodeNames, Nodes: null }, context)).toEqual({
      NodeNames: ['n1'],
      FailedNodes: { n9: 'node(s) the extender has not heard of yet' },
      FailedAndUnresolvableNodes: { n2: 'no GPU' },
      Error: '',
    });
    expect(await gpu.send('filter', { Pod: gpuPod('new', '2'), NodeNames: ['n1'] }, context)).toMatchObject({
      NodeNames: [],
      FailedNodes: { n1: '1 left' },
    });
    expect(await gpu.send('prioritize', { Pod: gpuPod('new', '1'), NodeNames }, context)).toEqual([
      { Host: 'n1', Score: 1 },
      { Host: 'n2', Score: 0 },
    ]);
    const victims = { Pods: [{ UID: 'unknown' }], NumPDBViolations: 2 };
    const NodeNameToMetaVictims = { n1: victims, n2: victims };
    expect(await gpu.send('preempt', { Pod: gpuPod('new', '2'), NodeNameToMetaVictims }, context)).toEqual({
      NodeNameToMetaVictims: { n1: { Pods: [], NumPDBViolations: 2 } },
    });
  });

  test('reports failures to the scheduler, and refuses malformed requests', async () => {
    const bad = extender('bad', {
      filter: () => Promise.reject(new Error('no idea')),
      score: () => 11,
      bind: () => Promise.reject(new Error('not today')),
    });
    await expect(bad.send('filter', {}, context)).rejects.toThrow('extender "bad" does not run yet');
    await using _app = await running(bad);
    const args = { Pod: gpuPod('new', '1'), NodeNames: ['n1'] };
    expect(await bad.send('filter', args, context)).toEqual({ Error: 'no idea' });
    await expect(bad.send('prioritize', args, context)).rejects.toThrow('scores go from 0 to 10, got 11');
    const binding = { PodName: 'a', PodNamespace: 'b', PodUID: 'c', Node: 'n1' };
    expect(await bad.send('bind', binding, context)).toEqual({ Error: 'not today' });
    await expect(bad.send('filter', 5, context)).rejects.toThrow('the question must be an object');
    await expect(bad.send('filter', { ...args, NodeNames: [1] }, context)).rejects.toThrow('expected a name, got 1');
  });

  test("provides its entry for a scheduler's configuration", () => {
    const gpu = extender('gpu-fit', {
      resources: [GPU],
      weight: 3,
      timeout: '500ms',
      filter: () => undefined,
      score: () => 1,
    });
    expect(gpu.configuration({ url: 'https://gpu:8443/', caBundle: 'Y2E=' })).toEqual({
      urlPrefix: 'https://gpu:8443/gpu-fit',
      filterVerb: 'filter',
      prioritizeVerb: 'prioritize',
      weight: 3,
      enableHTTPS: true,
      tlsConfig: { caData: 'Y2E=' },
      httpTimeout: '500ms',
      nodeCacheCapable: true,
      managedResources: [{ name: GPU, ignoredByScheduler: true }],
    });
    expect(Object.keys(gpu.routes)).toEqual(['/gpu-fit/filter', '/gpu-fit/prioritize']);
    expect(() => extender('GPU fit', {})).toThrow('its name must be lower case letters, digits and "-"');
  });
});
