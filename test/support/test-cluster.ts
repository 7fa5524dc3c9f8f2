import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseRuntimeConfig } from '../../src/api/index.ts';
import { CryptoRandom, LineLogger, RealClock } from '../../src/base/index.ts';
import type { Clock } from '../../src/base/index.ts';
import { kubeconfigText, startControlPlane } from '../../src/cluster/index.ts';
import type { ControlPlane, ControlPlaneOptions } from '../../src/cluster/index.ts';

/** A control plane on a free port for one test, with a kubeconfig in its own folder. */
export interface TestCluster extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly folder: string;
  readonly kubeconfig: string;
  readonly clock: Clock;
  /** What the server logged at warning level or above. */
  readonly problems: readonly string[];
}

export async function startTestCluster(overrides: Partial<ControlPlaneOptions> = {}): Promise<TestCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-test-'));
  const stop = new AbortController();
  const problems: string[] = [];
  const clock = overrides.clock ?? new RealClock();
  const plane = await startControlPlane({
    name: 'test',
    storage: { type: 'memory' },
    runtimeConfig: parseRuntimeConfig(),
    serviceCidrs: ['10.96.0.0/16'],
    random: new CryptoRandom(),
    log: new LineLogger({ clock, level: 'warn', write: (line) => problems.push(line) }),
    signal: stop.signal,
    ...overrides,
    serving: { listen: { host: '127.0.0.1', port: 0 }, ...overrides.serving },
    admission: { disable: ['ServiceAccount'], ...overrides.admission }, // no controller makes accounts
    clock,
  });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText(plane.access), { mode: 0o600 });
  return {
    plane,
    folder,
    kubeconfig,
    clock,
    problems,
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort();
      await plane[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
