import { createPrivateKey, createPublicKey } from 'node:crypto';
import { hostname } from 'node:os';
import { type Clock, type Logger, type Random, RandomUidSource, type Runnable } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import { SIMULATED_DRIVER } from '../../controllers/index.ts';
import { app, type LeaderElectionOptions } from '../../kit/index.ts';
import { NodeAccess, type NodeAgent, nodeAgents, NodeEndpoint, nodeNames, NodeServer } from '../../node/index.ts';
import { simulatedBackend } from '../../simulated/index.ts';
import { issueCertificate, newPrivateKey, selfIssuer } from '../../wire/certificates/index.ts';
import type { ClientCertificate } from '../../wire/http/index.ts';
import { holdNodes } from '../nodes/hold-nodes.ts';
import { takePlaces } from '../nodes/node-places.ts';

export interface NodeProgramOptions {
  /** What the nodes are called: the name alone for one, with a number behind it for more. */
  readonly name: string;
  readonly nodes: number;
  /** Where the nodes listen, for logs, commands and forwarded ports. */
  readonly address: string;
  /** PEM of the authorities whose client certificates count there. */
  readonly clientAuthorities: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly election?: Pick<LeaderElectionOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called when the nodes are this process's and it begins to run them. */
  readonly onHeld?: () => void;
}

const RETRY_MS = 2000;
const DAY_MS = 24 * 60 * 60 * 1000;
const CERTIFICATE_DAYS = 365;

/** Simulated nodes as a program of their own, on any API server. */
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

  /** Tried until the server answers; undefined when the signal aborts before. */
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
    const { name, nodes, address, labels, clock, log } = this.#options;
    const names = nodeNames(nodes, name);
    const endpoints = await this.#openEndpoints(names);
    const servers: NodeServer[] = [];
    const onAgent = ({ name: node, served }: NodeAgent): void => {
      const server = new NodeServer(served, log.with({ node }));
      servers.push(server);
      endpoints.get(node)?.serve(server, new NodeAccess({ node, client: this.#client, clock, log }));
    };
    const parts = nodeAgents({
      names,
      firstIndex,
      backend: simulatedBackend(),
      addresses: () => [address],
      port: (node) => endpoints.get(node)?.port ?? 0,
      drivers: [SIMULATED_DRIVER],
      onAgent,
      ...(labels === undefined ? {} : { labels }),
    });
    try {
      await app('kubelet', [parts]).run(this.#client, signal);
    } finally {
      for (const server of servers) server[Symbol.dispose]();
      for (const endpoint of endpoints.values()) endpoint[Symbol.dispose]();
    }
  }

  async #openEndpoints(names: readonly string[]): Promise<ReadonlyMap<string, NodeEndpoint>> {
    const { address, clientAuthorities } = this.#options;
    const endpoints = new Map<string, NodeEndpoint>();
    for (const name of names) {
      const certificate = this.#certificateOf(name);
      endpoints.set(name, await NodeEndpoint.open({ host: address, certificate, clientAuthorities }));
    }
    return endpoints;
  }

  /** Signed by itself, as a kubelet's that is given none: API servers do not look at it unless they are told to. */
  #certificateOf(name: string): ClientCertificate {
    const { address, clock, random } = this.#options;
    const key = newPrivateKey();
    const privateKey = createPrivateKey(key);
    const subject = { commonName: `system:node:${name}`, organizations: ['system:nodes'] };
    const nowMs = clock.now();
    const validity = { notBefore: nowMs - DAY_MS, notAfter: nowMs + CERTIFICATE_DAYS * DAY_MS };
    const request = { subject, usage: 'server', names: [name, address], ...validity } as const;
    const issuer = selfIssuer(subject, privateKey);
    return { certificate: issueCertificate(request, createPublicKey(privateKey), { issuer, random }), key };
  }
}
