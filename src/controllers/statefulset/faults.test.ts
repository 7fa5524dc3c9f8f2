import { expect, test } from 'vitest';
import { SeededRandom } from '../../base/index.ts';
import { FaultyTransport, mergePatch, noFaults, unreliableNetwork } from '../../client/index.ts';
import { startCluster } from '../../testing/index.ts';

const MINUTES = 12;

/** Pods of this image never become ready. */
const BROKEN = 'web:broken';

test.for(['one', 'two', 'three'])(
  'a rollout with failing pods survives injected faults (%s)',
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
    const sets = client.apps.v1.statefulsets.namespace('default');
    const pods = client.core.v1.pods.namespace('default');
    const claims = client.core.v1.persistentvolumeclaims.namespace('default');
    const labels = { app: 'web' };
    const template = (image: string): object => ({
      metadata: { labels },
      spec: { containers: [{ name: 'c', image }] },
    });
    let mostAtOnce = 0;

    /** Runs some minutes in which nodes start pending pods, and this share of the running pods fails per minute. */
    const live = async (failing: number): Promise<void> => {
      for (let minute = 0; minute < MINUTES; minute++) {
        await clock.advance('1m');
        const { items } = await pods.list();
        mostAtOnce = Math.max(mostAtOnce, items.length);
        for (const { metadata, spec, status } of items) {
          if (status?.phase === 'Failed') continue;
          const fails = status?.phase === 'Running' && random.float() < failing;
          const isReady = !fails && spec?.containers[0]?.image !== BROKEN;
          const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
          const phase = fails ? 'Failed' : 'Running';
          await pods.status.patch(metadata.name, mergePatch({ status: { phase, conditions } }));
        }
      }
    };

    const resources = { requests: { storage: '1Gi' } };
    const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce' as const], resources } };
    await sets.create({
      metadata: { name: 'web' },
      spec: {
        replicas: 5,
        serviceName: 'web',
        selector: { matchLabels: labels },
        template: template('web:1'),
        volumeClaimTemplates: [claim],
      },
    });
    for (const image of ['web:1', 'web:2']) {
      await sets.patch('web', mergePatch({ spec: { template: template(image) } }));
      await live(1 / 8);
    }
    await live(0);
    await sets.patch('web', mergePatch({ spec: { template: template(BROKEN) } }));
    await live(0);
    expect((await sets.get('web')).status).toMatchObject({ replicas: 5, readyReplicas: 4, updatedReplicas: 1 });

    for (const transport of faulty) transport.change();
    await sets.patch('web', mergePatch({ spec: { template: template('web:3') } }));
    await clock.advance('2m'); // until all watches have delivered the fix: otherwise the controller would create a broken pod again
    await pods.delete('web-4'); // a pod that never becomes ready must be deleted manually
    await live(1 / 8);
    await live(0);

    expect(faulty.reduce((total, { faults }) => total + faults.size, 0)).toBeGreaterThan(0);
    expect(mostAtOnce).toBe(5);
    const { status } = await sets.get('web');
    expect(status).toMatchObject({ replicas: 5, readyReplicas: 5, updatedReplicas: 5, availableReplicas: 5 });
    expect(status?.currentRevision).toBe(status?.updateRevision);
    const { items } = await pods.list();
    expect(items.map(({ spec }) => spec?.containers[0]?.image)).toEqual(Array.from({ length: 5 }, () => 'web:3'));
    expect((await claims.list()).items).toHaveLength(5);
    const { items: history } = await client.apps.v1.controllerrevisions.namespace('default').list();
    expect(history.map(({ revision }) => revision).toSorted()).toEqual([1, 2, 3, 4]);
  },
);
