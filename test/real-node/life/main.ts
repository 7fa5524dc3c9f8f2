// npm run node:life [-- --only NAME,... --node keelson|kubelet]: what a real node does for its own sake, each thing seen once: it evicts pods, pulls
// with credentials, removes containers and images, and withstands pods that attack it. Ends with 1 when one of them did not happen as it should.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runProgram } from '../../../peers/index.ts';
import { connect } from '../../../src/client/index.ts';
import { isInNamespaces, runInNamespaces, startRealCluster, whyNoRealNode } from '../index.ts';
import { room } from '../namespaces.ts';
import { attacks } from './attacks.ts';
import { containers, images } from './collection.ts';
import { credentials, providerFlags, writeProvider } from './credentials.ts';
import { evictions } from './evictions.ts';
import { NodeLife, type Trial } from './node-life.ts';
import { top } from './top.ts';

const { values } = parseArgs({
  options: {
    node: { type: 'string', default: 'keelson' },
    only: { type: 'string', default: '' },
    logs: { type: 'string', default: join('.keelson', 'life-logs') },
  },
});
const LIMIT_MS = 40 * 60_000;
const TRIALS: readonly Trial[] = [...evictions, credentials, containers, top, ...attacks, images];
/** The agent's folder is small, so that a pod can fill it. */
const SMALL_DISK = 'size=192m,nr_inodes=20000,mode=755';

process.exitCode = await main();

async function main(): Promise<number> {
  const agent = values.node === 'kubelet' ? 'kubelet' : 'keelson';
  const names = values.only === '' ? TRIALS.map(({ name }) => name) : values.only.split(',');
  const unknown = names.find((name) => !TRIALS.some((trial) => trial.name === name));
  if (unknown !== undefined) {
    console.error(`there is no trial "${unknown}"; there are ${TRIALS.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const reason = isInNamespaces() ? undefined : whyNoRealNode(agent);
  if (reason !== undefined) {
    console.log(`the life of a node is left out: ${reason}`);
    return 0;
  }
  const code = await runInNamespaces({ limitMs: LIMIT_MS, print: console.error, logs: resolve(values.logs) });
  if (code !== undefined) return code;
  await runProgram(['mount', '-t', 'tmpfs', '-o', SMALL_DISK, 'tmpfs', '/var/lib/kubelet']);
  const folder = join(room(), 'life');
  await writeProvider(folder);
  const agentFlags = providerFlags(folder);
  await using cluster = await startRealCluster({
    ...{ controlPlane: 'keelson', agent, agentFlags, print: console.error },
    serverFlags: ['--simulated-metrics=false'], // metrics-server takes their place
  });
  await using client = await connect({ kubeconfig: cluster.server.kubeconfig });
  const life = await NodeLife.open(cluster, client);
  let problems = 0;
  for (const trial of TRIALS.filter(({ name }) => names.includes(name))) {
    const beganMs = performance.now();
    const problem = await problemOf(trial, life);
    const seconds = Math.round((performance.now() - beganMs) / 1000);
    if (problem !== undefined) problems += 1;
    console.log(
      `${problem === undefined ? 'ok     ' : 'PROBLEM'} ${trial.name} (${seconds} s)${problem === undefined ? '' : `: ${problem}`}`,
    );
  }
  console.log(`${names.length} trials on ${agent}: ${problems} problems`);
  return problems === 0 ? 0 : 1;
}

async function problemOf(trial: Trial, life: NodeLife): Promise<string | undefined> {
  try {
    await life.configure(await trial.settings(life));
    await trial.run(life);
    await life.clear();
    return undefined;
  } catch (error) {
    await life.clear().catch(() => undefined); // the problem itself is reported
    return (error as Error).message;
  }
}
