import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CryptoRandom, LineLogger, RealClock } from '../base/index.ts';
import type { SuiteCluster } from '../conform/index.ts';

/** An API server in memory, on a port of this machine, for the extension that is judged. */
export async function openConformCluster(signal: AbortSignal): Promise<SuiteCluster> {
  const { kubeconfigText, launchCluster } = await import('../cluster/index.ts');
  const { parseRuntimeConfig } = await import('../api/index.ts');
  const clock = new RealClock();
  const cluster = await launchCluster({
    name: 'conform',
    storage: { type: 'memory' },
    serving: { listen: { host: '127.0.0.1', port: 0 } },
    runtimeConfig: parseRuntimeConfig(),
    serviceCidrs: ['10.96.0.0/16'],
    controllers: false, // claims stay as the suite has them
    scheduler: false,
    nodes: 0,
    ...{ clock, random: new CryptoRandom(), signal },
    log: new LineLogger({ clock, level: 'error', write: () => undefined }),
  });
  const folder = await mkdtemp(join(tmpdir(), 'keelson-conform-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText(cluster.plane.access), { mode: 0o600 });
  return {
    client: cluster.plane.client({ user: 'conform', groups: ['system:masters'] }),
    kubeconfig,
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
