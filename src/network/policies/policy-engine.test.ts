import { afterEach, expect, test } from 'vitest';
import { app } from '../../kit/index.ts';
import { startCluster, type TestCluster } from '../../testing/index.ts';
import { policyEngine, type PolicyEngine } from './policy-engine.ts';
import { PolicyState } from './policy-state.ts';
import type { PolicyChanges } from './resolved-policy.ts';

const NEVER = new AbortController().signal;
let cluster: TestCluster | undefined;
afterEach(async () => {
  await cluster?.[Symbol.asyncDispose]();
  cluster = undefined;
});

interface Started {
  readonly engine: PolicyEngine;
  readonly state: PolicyState;
  readonly delivered: PolicyChanges[];
  readonly client: TestCluster['client'];
  settle(): Promise<void>;
  passes(time: '5s'): Promise<void>;
  failNext(): void;
}

/** A cluster with one simulated node and an engine for it. */
async function startEngine(): Promise<Started> {
  const started = await startCluster({ nodes: 1 });
  cluster = started;
  const { client } = started;
  const [node] = (await client.core.v1.nodes.list()).items;
  const state = new PolicyState();
  const delivered: PolicyChanges[] = [];
  let willFail = false;
  const engine = policyEngine({
    node: node?.metadata.name ?? '',
    async apply(changes) {
      if (willFail) {
        willFail = false;
        throw new Error('the filter is away');
      }
      delivered.push(changes);
      state.apply(changes);
    },
  });
  await started.run(app('engine', [engine]));
  return {
    engine,
    state,
    delivered,
    client,
    settle: () => started.settle(),
    passes: (time) => started.settle().then(() => started.clock.advance(time)),
    failNext: () => (willFail = true),
  };
}

const denyAll = { metadata: { name: 'deny' }, spec: { podSelector: {}, policyTypes: ['Ingress' as const] } };

function web(name: string): object {
  return { metadata: { name }, spec: { containers: [{ name: 'web', image: 'nginx' }] } };
}

test('the pods of the node are isolated as long as a policy selects them', async () => {
  const { client, state, settle } = await startEngine();
  const pods = client.core.v1.pods.namespace('default');
  const policies = client.networking.v1.networkpolicies.namespace('default');
  await pods.create(web('one'));
  await settle();
  expect(state.pods.get('default/one')).toMatchObject({ ingress: [], egress: [] });
  expect(state.hasPolicies).toBe(false);

  await policies.create(denyAll);
  await settle();
  expect(state.pods.get('default/one')?.ingress).toEqual([['default/deny']]);

  await policies.delete('deny');
  await settle();
  expect(state.pods.get('default/one')?.ingress).toEqual([]);
  await pods.delete('one');
  await settle();
  expect([state.pods.size, state.policies.size, state.hasPolicies]).toEqual([0, 0, false]);
});

test('changes that could not be applied are delivered again, with everything else', async () => {
  const { client, delivered, state, settle, passes, failNext } = await startEngine();
  await client.core.v1.pods.namespace('default').create(web('one'));
  await settle();
  const before = delivered.length;

  failNext();
  await client.networking.v1.networkpolicies.namespace('default').create(denyAll);
  await passes('5s');

  expect(delivered.slice(before).map(({ isWhole }) => isWhole)).toEqual([true]);
  expect(state.pods.get('default/one')?.ingress).toEqual([['default/deny']]);
});

test('a pod to which the node has given addresses waits until they are in effect', async () => {
  const { client, engine, state, settle } = await startEngine();
  const created = await client.core.v1.pods.namespace('default').create({
    ...web('held'),
    spec: { schedulingGates: [{ name: 'example.com/wait' }], containers: [{ name: 'web', image: 'nginx' }] },
  });
  await client.core.v1.pods.namespace('default').create(web('one'));
  await settle();
  const pod = { key: 'default/one', uid: (await client.core.v1.pods.namespace('default').get('one')).metadata.uid };

  await engine.attached(pod, ['10.9.9.9'], NEVER);
  expect(state.pods.get('default/one')?.addresses).toEqual(['10.9.9.9']);

  engine.detached(pod);
  await settle();
  expect(state.pods.has('default/one')).toBe(false);

  const stop = new AbortController();
  const unknown = engine.attached(
    { key: 'default/held', uid: `not ${created.metadata.uid}` },
    ['10.9.9.8'],
    stop.signal,
  );
  await settle();
  stop.abort(new Error('the pod was deleted'));
  await expect(unknown).rejects.toThrow('the pod was deleted');
});
