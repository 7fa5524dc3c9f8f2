import { hostname } from 'node:os';
import { type Clock, type Logger, type Random, RandomUidSource, type Runnable } from '../../../base/index.ts';
import type { Client } from '../../../client/index.ts';
import { SIMULATED_DRIVER } from '../../../controllers/index.ts';
import { app, type LeaderElectionOptions } from '../../../kit/index.ts';
import { nodeNames, NodeServer } from '../../../node/index.ts';
import type { SimulatedMachine } from '../../../simulated/index.ts';
import type { Credential } from '../../../wire/certificates/index.ts';
import { renewedCredential } from '../../pki/issue-credential.ts';
import { composeNodes } from './compose-nodes.ts';
import { groupAnnotations, removeFormerNodes } from './former-nodes.ts';
import { holdNodes } from './hold-nodes.ts';
import { NodeEndpoints, nodeSubject } from './node-endpoints.ts';
import { placesOf, takePlaces } from './node-places.ts';
import { MachinesOfNodes } from './machines-of-nodes.ts';
import { selfSigned } from './self-signed.ts';

export interface NodeProgramOptions {
  /** The name of a single node, and the prefix of the names of several. */
  readonly name: string;
  readonly nodes: number;
  /** Where the nodes listen, for logs, commands and forwarded ports. */
  readonly address: string;
  /** PEM of the authorities whose client certificates count there. */
  readonly clientAuthorities: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** See `NodesOptions`. */
  readonly pluginDir?: string;
  /** See `NodesOptions`. */
  readonly simulatedMachine?: SimulatedMachine;
  readonly election?: Pick<LeaderElectionOptions, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called when this process holds the nodes and begins to run them. */
  readonly onHeld?: () => void;
}

const RETRY_MS = 2000;

/** Simulated nodes alone, on any API server. */
export class NodeProgram implements Runnable {
  readonly #client: Client;
  readonly #options: NodeProgramOptions;

  constructor(client: Client, options: NodeProgramOptions) {
    this.#client = client;
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { name, random, election, onHeld } = this.#options;
    const identity = `${hostname()}_${new RandomUidSource(random).next()}`;
    const firstIndex = await this.#takePlaces(signal);
    if (firstIndex === undefined) return;
    const work = async (term: AbortSignal): Promise<void> => {
      onHeld?.();
      await this.#runNodes(firstIndex, term);
    };
    await holdNodes(this.#client, { ...election, name, identity }, { work, signal });
  }

  /** Retries until the server answers; undefined when the signal aborts first. */
  async #takePlaces(signal: AbortSignal): Promise<number | undefined> {
    const { name, nodes, clock, log } = this.#options;
    while (!signal.aborted) {
      try {
        return await takePlaces(this.#client, name, nodes);
      } catch (error) {
        log.warn('waiting for the API server', { error });
        await clock.sleep(RETRY_MS, signal);
      }
    }
    return undefined;
  }

  async #runNodes(firstIndex: number, signal: AbortSignal): Promise<void> {
    const { name, nodes, address, labels, log } = this.#options;
    const names = nodeNames(nodes, name);
    const runner = { type: 'node', name } as const;
    const places = placesOf(names, firstIndex, (await this.#client.core.v1.nodes.list()).items);
    await removeFormerNodes(this.#client, runner, names);
    using endpoints = await this.#openEndpoints(names);
    const servers: NodeServer[] = [];
    const { pluginDir, simulatedMachine } = this.#options;
    const machines = new MachinesOfNodes({ pluginDir, simulatedMachine, isSingle: nodes === 1 });
    const part = composeNodes({
      names,
      isSingle: false,
      places,
      nodeIp: address,
      annotations: groupAnnotations(runner),
      endpoints,
      backend: machines.backend(),
      drivers: [SIMULATED_DRIVER],
      ...(labels === undefined ? {} : { labels }),
      serve: (agent) => {
        machines.serve(agent);
        const { name: node, served } = agent;
        const server = new NodeServer(served, log.with({ node }));
        servers.push(server);
        return server;
      },
      clientOf: () => this.#client,
    });
    try {
      await app('kubelet', [part]).run(this.#client, signal);
    } finally {
      for (const server of servers) server[Symbol.dispose]();
    }
  }

  /** Their certificates are signed by themselves, as those of a kubelet without configured ones: API servers do not check them by default. */
  #openEndpoints(names: readonly string[]): Promise<NodeEndpoints> {
    const { address, clientAuthorities, clock, random, log } = this.#options;
    const certificateOf = (name: string): (() => Credential) =>
      renewedCredential(() => selfSigned(nodeSubject(name), { names: [name, address], clock, random }), clock);
    return NodeEndpoints.open({ names, host: address, clientAuthorities, certificateOf, certificateClock: clock, log });
  }
}
