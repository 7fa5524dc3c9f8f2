// In a process of its own: a Deployment of many pods on many nodes until all of them run. Prints one line of JSON.
import { Session } from 'node:inspector/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { CryptoRandom, discardLogger, RealClock } from '../../src/base/index.ts';
import { startCluster } from '../../src/cluster/index.ts';

const { values: flags } = parseArgs({
  options: {
    pods: { type: 'string', default: '10000' },
    nodes: { type: 'string', default: '100' },
    profile: { type: 'boolean', default: false },
  },
});
setFlagsFromString('--heap-growing-percent=60'); // as the command line does
const replicas = Number(flags.pods);
const clock = new RealClock();
setInterval(() => undefined, 60_000); // our clock's timers alone do not keep a process alive
const stop = new AbortController();
await using cluster = await startCluster({
  name: 'bench',
  storage: { type: 'memory' },
  runtimeConfig: new Map(),
  serviceCidrs: ['10.96.0.0/16'],
  nodes: Number(flags.nodes),
  clock,
  random: new CryptoRandom(),
  log: discardLogger,
  signal: stop.signal,
});
await cluster.nodesReady(stop.signal);
const client = cluster.plane.client({ user: 'admin', groups: ['system:masters'] }, { userAgent: 'kubectl' });
const profiler = flags.profile ? await startProfile() : undefined;
const started = performance.now();
const before = process.cpuUsage();
const labels = { app: 'web' };
await client.apps.v1.deployments.namespace('default').create({
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
  },
});
for await (const event of client.apps.v1.deployments.namespace('default').watch({ signal: stop.signal })) {
  if (event.type === 'MODIFIED' && event.object.status?.readyReplicas === replicas) break;
}
const seconds = (performance.now() - started) / 1000;
const shares = await profiler?.();
const processorSeconds = process.cpuUsage(before).user / 1e6;
const rssMb = process.memoryUsage().rss / 2 ** 20;
const revision = Number((await client.core.v1.namespaces.list()).resourceVersion);
console.log(JSON.stringify({ seconds, processorSeconds, rssMb, revision, shares }));
stop.abort();
await cluster[Symbol.asyncDispose]();
process.exit(0);

/** Samples where the time goes; ends with the share of each folder of src/. */
async function startProfile(): Promise<() => Promise<Record<string, number>>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  return async () => {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    const names = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
    const shares: Record<string, number> = {};
    const deltas = profile.timeDeltas ?? [];
    let total = 0;
    for (const [index, id] of (profile.samples ?? []).entries()) {
      const frame = names.get(id);
      const spent = deltas[index] ?? 0;
      const name = `${frame?.functionName === '' ? '(anonymous)' : (frame?.functionName ?? '?')}:${frame?.lineNumber ?? 0}`;
      shares[name] = (shares[name] ?? 0) + spent;
      total += spent;
    }
    const top = Object.entries(shares)
      .sort((a, b) => b[1] - a[1])
      .slice(0, 40);
    return Object.fromEntries(top.map(([name, spent]) => [name, Number(((spent / total) * 100).toFixed(1))]));
  };
}
