import { app } from 'keelson';
import { mergePatch } from 'keelson/client';
import { isAllowed, policyEngine, policyEnforcer, PolicyState } from 'keelson/network';
import { startCluster, type TestCluster } from 'keelson/testing';
import { expect, test, vi } from 'vitest';
import { skipWhen } from '../../src/base/testing/requires.ts';
import { type Flow, PodLab, whyNoLab } from '../../src/network/enforcer/testing/pod-lab.ts';
import { CidrSet, GlobalPolicy, globalPolicies, globalPolicyAgent, Tier } from './global-policy.ts';

const kinds = [Tier, CidrSet, GlobalPolicy];

/** Two tiers: security comes first and passes on what it does not deny; the platform's allows web to db. */
async function createPolicies({ client }: TestCluster): Promise<void> {
  await client.kind(Tier).create({ metadata: { name: 'security' }, spec: { order: 1 } });
  await client.kind(Tier).create({ metadata: { name: 'platform' }, spec: { order: 2 } });
  await client.kind(CidrSet).create({ metadata: { name: 'blocked' }, spec: { cidrs: ['203.0.113.0/24'] } });
  await client.kind(GlobalPolicy).create({
    metadata: { name: 'no-blocked-addresses' },
    spec: {
      tier: 'security',
      ingress: [{ action: 'Deny', peers: [{ cidrSet: 'blocked' }] }, { action: 'Pass' }],
    },
  });
  await client.kind(GlobalPolicy).create({
    metadata: { name: 'web-to-db' },
    spec: {
      tier: 'platform',
      podSelector: { matchLabels: { app: 'db' } },
      ingress: [{ action: 'Allow', peers: [{ podSelector: { matchLabels: { app: 'web' } } }], ports: [{ port: 80 }] }],
    },
  });
}

async function createPod({ client }: TestCluster, name: string, podIP: string): Promise<void> {
  const pods = client.core.v1.pods.namespace('default');
  await pods.create({
    metadata: { name, labels: { app: name } },
    spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'nginx' }] },
  });
  await pods.status.patch(name, mergePatch({ status: { phase: 'Running', podIP, podIPs: [{ ip: podIP }] } }));
}

test('tiers are asked in order, and sets of ranges apply at once where they are named', async () => {
  await using cluster = await startCluster({ nodes: 0, resources: kinds });
  const state = new PolicyState();
  const apply = async (changes: Parameters<PolicyState['apply']>[0]): Promise<void> => state.apply(changes);
  await cluster.run(app('engine', [policyEngine({ node: 'n1', policies: globalPolicies, apply })]));
  await createPolicies(cluster);
  await createPod(cluster, 'web', '10.1.0.2');
  await createPod(cluster, 'db', '10.1.0.3');
  await cluster.settle();
  const passes = (source: string, destination: string, port = 80): boolean =>
    isAllowed(state, { source, destination, protocol: 'TCP', port });

  expect(passes('10.1.0.2', '10.1.0.3')).toBe(true);
  expect(passes('10.1.0.2', '10.1.0.3', 81)).toBe(false);
  expect(passes('198.51.100.1', '10.1.0.3')).toBe(false);
  expect(passes('198.51.100.1', '10.1.0.2')).toBe(true);
  expect(passes('203.0.113.9', '10.1.0.2')).toBe(false);

  await cluster.client
    .kind(CidrSet)
    .patch('blocked', mergePatch({ spec: { cidrs: ['198.51.100.0/24', '10.1.0.2/32'] } }));
  await cluster.settle();
  expect(passes('203.0.113.9', '10.1.0.2')).toBe(true);
  expect(passes('198.51.100.1', '10.1.0.2')).toBe(false);
  expect(passes('10.1.0.2', '10.1.0.3')).toBe(false);

  await cluster.client.kind(Tier).patch('security', mergePatch({ spec: { order: 3 } })); // now the platform decides first
  await cluster.settle();
  expect(passes('10.1.0.2', '10.1.0.3')).toBe(true);
  expect(cluster.problems).toEqual([]);
});

const reason = whyNoLab();

test(
  'on a node, packets need the consent of GlobalPolicies and of NetworkPolicies',
  skipWhen(reason !== undefined, reason ?? ''),
  async () => {
    await using lab = await PodLab.open([
      {
        name: 'n1',
        pods: [
          { name: 'web', addresses: ['10.1.0.2'] },
          { name: 'db', addresses: ['10.1.0.3'] },
        ],
      },
    ]);
    await lab.serve([{ in: 'db', address: '10.1.0.3', protocol: 'TCP', port: 80 }]);
    const webToDb: Flow = { from: 'web', address: '10.1.0.3', protocol: 'TCP', port: 80 };
    const untilFlow = (isAllowed: boolean): Promise<void> =>
      vi.waitFor(async () => expect(await lab.probe([webToDb], [isAllowed])).toEqual([isAllowed]), 120_000);
    await using cluster = await startCluster({ nodes: 0, resources: kinds });
    const program = lab.nftProgram('n1');
    const stop = new AbortController();
    const running = [
      globalPolicyAgent({ node: 'n1', program }).run(cluster.client, stop.signal),
      app('network-policy', [policyEnforcer({ node: 'n1', program })]).run(cluster.client, stop.signal),
    ];
    try {
      await createPod(cluster, 'web', '10.1.0.2');
      await createPod(cluster, 'db', '10.1.0.3');
      await createPolicies(cluster);
      await vi.waitFor(
        async () => expect(await lab.run('n1', 'nft', 'list', 'tables')).toContain('global-policies'),
        120_000,
      );
      await untilFlow(true);

      await cluster.client.networking.v1.networkpolicies.namespace('default').create({
        metadata: { name: 'none' },
        spec: { podSelector: {}, policyTypes: ['Ingress'] },
      });
      await untilFlow(false);
      await cluster.client.networking.v1.networkpolicies.namespace('default').delete('none');
      await untilFlow(true);

      await cluster.client.kind(CidrSet).patch('blocked', mergePatch({ spec: { cidrs: ['10.1.0.2/32'] } }));
      await untilFlow(false);
    } finally {
      stop.abort();
      await Promise.all(running);
    }
  },
);
