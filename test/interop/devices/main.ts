// `npm run interop:devices [-- suite node dra dra-node]`: Kubernetes' sample device plugin by the suite of `keelson conform device-plugin`, and on a simulated
// node; the example DRA driver by `keelson conform dra`, and on a simulated node. The plugin knows no other folder than /var/lib/kubelet/device-plugins, so this runs in a mount namespace of its own.
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startCluster } from 'keelson/testing';
import { findPeer } from '../../../peers/index.ts';
import { RealClock } from '../../../src/base/index.ts';
import { devicePluginSuite } from '../../../src/conform/device-plugin/device-plugin-suite.ts';
import { judgeDraDriver, runDraDriver } from './dra.ts';
import { caseText, isConforming, runSuite, summaryText } from '../../../src/conform/index.ts';

const ROOT = '/var/lib/kubelet';
const FOLDER = `${ROOT}/device-plugins`;
const RESOURCE = 'example.com/resource';
const INSIDE = 'KEELSON_INTEROP_DEVICES';
const LIMIT_MS = 60_000;

const clock = new RealClock();
const print = (text: string): void => void process.stdout.write(`${text}\n`);

function runInNamespace(): number {
  print('in a mount namespace of its own');
  const script = `mount --make-rprivate / && mkdir -p ${ROOT} && mount -t tmpfs tmpfs ${ROOT} && exec "$@"`;
  const again = [process.execPath, 'scripts/run.mjs', 'test/interop/devices/main.ts', ...process.argv.slice(2)];
  const { status } = spawnSync('unshare', ['--mount', 'sh', '-c', script, 'sh', ...again], {
    stdio: 'inherit',
    cwd: join(import.meta.dirname, '..', '..', '..'),
    env: { ...process.env, [INSIDE]: '1' },
  });
  return status ?? 1;
}

async function judge(program: string): Promise<boolean> {
  const suite = devicePluginSuite({
    ...{ command: [program], folder: FOLDER, withinMs: 30_000, breakDevice: undefined, repairDevice: undefined },
    environment: process.env,
  });
  const report = await runSuite(suite, {
    ...{ subject: program, clock, signal: new AbortController().signal, limitMs: 2 * LIMIT_MS },
    onCase: (each) => print(caseText(each)),
  });
  print(summaryText(report));
  return isConforming(report, { isStrict: true });
}

/** A pod gets both devices of the plugin, a second one does not fit, and gets them when the first one is gone. */
async function runOnNode(program: string): Promise<boolean> {
  await using cluster = await startCluster({ pluginDir: ROOT });
  const plugin = spawn(program, { stdio: 'ignore', env: { ...process.env, PLUGIN_SOCK_DIR: FOLDER } });
  const pods = cluster.client.core.v1.pods.namespace('default');
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
  try {
    await until('the node counts the devices', async () => {
      const { status } = await cluster.client.core.v1.nodes.get('keelson');
      return status?.allocatable?.[RESOURCE] === '2';
    });
    const resources = { limits: { [RESOURCE]: '2' } };
    for (const name of ['first', 'second'])
      await pods.create({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'i', resources }] } });
    const devicesOf = async (name: string): Promise<string> => {
      const { status } = await pods.get(name);
      const given = status?.containerStatuses?.[0]?.allocatedResourcesStatus?.[0]?.resources ?? [];
      return status?.phase === 'Running' ? given.map(({ resourceID, health }) => `${resourceID} ${health}`).join() : '';
    };
    await until('the first pod has both', async () => (await devicesOf('first')) === 'Dev-1 Healthy,Dev-2 Healthy');
    await pods.delete('first'); // a pod deleted by force keeps its devices until its containers have stopped
    await until('then the second', async () => (await devicesOf('second')) === 'Dev-1 Healthy,Dev-2 Healthy');
    plugin.kill('SIGKILL');
    await until('no device is allocatable when the plugin was killed', async () => {
      const { status } = await cluster.client.core.v1.nodes.get('keelson');
      return status?.allocatable?.[RESOURCE] === '0' && status.capacity?.[RESOURCE] === '2';
    });
    return true;
  } finally {
    plugin.kill('SIGKILL');
    for (const id of ['Dev-1', 'Dev-2']) await rm(`/tmp/${id}`, { force: true }); // the sample's stand-ins of devices
  }
}

const isWanted = (part: string): boolean => process.argv.length === 2 || process.argv.includes(part);

async function tryDra(): Promise<boolean> {
  if (!isWanted('dra') && !isWanted('dra-node')) return true;
  const { path: program, reason } = findPeer('dra-example-kubeletplugin');
  if (program === undefined) {
    print(`the DRA driver is not tried: ${reason ?? ''}`);
    return false;
  }
  return (
    (!isWanted('dra') || (await judgeDraDriver(program))) && (!isWanted('dra-node') || (await runDraDriver(program)))
  );
}

async function main(): Promise<number> {
  if (process.env[INSIDE] === undefined && !(await tryDra())) return 1;
  if (!isWanted('suite') && !isWanted('node')) return 0;
  const { path: program, reason } = findPeer('image/sampledeviceplugin');
  if (program === undefined || process.platform !== 'linux' || process.getuid?.() !== 0) {
    print(`interop:devices does not run: ${reason ?? 'it needs Linux and root'}`);
    return 1;
  }
  if (process.env[INSIDE] === undefined) return runInNamespace();
  await mkdir(FOLDER, { recursive: true });
  const isOk = (!isWanted('suite') || (await judge(program))) && (!isWanted('node') || (await runOnNode(program)));
  print(isOk ? 'all as expected' : 'NOT as expected');
  return isOk ? 0 : 1;
}

process.exitCode = await main();
