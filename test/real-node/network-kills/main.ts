// npm run network:kills [-- --node keelson|kubelet --proxy … --dns … --policy … --mode up --nodes 2 --kills 30 --seed S]: kills the parts of
// a real node's network (proxy, name server, policy enforcer) and its agent, while pods talk to Services by name and by address over TCP and
// UDP, and policies forbid some pairs. Ends with 1 when a call got a wrong answer, a forbidden call got through, a call failed that nothing
// explains, a connection was cut, or a rule of the packet filter or anything of the pods is left at the end.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  clusterFlags,
  isInNamespaces,
  readCluster,
  runInNamespaces,
  startRealCluster,
  whyNoRealNode,
} from '../index.ts';
import { KillRun } from './kill-run.ts';

const { values } = parseArgs({
  options: {
    ...clusterFlags,
    kills: { type: 'string', default: '30' },
    seed: { type: 'string', default: 'network' },
    logs: { type: 'string', default: join('.keelson', 'network-kills-logs') },
  },
});
const LIMIT_MS = 45 * 60_000;

process.exitCode = await main();

async function main(): Promise<number> {
  const parts = readCluster({ node: 'keelson', ...values });
  const reason = isInNamespaces() ? undefined : whyNoRealNode(parts.agent, parts.network);
  if (reason !== undefined) {
    console.log(`the kills are left out: ${reason}`);
    return 0;
  }
  const code = await runInNamespaces({ limitMs: LIMIT_MS, print: console.error, logs: resolve(values.logs) });
  if (code !== undefined) return code;
  await using cluster = await startRealCluster({ ...parts, print: console.error });
  const problems = await new KillRun(cluster, parts, { seed: values.seed }).run(Number(values.kills));
  for (const problem of problems) console.log(`PROBLEM ${problem}`);
  console.log(`${values.kills} kills, seed ${values.seed}: ${problems.length} problems`);
  return problems.length === 0 ? 0 : 1;
}
