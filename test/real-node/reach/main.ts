// npm run network:reach [-- --node … --mode up --nodes 2 --apart]: the API server reaches what pods of real nodes serve: a webhook, an
// aggregated API, proxies of Services and pods; with --apart from a machine that is no node, while it has a route to the pods and after it
// has lost it; with two nodes pods reach each other.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findPeers, runProgram } from '../../../peers/index.ts';
import { type Client, connect } from '../../../src/client/index.ts';
import { eventually } from '../eventually.ts';
import {
  clusterFlags,
  isInNamespaces,
  type RealCluster,
  readCluster,
  runInNamespaces,
  startRealCluster,
  whyNoRealNode,
} from '../index.ts';
import { room } from '../namespaces.ts';
import { acrossNodes } from './across-nodes.ts';
import { NAMESPACE, ReachedPods } from './reached-pods.ts';

const { values } = parseArgs({
  options: {
    ...clusterFlags,
    apart: { type: 'boolean', default: false },
    logs: { type: 'string', default: join('.keelson', 'reach-logs') },
  },
});
const LIMIT_MS = 20 * 60_000;
const CHECK_LIMIT_MS = 120_000;
const RAW = `/api/v1/namespaces/${NAMESPACE}`;
const DENIAL = 'this webhook denies all requests';

interface Check {
  readonly name: string;
  /** Throws what is wrong. */
  run(): Promise<void>;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const parts = readCluster(values);
  const kubectl = findPeers(['kubectl']);
  if (kubectl.paths === undefined) return leftOut(kubectl.reason);
  const reason = isInNamespaces() ? undefined : whyNoRealNode(parts.agent, parts.network);
  if (reason !== undefined) return leftOut(reason);
  const code = await runInNamespaces({ limitMs: LIMIT_MS, print: console.error, logs: resolve(values.logs) });
  if (code !== undefined) return code;
  await using cluster = await startRealCluster({ ...parts, isServerApart: values.apart, print: console.error });
  await using client = await connect({ kubeconfig: cluster.server.kubeconfig });
  const pods = await ReachedPods.create(client, cluster.server, room());
  const getRaw = (path: string): Promise<string> =>
    runProgram([kubectl.paths.kubectl, '--kubeconfig', cluster.server.kubeconfig, 'get', '--raw', path]);
  const checks = [
    ...reaching(client, { pods, getRaw }),
    ...(values.apart ? withoutRoute(client, { cluster, getRaw }) : []),
    ...(parts.nodes > 1 ? [acrossNodes(client, cluster)] : []),
  ];
  let failures = 0;
  for (const { name, run } of checks) {
    const problem = await run().then(
      () => undefined,
      (error: Error) => error.message,
    );
    console.log(problem === undefined ? `ok: ${name}` : `FAILED: ${name}: ${problem}`);
    if (problem !== undefined) failures++;
  }
  console.log(`${checks.length - failures} of ${checks.length} checks pass`);
  return failures === 0 ? 0 : 1;
}

function leftOut(reason: string): number {
  console.log(`the checks are left out: ${reason}`);
  return 0;
}

interface Means {
  readonly pods: ReachedPods;
  readonly getRaw: (path: string) => Promise<string>;
}

function reaching(client: Client, { pods, getRaw }: Means): readonly Check[] {
  return [
    {
      name: 'kubectl get --raw reaches a Service and a pod through the proxy',
      run: async () => {
        for (const path of ['services/web:80', 'services/web', 'pods/web:8080'])
          await settles(async () => equals(await getRaw(`${RAW}/${path}/proxy/hostname`), 'web'));
      },
    },
    {
      name: 'a webhook in a pod denies a write',
      run: async () => {
        await pods.registerWebhook();
        await settles(async () => contains(await refusalOf(client), DENIAL));
      },
    },
    {
      name: 'an API server in a pod serves its kinds',
      run: async () => {
        await pods.registerApi();
        const path = '/apis/wardle.example.com/v1alpha1/namespaces/default/flunders';
        await settles(async () => contains(await getRaw(path), '"kind":"FlunderList"'));
      },
    },
  ];
}

/** Takes the machine's routes away and brings them back. */
function withoutRoute(
  client: Client,
  { cluster, getRaw }: { cluster: RealCluster } & Pick<Means, 'getRaw'>,
): readonly Check[] {
  const [node = cluster.node] = cluster.nodes;
  const { podRange, address } = node.layout;
  const problem = `network is unreachable: it is the address of pod "${NAMESPACE}/`;
  const reason = `on node "${node.name}", and this API server has no route to the network of its pods`;
  return [
    {
      name: 'pods that no route leads to are refused with the reason',
      run: async () => {
        await runProgram(['ip', 'route', 'del', podRange, 'via', address]);
        await runProgram(['ip', 'route', 'del', 'default']);
        await settles(async () => {
          const refusal = await refusalOf(client);
          contains(refusal, `${problem}hook" ${reason}`);
        });
        const refused = await getRaw(`${RAW}/services/web:80/proxy/hostname`).catch((error: Error) => error.message);
        contains(refused, `${problem}web" ${reason}`);
      },
    },
    {
      name: 'they are reached again once there is a route',
      run: async () => {
        await runProgram(['ip', 'route', 'add', podRange, 'via', address]);
        await settles(async () => contains(await refusalOf(client), DENIAL));
        equals(await getRaw(`${RAW}/services/web:80/proxy/hostname`), 'web');
      },
    },
  ];
}

/** The error of a write that the webhook is asked about; empty when nothing was wrong. */
async function refusalOf(client: Client): Promise<string> {
  const maps = client.core.v1.configmaps.namespace(NAMESPACE);
  return maps.create({ metadata: { generateName: 'asked-' } }).then(
    () => '',
    (error: Error) => error.message,
  );
}

async function settles(attempt: () => Promise<void>): Promise<void> {
  await eventually(attempt, { what: 'the answer', limitMs: CHECK_LIMIT_MS });
}

function equals(got: string, wanted: string): void {
  if (got.trim() !== wanted) throw new Error(`should be "${wanted}", got "${got}"`);
}

function contains(got: string, wanted: string): void {
  if (!got.includes(wanted)) throw new Error(`should contain "${wanted}", got "${got.slice(0, 500)}"`);
}
