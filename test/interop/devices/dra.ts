// Kubernetes' example of a DRA driver: by the suite of `keelson conform dra`, and on a simulated node.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { podLog } from 'keelson/client';
import { startCluster } from 'keelson/testing';
import { RealClock } from '../../../src/base/index.ts';
import { openConformCluster } from '../../../src/cli/conform-cluster.ts';
import { draSuite } from '../../../src/conform/dra/dra-suite.ts';
import { caseText, runSuite, summaryText } from '../../../src/conform/index.ts';

const LIMIT_MS = 180_000;
/** The shell of simulated containers has no `env`. */
const SHOW_CARDS = Array.from({ length: 8 }, (_, index) => `echo GPU_DEVICE_${index}=$GPU_DEVICE_${index}`).join('; ');
const clock = new RealClock();
const print = (text: string): void => void process.stdout.write(`${text}\n`);

function flagsOf(places: {
  readonly registry: string;
  readonly plugins: string;
  readonly cdi: string;
  readonly kubeconfig: string;
  readonly node: string;
}): readonly string[] {
  return [
    ...['--node-name', places.node, '--cdi-root', places.cdi, '--kubeconfig', places.kubeconfig],
    ...['--kubelet-registrar-directory-path', places.registry, '--kubelet-plugins-directory-path', places.plugins],
    ...['--num-devices', '8'],
  ];
}

/**
 * Rules that the example driver is known to break; each has to be broken, and no other: Kubernetes' library for drivers refuses a whole call for one
 * claim that is not there, and the driver does not look whether another claim has the device.
 */
const KNOWN_FAILURES: readonly string[] = ['prepare-taken', 'prepare-unknown'];

export async function judgeDraDriver(program: string): Promise<boolean> {
  const places = {
    registry: '{registry}',
    plugins: '{plugins}',
    cdi: '{cdi}',
    kubeconfig: '{kubeconfig}',
    node: '{node}',
  };
  const suite = draSuite({
    ...{ command: [program, ...flagsOf(places)], withinMs: 60_000, breakDevice: undefined, repairDevice: undefined },
    environment: process.env,
    openCluster: openConformCluster,
  });
  const report = await runSuite(suite, {
    ...{ subject: program, clock, signal: new AbortController().signal, limitMs: LIMIT_MS },
    onCase: (each) => print(caseText(each)),
  });
  print(summaryText(report));
  const failed = report.cases.filter(({ outcome }) => outcome.type === 'failed').map(({ name }) => name);
  return failed.toSorted().join() === KNOWN_FAILURES.toSorted().join();
}

/** Two pods with a card each, one with a claim that they share, an end of the driver, and its return. */
export async function runDraDriver(program: string): Promise<boolean> {
  const pluginDir = await mkdtemp(join(tmpdir(), 'dra-node-'));
  await using cluster = await startCluster({ pluginDir });
  const { client } = cluster;
  const cdi = join(pluginDir, 'cdi');
  const args = flagsOf({
    ...{ registry: join(pluginDir, 'plugins_registry'), plugins: join(pluginDir, 'plugins'), cdi },
    ...{ kubeconfig: await cluster.kubeconfig(), node: 'keelson' },
  });
  const start = (): ReturnType<typeof spawn> => spawn(program, args, { stdio: 'ignore' });
  let driver = start();
  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    const endMs = clock.monotonic() + LIMIT_MS;
    for (;;) {
      await cluster.clock.advance('1s');
      await cluster.settle();
      if (await holds()) return print(`ok    ${what}`);
      if (clock.monotonic() > endMs) throw new Error(`Not within ${LIMIT_MS} ms: ${what}`);
      await clock.sleep(50);
    }
  };
  const slices = async (): Promise<number> => (await client.resource.v1.resourceslices.list()).items.length;
  const pods = client.core.v1.pods.namespace('default');
  const claims = client.resource.v1.resourceclaims.namespace('default');
  try {
    await until('the driver has published its devices', async () => (await slices()) === 1);
    await client.resource.v1.deviceclasses.create({
      metadata: { name: 'gpu' },
      spec: { selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }] },
    });
    for (const name of ['own', 'shared'])
      await claims.create({
        metadata: { name },
        spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } },
      });
    const create = (name: string, ...names: readonly string[]): Promise<unknown> =>
      pods.create({
        metadata: { name },
        spec: {
          resourceClaims: names.map((each) => ({ name: each, resourceClaimName: each })),
          containers: [
            {
              ...{ name: 'main', image: 'busybox', command: ['sh', '-c', `${SHOW_CARDS}; sleep 36000`] },
              resources: { claims: names.map((each) => ({ name: each })) },
            },
          ],
        },
      });
    await create('first', 'own', 'shared');
    await create('second', 'shared');
    const gpusOf = async (name: string): Promise<readonly string[]> => {
      let log = '';
      try {
        for await (const text of podLog(pods, name)) log += text;
      } catch {
        return []; // its container does not run yet
      }
      return [...log.matchAll(/^GPU_DEVICE_\d+=(\S+)$/gm)].map(([, gpu = '']) => gpu).toSorted();
    };
    await until('the first pod has two cards', async () => (await gpusOf('first')).length === 2);
    const [shared = ''] = await (async () => {
      await until('the second pod has one', async () => (await gpusOf('second')).length === 1);
      return gpusOf('second');
    })();
    await until('the shared card is the same in both', async () => (await gpusOf('first')).includes(shared));
    const files = async (): Promise<number> => (await readdir(cdi)).length;
    const before = await files();
    await pods.delete('first');
    await until('the CDI file of its own claim goes with the first pod', async () => (await files()) === before - 1);
    driver.kill('SIGKILL');
    await until('the slices of a driver that was killed are removed', async () => (await slices()) === 0);
    await pods.delete('second', { gracePeriodSeconds: 0 });
    driver = start();
    await until('they are back when it is started', async () => (await slices()) === 1);
    await until(
      'the claim of the pod that has ended meanwhile is unprepared',
      async () => (await files()) === before - 2,
    );
    return true;
  } finally {
    driver.kill('SIGKILL');
    await new Promise((resolve) =>
      driver.exitCode === null && driver.signalCode === null ? driver.once('exit', resolve) : resolve(0),
    );
    await rm(pluginDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
