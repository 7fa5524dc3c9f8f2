import type { Clock, Logger, Random } from '../../base/index.ts';
import { type ClusterConnection, findConnection } from '../../client/index.ts';
import { extenderBy } from '../../scheduler/index.ts';
import { startCluster, type TestCluster } from '../../testing/index.ts';
import { HeldWrites } from './held-writes.ts';
import { desks, learnApps } from './learn-apps.ts';
import { SlowMotion } from './slow-motion.ts';

export interface LearnOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** A cluster in virtual time with the programs of the walks. Disposing of it stops it. */
export class LearnCluster implements AsyncDisposable {
  readonly time: SlowMotion;
  readonly kubeconfig: string;
  readonly connection: ClusterConnection;
  readonly #cluster: TestCluster;
  readonly #stop = new AbortController();
  readonly #passing: Promise<void>;

  private constructor(
    cluster: TestCluster,
    time: SlowMotion,
    { kubeconfig, connection }: Pick<LearnCluster, 'kubeconfig' | 'connection'>,
  ) {
    this.#cluster = cluster;
    this.time = time;
    this.kubeconfig = kubeconfig;
    this.connection = connection;
    this.#passing = time.run(this.#stop.signal);
  }

  static async start({ clock, log, signal }: LearnOptions): Promise<LearnCluster> {
    const writes = new HeldWrites();
    const cluster = await startCluster({
      nodes: 2,
      scheduler: { extenders: [extenderBy(desks)] },
      wrapTransport: (transport, { identity }) => writes.wrap(transport, identity),
      signal,
    });
    for (const app of learnApps()) await cluster.run(app);
    const kubeconfig = await cluster.kubeconfig();
    const connection = await findConnection({ kubeconfig, environment: {}, clock });
    const time = new SlowMotion({ virtual: cluster.clock, real: clock, writes, client: cluster.client, log });
    return new LearnCluster(cluster, time, { kubeconfig, connection });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#passing;
    await this.#cluster[Symbol.asyncDispose]();
  }
}
