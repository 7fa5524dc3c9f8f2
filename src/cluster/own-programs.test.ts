import { expect, test } from 'vitest';
import type { AuthorizationOptions } from '../access/index.ts';
import { startCluster } from '../testing/index.ts';

const deployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};

const unanswered = { webhook: { target: { url: 'https://127.0.0.1:1/' }, credential: {} } };

/** Ways to authorize that do not give our programs, or not all of them, what they need. */
const modes: readonly { name: string; nodes: number; authorization: AuthorizationOptions }[] = [
  { name: 'RBAC alone', nodes: 1, authorization: { modes: ['RBAC'] } },
  { name: 'AlwaysDeny', nodes: 2, authorization: { modes: ['AlwaysDeny'] } },
  { name: 'ABAC', nodes: 1, authorization: { modes: ['ABAC'], policies: { path: 'policies', text: '' } } },
  { name: 'a webhook that fails', nodes: 1, authorization: { modes: ['Webhook', 'RBAC'], webhook: unanswered } },
];

test.each(modes)(
  'the programs of a cluster have their rights under $name, and others of their names do not',
  async ({ nodes, authorization }) => {
    await using cluster = await startCluster({ nodes, authorization });
    const deployments = cluster.client.apps.v1.deployments.namespace('default');
    await deployments.create(deployment);
    await cluster.settle();
    expect((await deployments.get('web')).status?.readyReplicas).toBe(2);
    expect(cluster.problems).toEqual([]);
    const name = nodes === 1 ? 'keelson' : 'keelson-1';
    await using other = cluster.as(`system:node:${name}`, ['system:nodes']);
    await expect(other.core.v1.nodes.get(name)).rejects.toThrow(/forbidden|connection refused/);
  },
);
