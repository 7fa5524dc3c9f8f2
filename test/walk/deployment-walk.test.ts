import { describe, expect, test } from 'vitest';
import { startCluster } from '../../src/testing/index.ts';
import { type RecordedWrite, RecordingTransport } from './recording-transport.ts';

const isOfTheWalk = ({ resource }: RecordedWrite): boolean => resource !== 'events' && resource !== 'leases';

describe('one Deployment from HTTP to a running container', () => {
  test('goes the way that ARCHITECTURE.md walks, each step caused by the one before', async () => {
    const writes: RecordedWrite[] = [];
    await using cluster = await startCluster({
      seed: 'walk',
      wrapTransport: (transport, { program }) => new RecordingTransport(transport, program, writes),
    });
    writes.length = 0;
    const labels = { app: 'web' };
    const deployments = cluster.client.apps.v1.deployments.namespace('default');
    await deployments.create({
      metadata: { name: 'web' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
      },
    });
    await cluster.settle();

    const [pod] = (await cluster.client.core.v1.pods.namespace('default').list()).items;
    expect(pod?.status?.phase).toBe('Running');
    expect((await deployments.get('web')).status).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });
    const steps = writes.filter(isOfTheWalk).map(({ program, method, resource }) => `${program} ${method} ${resource}`);
    const causes = cluster.apps.flatMap((app) =>
      app.trace({}).filter(({ writes: count, key }) => count > 0 && key.startsWith('default/web')),
    );
    console.log(['writes:', ...steps, '', 'causes:'].join('\n'));
    for (const { controller, key, why, writes: count } of causes) {
      console.log(`${controller} ${key}: ${count} writes because of ${why.join(', ')}`);
    }
    const chain = [
      'kube-controller-manager POST replicasets',
      'kube-controller-manager POST pods',
      'kube-scheduler POST pods/binding',
      'kubelet PATCH pods/status',
      'kubelet PATCH pods/status',
      'kube-controller-manager PUT replicasets/status',
      'kube-controller-manager PUT deployments/status',
    ];
    expect(inOrder(steps, chain)).toEqual(chain);
    expect(causes.find(({ controller }) => controller === 'deployment')?.why).toEqual(['Deployment default/web added']);
    expect(causes.find(({ controller }) => controller === 'replicaset')?.why[0]).toMatch(
      /^ReplicaSet default\/web-\w+ added$/,
    );
    expect(cluster.problems).toEqual([]);
  });
});

/** As many of the links as are found one after the other, whatever is between them. */
function inOrder(steps: readonly string[], chain: readonly string[]): string[] {
  let at = -1;
  return chain.filter((link) => {
    const found = steps.indexOf(link, at + 1);
    if (found >= 0) at = found;
    return found >= 0;
  });
}
