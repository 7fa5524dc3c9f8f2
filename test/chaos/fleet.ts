import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findPeers } from '../../peers/index.ts';
import type { Clock } from '../../src/base/index.ts';
import { findTool } from '../../src/base/testing/find-tool.ts';
import { freePorts } from '../../src/store/etcd/testing/free-ports.ts';
import { isReady, LoadBalancer } from './load-balancer.ts';
import { Program } from './program.ts';

const SIZE = 3;
const TOKEN = 'chaos0.0123456789abcdef';
const ELECTION = [
  '--leader-elect-lease-duration=5s',
  '--leader-elect-renew-deadline=3s',
  '--leader-elect-retry-period=1s',
];

/** Three servers on three members of etcd behind a load balancer, with two processes of nodes. */
export class Fleet implements AsyncDisposable {
  readonly members: readonly Program[];
  readonly servers: readonly Program[];
  readonly nodes: readonly Program[];
  readonly endpoints: readonly string[];
  readonly ports: readonly number[];
  readonly balancer: LoadBalancer;
  readonly #folder: string;
  /** Processes that ended unexpectedly. */
  readonly endings: string[] = [];

  /** `flags` are for the servers, beside those that the test needs. */
  static async start(folder: string, clock: Clock, flags: readonly string[] = []): Promise<Fleet> {
    await mkdir(folder, { recursive: true });
    const ports = await freePorts(SIZE * 3);
    const balancer = await LoadBalancer.start(ports.slice(2 * SIZE), clock);
    const fleet = new Fleet({ folder, flags }, ports, balancer);
    for (const program of [...fleet.members, ...fleet.servers]) program.start();
    return fleet;
  }

  private constructor(
    { folder, flags }: { readonly folder: string; readonly flags: readonly string[] },
    ports: readonly number[],
    balancer: LoadBalancer,
  ) {
    this.#folder = folder;
    this.balancer = balancer;
    const [clients, peers] = [ports.slice(0, SIZE), ports.slice(SIZE, 2 * SIZE)];
    this.ports = ports.slice(2 * SIZE);
    this.endpoints = clients.map((port) => `http://127.0.0.1:${port}`);
    const cluster = peers.map((port, index) => `m${index}=http://127.0.0.1:${port}`).join(',');
    this.members = clients.map((_, index) => this.#member(index, peers[index] ?? 0, cluster));
    this.servers = this.ports.map((port, index) =>
      this.#keelson(`server${index}`, [...this.#serverArgs(index, port), ...flags]),
    );
    this.nodes = [0, 1].map((index) => this.#keelson(`nodes${index}`, this.#nodeArgs(index)));
  }

  /** The kubeconfig that a server has written. */
  kubeconfig(index: number): string {
    return join(this.#folder, `kubeconfig${index}`);
  }

  get balanced(): string {
    return `https://127.0.0.1:${this.balancer.port}`;
  }

  async ready(clock: Clock, timeoutMs: number): Promise<boolean> {
    const endMs = clock.monotonic() + timeoutMs;
    while (clock.monotonic() < endMs) {
      const answers = await Promise.all(this.ports.map(isReady));
      const hasAccess = this.ports.every((_, index) => existsSync(this.kubeconfig(index))); // written when a server is ready
      if (hasAccess && answers.every(Boolean)) return true;
      await clock.sleep(200);
    }
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.nodes, ...this.servers].map((program) => program.kill()));
    await Promise.all(this.members.map((program) => program.kill()));
    await this.balancer[Symbol.asyncDispose]();
  }

  #member(index: number, peerPort: number, cluster: string): Program {
    const name = `m${index}`;
    const [client, peer] = [this.endpoints[index] ?? '', `http://127.0.0.1:${peerPort}`];
    const flags = {
      '--name': name,
      '--data-dir': join(this.#folder, name),
      '--listen-client-urls': client,
      '--advertise-client-urls': client,
      '--listen-peer-urls': peer,
      '--initial-advertise-peer-urls': peer,
      '--initial-cluster': cluster,
    };
    const command = findPeers(['etcd'], process.env).paths?.['etcd'] ?? findTool('etcd') ?? 'etcd';
    return this.#program(`etcd-${name}`, command, Object.entries(flags).flat());
  }

  #serverArgs(index: number, port: number): readonly string[] {
    const flags = {
      '--data-dir': join(this.#folder, `server${index}`),
      '--port': String(port),
      '--etcd-servers': this.endpoints.join(','),
      '--kubeconfig-out': this.kubeconfig(index),
      '--join-token': TOKEN,
      '--nodes': '0',
      '--advertise-address': `127.0.0.${index + 1}`,
      '--log-level': 'info',
    };
    return ['up', ...Object.entries(flags).flat(), ...ELECTION];
  }

  #nodeArgs(index: number): readonly string[] {
    const flags = { '--kubeconfig': this.kubeconfig(0), '--master': this.balanced, '--node-name': `nodes${index}` };
    return ['node', ...Object.entries(flags).flat(), '--nodes', '2', ...ELECTION];
  }

  #keelson(name: string, args: readonly string[]): Program {
    return this.#program(name, process.execPath, [join(import.meta.dirname, '../../dist/keelson.js'), ...args]);
  }

  #program(name: string, command: string, args: readonly string[]): Program {
    return new Program({ name, command, args, logFile: join(this.#folder, `${name}.log`) }, this.endings);
  }
}
