// A real control plane in this process for tests, and clients for it: over HTTPS and in process.
import { type ControlPlane, InProcessTransport, kubeconfigText, startControlPlane } from '../../cluster/index.ts';
import { type Clock, discardLogger, type Logger, SeededRandom, VirtualClock } from '../../base/index.ts';
import { Client, type ClientOptions } from '../client.ts';
import type { ClusterConnection } from '../cluster-connection.ts';
import { FixedCredentials } from '../credentials/index.ts';
import { HttpTransport } from '../http/index.ts';
import type { Transport } from '../transport.ts';

export interface TestClusterOptions {
  readonly clock?: Clock;
  readonly seed?: string;
  readonly log?: Logger;
}

export class TestCluster implements AsyncDisposable {
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly #plane: ControlPlane;
  readonly #stop: AbortController;
  readonly #transports: Transport[] = [];

  private constructor(parts: { clock: Clock; random: SeededRandom; plane: ControlPlane; stop: AbortController }) {
    this.clock = parts.clock;
    this.random = parts.random;
    this.#plane = parts.plane;
    this.#stop = parts.stop;
  }

  static async start({
    clock = new VirtualClock(),
    seed = 'test',
    log = discardLogger,
  }: TestClusterOptions = {}): Promise<TestCluster> {
    const stop = new AbortController();
    const random = new SeededRandom(seed);
    const plane = await startControlPlane({
      name: 'test',
      storage: { type: 'memory' },
      serving: { listen: { host: '127.0.0.1', port: 0 } },
      runtimeConfig: new Map(),
      admission: { disable: ['ServiceAccount', 'TaintNodesByCondition'] }, // they need controllers
      serviceCidrs: ['10.96.0.0/16'],
      clock,
      random,
      log,
      signal: stop.signal,
    });
    return new TestCluster({ clock, random, plane, stop });
  }

  /** The administrator's connection over the network. */
  get connection(): ClusterConnection {
    const { server, certificateAuthority, client } = this.#plane.access;
    const certificate = { certificate: client.certificate, key: client.privateKey };
    return {
      server,
      certificateAuthority: { pem: certificateAuthority },
      credentials: new FixedCredentials({ certificate }),
    };
  }

  /** The administrator's kubeconfig. */
  kubeconfig(): string {
    return kubeconfigText(this.#plane.access);
  }

  /** A transport of the given kind; closed with the cluster. */
  transport(type: 'in process' | 'https' | 'http/1.1'): Transport {
    const { clock } = this;
    const certificate = { commonName: 'admin', organizations: ['system:masters'] };
    const transport =
      type === 'in process'
        ? new InProcessTransport(this.#plane.server, { clock, certificate })
        : new HttpTransport(this.connection, { isHttp1Only: type === 'http/1.1' });
    this.#transports.push(transport);
    return transport;
  }

  client(type: 'in process' | 'https' | 'http/1.1' = 'in process', options: ClientOptions = {}): Client {
    return this.clientOver(this.transport(type), options);
  }

  clientOver(transport: Transport, options: ClientOptions = {}): Client {
    return new Client(transport, { clock: this.clock, random: this.random, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const transport of this.#transports) await transport[Symbol.asyncDispose]();
    this.#stop.abort();
    await this.#plane[Symbol.asyncDispose]();
  }
}
