import { expect, test } from 'vitest';
import type { OpenNodeBackend } from '../backend/index.ts';
import type { NodeAgent } from '../node-agent.ts';
import { nodeAgents, type NodeAgentsOptions } from '../node-agents.ts';
import { MemoryMachine } from '../testing/memory-backend.ts';
import { NodeCluster } from '../testing/node-cluster.ts';
import { answerNodeRequest } from './node-routes.ts';

const { signal } = new AbortController();

/** A node, and what its server answers. */
class AskedNode implements AsyncDisposable {
  readonly cluster: NodeCluster;
  readonly #agent: NodeAgent;

  static async start(options: NodeAgentsOptions): Promise<AskedNode> {
    const agents: NodeAgent[] = [];
    const cluster = await NodeCluster.start(nodeAgents({ ...options, onAgent: (agent) => agents.push(agent) }));
    return new AskedNode(cluster, agents[0] as NodeAgent);
  }

  private constructor(cluster: NodeCluster, agent: NodeAgent) {
    this.cluster = cluster;
    this.#agent = agent;
  }

  async ask(method: string, path: string, query: Readonly<Record<string, string>> = {}): Promise<[number, string]> {
    const request = { method, path, query: new URLSearchParams(query), header: () => undefined, signal };
    const answer = await answerNodeRequest(this.#agent.served, { ...request, isUpgrade: false });
    if (answer.type !== 'text') throw new Error(`${path} is answered with a stream`);
    return [answer.code, answer.text];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
  }
}

/** The configuration that `/configz` has. */
async function configOf(node: AskedNode): Promise<Record<string, unknown>> {
  const [code, text] = await node.ask('GET', '/configz');
  expect(code).toBe(200);
  return (JSON.parse(text) as { readonly kubeletconfig: Record<string, unknown> }).kubeletconfig;
}

test('configz has the settings of the node and of its machine', async () => {
  const taints = [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }] as const;
  const memory = new MemoryMachine();
  const options = { backend: memory.open, maxParallelPulls: 3, taints, port: () => 10_250 };
  await using node = await AskedNode.start(options);
  expect(await configOf(node)).toMatchObject({
    kind: 'KubeletConfiguration',
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    enableServer: true,
    port: 10_250,
    registerWithTaints: taints,
    clusterDomain: 'cluster.local',
    clusterDNS: ['10.96.0.10'],
    cgroupDriver: 'systemd',
    maxPods: 20,
    systemReserved: { cpu: '1' },
    serializeImagePulls: false,
    maxParallelImagePulls: 3,
    podLogsDir: '/var/log/pods',
    nodeLeaseDurationSeconds: 40,
    nodeStatusUpdateFrequency: '10s',
    nodeStatusReportFrequency: '5m0s',
  });
});

test('configz omits settings that the node does not have', async () => {
  const memory = new MemoryMachine();
  const backend: OpenNodeBackend = async (settings, context) => {
    const opened = await memory.open(settings, context);
    const dns = { ...opened.machine.dns, clusterServers: [] };
    return { ...opened, machine: { ...opened.machine, dns, reserved: {} } };
  };
  await using node = await AskedNode.start({ backend, maxParallelPulls: 1 });
  const config = await configOf(node);
  expect(config).toMatchObject({ enableServer: false, port: 0, serializeImagePulls: true });
  for (const name of ['registerWithTaints', 'clusterDNS', 'systemReserved', 'maxParallelImagePulls'])
    expect(config).not.toHaveProperty(name);
});

test('the figures of configz are those that the agent uses', async () => {
  const memory = new MemoryMachine();
  await using node = await AskedNode.start({ backend: memory.open });
  const { nodeLeaseDurationSeconds, imageGCHighThresholdPercent, imageGCLowThresholdPercent, ...config } =
    await configOf(node);
  const { client, clock } = node.cluster;
  const lease = await client.coordination.v1.leases.namespace('kube-node-lease').get('keelson');
  expect(lease.spec?.leaseDurationSeconds).toBe(nodeLeaseDurationSeconds);
  expect([imageGCHighThresholdPercent, imageGCLowThresholdPercent, config['imageMinimumGCAge']]).toEqual([
    85,
    80,
    '2m0s',
  ]);
  // a status that does not change is written again after `nodeStatusReportFrequency`
  const version = async (): Promise<string> => (await client.core.v1.nodes.get('keelson')).metadata.resourceVersion;
  expect(config['nodeStatusReportFrequency']).toBe('5m0s');
  await node.cluster.advance('10m');
  const before = await version();
  const beganMs = clock.now();
  while ((await version()) === before) await node.cluster.advance('10s');
  expect(clock.now() - beganMs).toBeLessThanOrEqual(310_000);
  const written = await version();
  await node.cluster.advance('280s');
  expect(await version()).toBe(written);
});

test('run answers with the output of a command, or with the exit code of one that failed', async () => {
  const memory = new MemoryMachine();
  const backend: OpenNodeBackend = async (settings, context) => {
    const opened = await memory.open(settings, context);
    const execSync: typeof opened.runtime.execSync = async (_id, cmd) =>
      cmd[0] === 'fail'
        ? { stdout: Buffer.from('some'), stderr: Buffer.from('no such file\n'), exitCode: Number(cmd[1]) }
        : { stdout: Buffer.from('out\n'), stderr: Buffer.from('err\n'), exitCode: 0 };
    return { ...opened, runtime: Object.assign(Object.create(opened.runtime), { execSync }) as typeof opened.runtime };
  };
  await using node = await AskedNode.start({ backend });
  await node.cluster.run({ metadata: { name: 'web' } });
  const run = (path: string, cmd: string): Promise<[number, string]> =>
    node.ask('POST', `/run/default/${path}`, { cmd });
  expect(await run('web/web', 'date')).toEqual([200, 'out\nerr\n']);
  const { metadata } = await node.cluster.pods.get('web');
  expect(await run(`web/${metadata.uid}/web`, 'date')).toEqual([200, 'out\nerr\n']);
  expect(await run('web/web', 'fail 3')).toEqual([500, "command 'fail 3' exited with 3: no such file\n"]);
  expect(await run('web/other', 'date')).toEqual([500, 'container not found ("other")']);
  expect(await run('gone/web', 'date')).toEqual([404, 'pod does not exist']);
  expect(await node.ask('GET', '/run/default/web/web', { cmd: 'date' })).toEqual([405, '405: Method Not Allowed']);
});
