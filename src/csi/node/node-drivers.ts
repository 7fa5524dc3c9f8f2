import type { Clock, Logger, Random } from '../../base/index.ts';
import { CsiNodeClient } from './node-client.ts';

export interface NodeDriversParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

interface KnownDriver {
  readonly endpoint: string;
  readonly version: readonly number[];
  readonly client: CsiNodeClient;
}

/** The CSI drivers that are registered on a node, by name. */
export class NodeDrivers implements AsyncDisposable {
  readonly #parts: NodeDriversParts;
  readonly #drivers = new Map<string, KnownDriver>();

  constructor(parts: NodeDriversParts) {
    this.#parts = parts;
  }

  /** Throws when the driver is not registered. */
  client(name: string): CsiNodeClient {
    const found = this.#drivers.get(name);
    if (found === undefined) throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
    return found.client;
  }

  has(name: string): boolean {
    return this.#drivers.has(name);
  }

  names(): readonly string[] {
    return [...this.#drivers.keys()];
  }

  version(name: string): readonly number[] | undefined {
    return this.#drivers.get(name)?.version;
  }

  async add(name: string, { endpoint, version }: Omit<KnownDriver, 'client'>): Promise<void> {
    const known = this.#drivers.get(name);
    this.#drivers.set(name, { endpoint, version, client: new CsiNodeClient({ endpoint, ...this.#parts }) });
    await known?.client[Symbol.asyncDispose]();
  }

  async remove(name: string): Promise<void> {
    const known = this.#drivers.get(name);
    this.#drivers.delete(name);
    await known?.client[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of this.#drivers.keys()) await this.remove(name);
  }
}
