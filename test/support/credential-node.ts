// A node in memory that asks credential providers, which are programs of this machine.
import { settle } from '../../src/base/index.ts';
import { nodeAgent } from '../../src/node/index.ts';
import { MemoryMachine } from '../../src/node/testing/memory-backend.ts';
import { NodeCluster } from '../../src/node/testing/node-cluster.ts';
import { readCredentialProviders } from '../../src/cluster/programs/machine-node/credential-providers.ts';

export interface CredentialNodeOptions {
  /** Where the programs are. */
  readonly folder: string;
  /** A CredentialProviderConfig. */
  readonly configuration: string;
}

/** What an image was pulled with; empty for no credentials. */
export interface PulledWith {
  readonly username?: string;
  readonly password?: string;
}

export class CredentialNode implements AsyncDisposable {
  readonly cluster: NodeCluster;
  readonly #pulls: ReadonlyMap<string, PulledWith>;
  #pods = 0;

  static async start({ folder, configuration }: CredentialNodeOptions): Promise<CredentialNode> {
    const environment = { PATH: process.env['PATH'] ?? '' };
    const plugins = readCredentialProviders(configuration, { folder, environment });
    const machine = new MemoryMachine();
    const pulls = new Map<string, PulledWith>();
    machine.images.pulling = async ({ image }, { auth }) => {
      const { username, password } = auth ?? {};
      pulls.set(image.replace(/:latest$/, ''), username === undefined ? {} : { username, password: password ?? '' });
    };
    const backend = nodeAgent({ backend: machine.open, images: { plugins } });
    return new CredentialNode(await NodeCluster.start(backend), pulls);
  }

  private constructor(cluster: NodeCluster, pulls: ReadonlyMap<string, PulledWith>) {
    this.cluster = cluster;
    this.#pulls = pulls;
  }

  async addAccount(name: string): Promise<void> {
    await this.cluster.client.core.v1.serviceaccounts.namespace('default').create({ metadata: { name } });
  }

  /** Runs a pod of the account with this image. The provider is a process: its time is real. */
  async pull(image: string, serviceAccountName: string): Promise<PulledWith> {
    const containers = [{ name: 'web', image, imagePullPolicy: 'Always' as const }];
    await this.cluster.run({ metadata: { name: `web-${this.#pods++}` }, spec: { serviceAccountName, containers } });
    for (;;) {
      const found = this.#pulls.get(image);
      if (found !== undefined) return found;
      await new Promise((resolve) => void setImmediate(resolve));
      await settle();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
  }
}
