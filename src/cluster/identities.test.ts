import { expect, test } from 'vitest';
import type { AdmissionPlugin } from '../apiserver/index.ts';
import { startCluster } from '../testing/index.ts';

/** Notes who writes. */
function noting(masters: Set<string>, others: Set<string>): AdmissionPlugin {
  return {
    name: 'Noting',
    validate({ user }) {
      (user.groups.includes('system:masters') ? masters : others).add(user.name);
    },
  };
}

const ACCOUNT = 'system:serviceaccount:kube-system:';
const deployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};

test.each([1, 3])(
  'the programs of a cluster with %d nodes write under their own names, not as masters',
  async (nodes) => {
    const [masters, others] = [new Set<string>(), new Set<string>()];
    await using cluster = await startCluster({ nodes, admission: { plugins: [noting(masters, others)] } });
    const { apps, core } = cluster.client;
    await core.v1.services.namespace('default').create({
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    });
    await apps.v1.deployments.namespace('default').create(deployment);
    await core.v1.namespaces.create({ metadata: { name: 'gone' } });
    await cluster.settle();
    expect((await apps.v1.deployments.namespace('default').get('web')).status?.readyReplicas).toBe(2);
    await apps.v1.deployments.namespace('default').delete('web');
    await core.v1.namespaces.delete('gone');
    await cluster.settle();

    const accounts = [...others].filter((name) => name.startsWith(ACCOUNT)).map((name) => name.slice(ACCOUNT.length));
    expect(accounts.toSorted()).toEqual([
      'clusterrole-aggregation-controller',
      'deployment-controller',
      'endpoint-controller',
      'endpointslice-controller',
      'generic-garbage-collector',
      'namespace-controller',
      'node-controller',
      'replicaset-controller',
      'root-ca-cert-publisher',
      'service-account-controller',
      'service-cidrs-controller',
      'ttl-controller',
    ]);
    const agents = nodes === 1 ? ['keelson'] : ['keelson-1', 'keelson-2', 'keelson-3'];
    expect([...others].filter((name) => name.startsWith('system:node:')).toSorted()).toEqual(
      agents.map((name) => `system:node:${name}`),
    );
    expect([...masters].filter((name) => name.startsWith('system:') && name !== 'system:apiserver')).toEqual([]);
    expect(cluster.problems).toEqual([]);
  },
);
