import { CryptoRandom, formatWithStack, LineLogger, RealClock } from '../base/index.ts';
import { type Cluster, launchCluster as launchWith } from './cluster.ts';
import type { ClusterOptions } from './cluster-options.ts';
import type { ControlPlane } from './control-plane.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { startControlPlane as startWith } from './start-control-plane.ts';

type Defaulted = 'name' | 'storage' | 'serviceCidrs' | 'runtimeConfig' | 'clock' | 'random' | 'log' | 'signal';

/**
 * The same options, of which a program may leave out those with defaults: name `keelson`, a store in memory, Services in 10.96.0.0/16,
 * the API versions of Kubernetes, the machine's clock and random source, warnings on the standard error, and no signal.
 */
export type InProgram<Options extends ControlPlaneOptions> = Omit<Options, Defaulted> &
  Partial<Pick<Options, Defaulted>>;

/**
 * Starts an API server inside this program; resolves when clients can come. Disposing of the result stops it.
 *
 * Example: `await using plane = await startControlPlane({ serving: { listen: { host: '127.0.0.1', port: 6443 } } });`
 */
export function startControlPlane(options: InProgram<ControlPlaneOptions> = {}): Promise<ControlPlane> {
  return startWith({ ...defaults(options), ...options });
}

/**
 * Starts a whole cluster inside this program: API server, controllers, scheduler and nodes, in real time. Disposing of the result stops
 * all of them. For tests there is `startCluster` of `keelson/testing`.
 *
 * Example: `await using cluster = await launchCluster({ nodes: 3 });`
 */
export function launchCluster(options: InProgram<ClusterOptions> = {}): Promise<Cluster> {
  return launchWith({ ...defaults(options), ...options });
}

function defaults({ clock = new RealClock() }: Partial<ControlPlaneOptions>): Pick<ControlPlaneOptions, Defaulted> {
  return {
    name: 'keelson',
    storage: { type: 'memory' },
    serviceCidrs: ['10.96.0.0/16'],
    runtimeConfig: new Map(),
    clock,
    random: new CryptoRandom(),
    log: new LineLogger({
      clock,
      level: 'warn',
      format: formatWithStack,
      write: (line) => process.stderr.write(line),
    }),
    signal: new AbortController().signal,
  };
}
