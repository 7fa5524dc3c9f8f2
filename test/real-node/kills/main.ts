// npm run node:kills [-- --node keelson|kubelet --pods 50 --kills 30 --seed S]: kills the agent, the container runtime and the API server of a
// real node under running pods. Ends with 1 when a container was restarted, an exit code or a line of a log was lost, a deleted pod
// stayed, or anything of the pods is left after all of them are gone.
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../../../src/base/index.ts';
import { connect } from '../../../src/client/index.ts';
import { eventually } from '../eventually.ts';
import { isInNamespaces, type RealCluster, runInNamespaces, startRealCluster, whyNoRealNode } from '../index.ts';
import { podLeftovers } from '../pod-leftovers.ts';
import { Workload } from './workload.ts';

const { values } = parseArgs({
  options: {
    node: { type: 'string', default: 'keelson' },
    pods: { type: 'string', default: '50' },
    kills: { type: 'string', default: '30' },
    seed: { type: 'string', default: 'kills' },
    logs: { type: 'string', default: join('.keelson', 'kills-logs') },
  },
});
const LIMIT_MS = 45 * 60_000;
const SETTLE_MS = 240_000;
const POLL_MS = 1000;
const MAX_PAUSE_MS = 8000;
/** A server that dies several times soon after its start comes up without its scheduler, on purpose: each one lives this long. */
const SERVER_LIFE_MS = 70_000;
const TARGETS = ['agent', 'runtime', 'server'] as const;

process.exitCode = await main();

async function main(): Promise<number> {
  const agent = values.node === 'kubelet' ? 'kubelet' : 'keelson';
  const reason = isInNamespaces() ? undefined : whyNoRealNode(agent);
  if (reason !== undefined) {
    console.log(`the kills are left out: ${reason}`);
    return 0;
  }
  const code = await runInNamespaces({ limitMs: LIMIT_MS, print: console.error, logs: resolve(values.logs) });
  if (code !== undefined) return code;
  await using cluster = await startRealCluster({ controlPlane: 'keelson', agent, print: console.error });
  const problems = await killUnderPods(cluster);
  for (const problem of problems) console.log(`PROBLEM ${problem}`);
  console.log(`${values.kills} kills, ${values.pods} pods, seed ${values.seed}: ${problems.length} problems`);
  return problems.length === 0 ? 0 : 1;
}

async function killUnderPods(cluster: RealCluster): Promise<readonly string[]> {
  await using client = await connect({ kubeconfig: cluster.server.kubeconfig });
  const random = new SeededRandom(values.seed);
  const workload = new Workload(client);
  await workload.start(Number(values.pods), holds);
  console.error(`${values.pods} pods are ready`);
  let serverKilledMs = -Infinity;
  const kills: Record<(typeof TARGETS)[number], number> = { agent: 0, runtime: 0, server: 0 };
  for (let kill = 0; kill < Number(values.kills); kill++) {
    const isServerOld = performance.now() - serverKilledMs > SERVER_LIFE_MS;
    const targets = isServerOld ? TARGETS : TARGETS.filter((each) => each !== 'server');
    const target = targets[Math.floor(random.float() * targets.length)] ?? 'agent';
    if (target === 'server') serverKilledMs = performance.now();
    if (kill % 3 === 0) await workload.addEnding(Math.floor(random.float() * 10));
    await strike(cluster, target, workload);
    kills[target]++;
    await sleep(random.float() * MAX_PAUSE_MS);
  }
  console.error(`killed: ${JSON.stringify(kills)}`);
  let problems: readonly string[] = [];
  await holds('pods as they were', async () => {
    problems = await workload.problems();
    return problems[0];
  }).catch(() => undefined); // the problems are printed one by one
  await workload.deleteAll();
  await holds('no pods', async () => ((await workload.count()) === 0 ? undefined : 'pods are left'));
  const deadline = performance.now() + SETTLE_MS;
  let left = await podLeftovers(cluster.node.layout);
  while (left.length > 0 && performance.now() < deadline) {
    await sleep(POLL_MS);
    left = await podLeftovers(cluster.node.layout);
  }
  return [...problems, ...left.map((line) => `left behind: ${line}`)];
}

/** Kills a part and starts it again. While the agent is away, a pod may be deleted. */
async function strike(
  { node, server }: RealCluster,
  target: (typeof TARGETS)[number],
  workload: Workload,
): Promise<void> {
  console.error(`kill of the ${target}`);
  if (target === 'server') return server.restartKilled?.();
  if (target === 'runtime') return node.restart('runtime', { isKilled: true });
  process.kill(node.daemon('agent').pid, 'SIGKILL');
  await workload.deleteOne();
  await node.restart('agent');
}

async function holds(what: string, check: () => Promise<string | undefined>): Promise<void> {
  await eventually(
    async () => {
      const problem = await check();
      if (problem !== undefined) throw new Error(problem);
    },
    { what, limitMs: SETTLE_MS },
  );
}
