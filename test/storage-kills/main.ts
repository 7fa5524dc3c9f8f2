// npm run storage:kills [-- --kills 200 --claims 6 --seed S]: kills the driver, the nodes, `keelson csi-controller` and `keelson up`, all of
// them processes, while pods with volumes come and go on two simulated nodes. Ends with 1 when a volume was in use on two nodes, a call
// came in the wrong order, something that a pod wrote is lost, or anything of the volumes is left after all of them are gone.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Daemon, type RunningServer, startKeelson } from '../../peers/index.ts';
import { SeededRandom } from '../../src/base/index.ts';
import { type Client, connect } from '../../src/client/index.ts';
import { eventually } from '../real-node/eventually.ts';
import { DRIVER_NAME } from './names.ts';
import { Workload } from './workload.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    claims: { type: 'string', default: '6' },
    seed: { type: 'string', default: 'kills' },
  },
});
const NODES = ['node-1', 'node-2'] as const;
/** Longer than the longest delay between two tries of a controller, which is five minutes. */
const SETTLE_MS = 330_000;
const MAX_PAUSE_MS = 2500;
/** A server that dies several times soon after its start comes up without its programs, on purpose: each one lives this long after it was ready. */
const SERVER_LIFE_MS = 70_000;
const ROOT = join(import.meta.dirname, '..', '..');

/** The processes, each with what starts it again. */
class Processes implements AsyncDisposable {
  readonly #starts = new Map<string, () => Daemon>();
  readonly #running = new Map<string, Daemon>();

  add(name: string, start: () => Daemon): void {
    this.#starts.set(name, start);
    this.#running.set(name, start());
  }

  get names(): readonly string[] {
    return [...this.#starts.keys()];
  }

  /** Kills a process and starts it again. */
  async strike(name: string): Promise<void> {
    const daemon = this.#running.get(name);
    if (daemon !== undefined && daemon.failure === undefined) process.kill(daemon.pid, 'SIGKILL');
    await daemon?.stop();
    const start = this.#starts.get(name);
    if (start !== undefined) this.#running.set(name, start());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const daemon of [...this.#running.values()].toReversed()) await daemon.stop();
  }
}

process.exitCode = await main();

async function main(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-storage-kills-'));
  const bundle = join(ROOT, 'dist', 'keelson.js');
  let problems: readonly string[] = [];
  try {
    await using server = await startKeelson({ folder: join(folder, 'server'), bundle, flags: ['--nodes=0'] });
    await using processes = new Processes();
    startAll(processes, { folder, bundle, server });
    await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'storage-kills' });
    problems = await kill(client, { folder, processes, server });
  } finally {
    if (problems.length === 0) await rm(folder, { recursive: true, force: true });
    else console.log(`logs and state are in ${folder}`);
  }
  for (const problem of problems) console.log(`PROBLEM ${problem}`);
  console.log(`${values.kills} kills, ${values.claims} claims, seed ${values.seed}: ${problems.length} problems`);
  return problems.length === 0 ? 0 : 1;
}

interface Place {
  readonly folder: string;
  readonly server: RunningServer;
}

function startAll(processes: Processes, { folder, bundle, server }: Place & { readonly bundle: string }): void {
  const add = (name: string, args: readonly string[]): void =>
    processes.add(
      name,
      () => new Daemon(process.execPath, args, { logPath: join(folder, `${name.replaceAll(' ', '-')}.log`) }),
    );
  const program = (file: string): string[] => [join(ROOT, 'scripts', 'run.mjs'), join(import.meta.dirname, file)];
  const state = join(folder, 'driver');
  const socket = join(folder, 'controller.sock');
  add('driver', [...program('driver-program.ts'), state, socket, 'controller']);
  for (const node of NODES) {
    const registry = join(folder, 'nodes', node, 'plugins_registry');
    add(`driver of ${node}`, [...program('driver-program.ts'), state, join(folder, `${node}.sock`), node, registry]);
  }
  add('nodes', [...program('nodes-program.ts'), server.kubeconfig, join(folder, 'nodes'), ...NODES]);
  add('csi-controller', [
    ...[bundle, 'csi-controller', `--kubeconfig=${server.kubeconfig}`, `--csi-address=${socket}`],
    ...['--retry-interval-max=2s', '--timeout=5s', '--snapshot-controller=false', '--install-snapshot-crds=false'],
  ]);
}

async function kill(
  client: Client,
  { folder, processes, server }: Place & { readonly processes: Processes },
): Promise<readonly string[]> {
  const random = new SeededRandom(values.seed);
  const workload = new Workload(client, { random, nodes: NODES });
  await workload.start(Number(values.claims));
  await workload.startAll();
  await holds('pods run', () => workload.waiting());
  console.error('pods run');
  const kills = new Map<string, number>();
  let serverStartedMs = performance.now();
  for (let count = 0; count < Number(values.kills); count++) {
    for (let steps = 1 + Math.floor(random.float() * 3); steps > 0; steps--) await workload.step();
    await sleep(random.float() * MAX_PAUSE_MS);
    const isServerOld = performance.now() - serverStartedMs > SERVER_LIFE_MS;
    const targets = [...processes.names, ...(isServerOld ? ['server', 'server'] : [])];
    const target = targets[Math.floor(random.float() * targets.length)] ?? 'driver';
    if (target === 'server') {
      await server.restartKilled?.();
      serverStartedMs = performance.now();
    } else await processes.strike(target);
    kills.set(target, (kills.get(target) ?? 0) + 1);
    if (count % 20 === 19) console.error(`${count + 1} kills`);
  }
  console.error(`killed: ${JSON.stringify(Object.fromEntries(kills))}`);
  return await judge(client, workload, folder);
}

/** What is wrong, when nothing is killed any more. */
async function judge(client: Client, workload: Workload, folder: string): Promise<readonly string[]> {
  const problems: string[] = [];
  const wait = async (what: string, check: () => Promise<string | undefined>): Promise<void> => {
    await holds(what, check).catch((error: unknown) => void problems.push(String(error)));
  };
  const state = join(folder, 'driver');
  await wait('all claims have a running pod', async () => {
    await workload.startAll();
    return await workload.waiting();
  });
  problems.push(...(await workload.lost(join(state, 'data'))));
  await workload.deletePods();
  await wait('no volume is attached, staged or published', async () => {
    const { items } = await client.storage.v1.volumeattachments.list();
    if (items.length > 0) return `${items.length} volumes are attached`;
    for (const what of ['attached', 'staged', 'published'])
      for (const name of await readdir(join(state, what))) return `${name} is ${what}`;
    for (const node of NODES) {
      const staged = await names(join(folder, 'nodes', node, 'plugins/kubernetes.io/csi', DRIVER_NAME));
      const pods = await names(join(folder, 'nodes', node, 'pods'));
      if (staged.length + pods.length > 0) return `${node} has ${[...staged, ...pods].join(', ')}`;
    }
    return undefined;
  });
  await workload.deleteClaims();
  await wait('no volume is left', async () => {
    const { items } = await client.core.v1.persistentvolumes.list();
    const [volume] = items;
    if (volume !== undefined) return `volume ${volume.metadata.name} is ${volume.status?.phase}`;
    const left = [...(await names(join(state, 'data'))), ...(await names(join(state, 'records', 'volumes')))];
    return left.length === 0 ? undefined : `the driver has ${left.join(', ')}`;
  });
  const noted = await readFile(join(state, 'problems'), 'utf8').catch(() => '');
  return [...problems, ...noted.split('\n').filter((line) => line !== '')];
}

async function names(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
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
