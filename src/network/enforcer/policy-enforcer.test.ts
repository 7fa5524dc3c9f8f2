import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { skipWhen } from '../../base/testing/requires.ts';
import { mergePatch } from '../../client/index.ts';
import { app } from '../../kit/index.ts';
import { startCluster, type TestCluster } from '../../testing/index.ts';
import { type PolicyEnforcer, policyEnforcer } from './policy-enforcer.ts';
import { type Flow, PodLab, whyNoLab } from './testing/pod-lab.ts';

const reason = whyNoLab();
const ADDRESSES = { web: '10.1.0.2', db: '10.1.0.3' };
const webToDb: Flow = { from: 'web', address: ADDRESSES.db, protocol: 'TCP', port: 80 };
const LIMIT = { timeout: 120_000, interval: 50 };

/** Waits until the flow passes, or no longer does. */
function untilFlow(lab: PodLab, flow: Flow, isAllowed: boolean): Promise<void> {
  return vi.waitFor(async () => expect(await lab.probe([flow], [isAllowed])).toEqual([isAllowed]), LIMIT);
}

describe('the enforcer of policies', skipWhen(reason !== undefined, reason ?? ''), () => {
  let lab: PodLab;
  let cluster: TestCluster;
  let enforcer: PolicyEnforcer;
  let stop: AbortController;
  let running: Promise<void>;

  beforeAll(async () => {
    const pods = Object.entries(ADDRESSES).map(([name, address]) => ({ name, addresses: [address] }));
    lab = await PodLab.open([{ name: 'n1', pods }]);
    await lab.serve([{ in: 'db', address: ADDRESSES.db, protocol: 'TCP', port: 80 }]);
  });

  afterAll(() => lab[Symbol.asyncDispose]());

  beforeEach(async () => {
    cluster = await startCluster({ nodes: 0 });
    await cluster.client.core.v1.nodes.create({ metadata: { name: 'n1' }, spec: { podCIDRs: ['10.1.0.0/24'] } });
    enforcer = policyEnforcer({ node: 'n1', program: lab.nftProgram('n1') });
    stop = new AbortController();
    running = app('network-policy', [enforcer]).run(cluster.client, stop.signal);
  });

  afterEach(async () => {
    stop.abort();
    await running;
    await enforcer.cleanUp();
    await cluster[Symbol.asyncDispose]();
  });

  async function createPod(name: keyof typeof ADDRESSES): Promise<string> {
    const pods = cluster.client.core.v1.pods.namespace('default');
    const created = await pods.create({
      metadata: { name, labels: { app: name } },
      spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'nginx' }] },
    });
    return created.metadata.uid;
  }

  async function report(name: keyof typeof ADDRESSES): Promise<void> {
    const podIP = ADDRESSES[name];
    const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }] };
    await cluster.client.core.v1.pods.namespace('default').status.patch(name, mergePatch({ status }));
  }

  async function isolateDb(): Promise<void> {
    await cluster.client.networking.v1.networkpolicies.namespace('default').create({
      metadata: { name: 'db' },
      spec: { podSelector: { matchLabels: { app: 'db' } }, policyTypes: ['Ingress'] },
    });
  }

  test('a policy of the API is in force, and again at once after another program has flushed all rules', async () => {
    for (const name of ['web', 'db'] as const) {
      await createPod(name);
      await report(name);
    }
    await untilFlow(lab, webToDb, true);
    await isolateDb();
    await untilFlow(lab, webToDb, false);

    await lab.run('n1', 'nft', 'flush', 'ruleset');
    await vi.waitFor(async () => expect(await lab.run('n1', 'nft', 'list', 'ruleset')).toContain('denied'), LIMIT);
    await untilFlow(lab, webToDb, false);

    await cluster.client.networking.v1.networkpolicies.namespace('default').delete('db');
    await untilFlow(lab, webToDb, true);
  });

  test('a pod of the node is closed until the node has named its addresses', async () => {
    const uid = await createPod('web');
    await createPod('db');
    await report('db');
    await isolateDb();
    const dbToWeb: Flow = { from: 'db', address: ADDRESSES.web, protocol: 'TCP', port: 80 };
    await lab.serve([{ in: 'web', address: ADDRESSES.web, protocol: 'TCP', port: 80 }]);
    await untilFlow(lab, dbToWeb, false);

    await enforcer.attached({ key: 'default/web', uid }, [ADDRESSES.web], stop.signal);

    expect(await lab.probe([dbToWeb], [true])).toEqual([true]);
  });
});
