import { expect, test } from 'vitest';
import { SeededRandom } from '../../base/index.ts';
import {
  FaultyTransport,
  mergePatch,
  noFaults,
  type Observed,
  type Pod,
  unreliableNetwork,
} from '../../client/index.ts';
import { startCluster } from '../../testing/index.ts';

test.for(['one', 'two', 'three'])(
  'every pod is counted once despite injected faults (%s)',
  async (seed, { signal }) => {
    const faulty: FaultyTransport[] = [];
    const random = new SeededRandom(`faults ${seed}`);
    await using cluster = await startCluster({
      signal,
      controllers: true,
      scheduler: false,
      nodes: 0,
      seed,
      wrapTransport: (transport, { clock }) => {
        const bad = new FaultyTransport(transport, { clock, random, rates: noFaults });
        faulty.push(bad);
        return bad;
      },
    });
    for (const transport of faulty) transport.change(unreliableNetwork);
    const { client, clock } = cluster;
    const jobs = client.batch.v1.jobs.namespace('default');
    const pods = client.core.v1.pods.namespace('default');
    const ended = { Succeeded: new Set<string>(), Failed: new Set<string>() };
    const endSome = async (): Promise<void> => {
      const { items } = await pods.list();
      const waiting = items.filter(({ status }: Observed<Pod>) => status?.phase === 'Pending');
      for (const { metadata } of waiting.slice(0, 2)) {
        const phase = ended.Failed.size < 4 && random.float() < 0.4 ? 'Failed' : 'Succeeded';
        ended[phase].add(metadata.uid);
        await pods.status.patch(metadata.name, mergePatch({ status: { phase } }));
      }
    };
    const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'busybox' }] } };
    await jobs.create({ metadata: { name: 'work' }, spec: { completions: 12, parallelism: 4, template } });
    for (let minute = 0; minute < 15; minute++) {
      await clock.advance('1m');
      await endSome();
    }
    for (const transport of faulty) transport.change();
    for (let minute = 0; minute < 25; minute++) {
      await clock.advance('1m');
      await endSome();
    }

    expect(faulty.reduce((total, { faults }) => total + faults.size, 0)).toBeGreaterThan(0);
    const { status } = await jobs.get('work');
    expect(status?.conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet', 'Complete']);
    expect(status).toMatchObject({ succeeded: 12, uncountedTerminatedPods: {}, terminating: 0, ready: 0 });
    expect([status?.succeeded, status?.failed ?? 0]).toEqual([ended.Succeeded.size, ended.Failed.size]);
    const { items } = await pods.list();
    expect(items.flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
  },
);
