// A storage driver of other people on a simulated node of our cluster, with the parts of `keelson csi-controller` inside, then judged by the
// rules of `keelson conform csi`.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RealClock } from '../../../src/base/index.ts';
import { csiSuite } from '../../../src/conform/csi/csi-suite.ts';
import { runSuite } from '../../../src/conform/index.ts';
import { kubeconfigText, launchCluster } from '../../../src/cluster/published.ts';
import { csiDriversIn } from '../../../src/csi/index.ts';
import { simulatedBackend } from '../../../src/simulated/index.ts';
import { eventually } from '../../real-node/eventually.ts';
import { DriverProcess, hostPathDriver } from '../../storage/driver-process.ts';
import { Kubectl } from '../../storage/kubectl.ts';
import { volumeLife } from '../../storage/volume-life.ts';

const NODE = 'keelson';
const READY_LIMIT_MS = 60_000;
const CASE_LIMIT_MS = 60_000;

export interface DriverPrograms {
  readonly hostpathplugin: string;
  readonly kubectl: string;
}

/** Runs the host path driver on a simulated node, and returns the number of problems. */
export async function driveHostPath({ hostpathplugin, kubectl }: DriverPrograms): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-interop-drivers-'));
  const driver = hostPathDriver(hostpathplugin);
  try {
    const nodes = join(folder, 'nodes');
    await using process = await DriverProcess.start(driver, { root: join(nodes, NODE), node: NODE, folder });
    await using cluster = await launchCluster({
      nodeBackend: simulatedBackend({ volumeDrivers: csiDriversIn({ folder: nodes }) }),
      csiDrivers: [process.socket],
      serving: { listen: { host: '127.0.0.1', port: 0 } },
    });
    await cluster.nodesReady(AbortSignal.timeout(READY_LIMIT_MS));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigText(cluster.plane.access), { mode: 0o600 });
    await using client = cluster.plane.client({ user: 'admin', groups: ['system:masters'] });
    await client.storage.v1.csidrivers.create({
      metadata: { name: driver.name },
      spec: { volumeLifecycleModes: ['Persistent', 'Ephemeral'], podInfoOnMount: true, fsGroupPolicy: 'File' },
    });
    await eventually(
      async () => {
        const { spec } = await client.storage.v1.csinodes.get(NODE);
        if (!spec.drivers.some(({ name }) => name === driver.name)) throw new Error('the node does not know it');
        await client.apiextensions.v1.customresourcedefinitions.get('volumesnapshots.snapshot.storage.k8s.io');
      },
      { what: 'the registration of the driver', limitMs: READY_LIMIT_MS, daemons: [process.daemon] },
    );
    await volumeLife({
      client,
      kubectl: new Kubectl(kubectl, kubeconfig),
      driver: driver.name,
      image: 'busybox',
      hasBlock: false,
      hasInline: true,
      restartDriver: () => process.restart(),
      print: (line) => console.log(`ok   hostpath on a simulated node: ${line}`),
    });
    const left = (await readdir(process.data)).filter((name) => name !== 'state.json');
    if (left.length > 0) throw new Error(`the driver still has ${left.join(', ')}`);
    return 0;
  } catch (error) {
    console.log(`FAIL hostpath on a simulated node: ${(error as Error).message}`);
    return 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Rules of `keelson conform csi` that version 1.7.2 of the driver is known to break, and how. */
const BROKEN_RULES: Readonly<Record<string, string>> = {
  'required-fields': 'ControllerGetVolume without an id answers NOT_FOUND',
  'size-impossible': 'a size that must be at least more than at most is accepted',
  'list-pages': 'most volumes are on no page',
  'list-bad-request': 'a page of -1 entries is accepted',
  'snapshot-again': 'ListSnapshots shows one of five snapshots',
  'snapshot-pages': 'most snapshots are on no page',
  'attached-is-kept': 'a volume that is attached is deleted',
  'restart-unpublish': 'it forgets what it has published when it is killed',
};

/**
 * Rules whose outcome depends on the moment of a kill: the driver overwrites its file of state in place, a kill may leave half of it, and then it
 * never starts again.
 */
const BY_CHANCE = new Set(['killed-create', 'killed-delete', 'killed-publish']);

/** Judges the host path driver by the rules of `keelson conform csi`, started and killed by the suite; returns the number of surprises. */
export async function judgeHostPath({ hostpathplugin }: DriverPrograms): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-interop-judged-'));
  try {
    const data = join(folder, 'data');
    await mkdir(data);
    const flags = ['--endpoint={endpoint}', '--nodeid=node-1', `--statedir=${data}`, '--enable-attach'];
    const suite = csiSuite({
      driver: { type: 'command', command: [hostpathplugin, ...flags] },
      parameters: new Map(),
      mutableParameters: new Map(),
      secrets: new Map(),
      bytes: 16 * 1024 ** 2,
      concurrency: 5,
      stateFolders: [data],
      canMount: true,
      environment: process.env,
    });
    const clock = new RealClock();
    const { signal } = new AbortController();
    const { cases } = await runSuite(suite, {
      ...{ subject: 'hostpath', clock, signal, limitMs: CASE_LIMIT_MS },
      isWanted: (name) => !BY_CHANCE.has(name),
    });
    let surprises = 0;
    for (const { name, outcome } of cases) {
      const isKnown = BROKEN_RULES[name] !== undefined;
      if ((outcome.type === 'failed') === isKnown) continue;
      surprises += 1;
      console.log(`FAIL hostpath, rule ${name}: ${outcome.type === 'failed' ? outcome.message : 'it is kept now'}`);
    }
    const count = (type: string): number => cases.filter(({ outcome }) => outcome.type === type).length;
    console.log(
      `${surprises === 0 ? 'ok  ' : 'FAIL'} hostpath: ${count('passed')} of ${cases.length} rules kept, ${count('failed')} broken, ${count('skipped')} about what it does not do`,
    );
    return surprises;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
