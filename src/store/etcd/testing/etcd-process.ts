import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CryptoRandom, RealClock } from '../../../base/index.ts';
import { EtcdClient } from '../etcd-client.ts';
import type { TlsCredentials } from '../../../wire/grpc/index.ts';
import { STATUS } from '../messages/methods.ts';
import { freePorts } from './free-ports.ts';

export interface EtcdProcessOptions {
  readonly binary: string;
  /** More arguments. */
  readonly flags?: readonly string[];
  /** What clients need when etcd is configured for TLS. */
  readonly tls?: TlsCredentials;
}

/** Everything that has to be known about a member before it is started. */
export interface Member {
  readonly name: string;
  readonly clientPort: number;
  readonly peerPort: number;
}

/** Servers that keep the same data; disposing ends them all. */
export interface EtcdCluster extends AsyncDisposable {
  readonly members: readonly EtcdProcess[];
}

const START_TIMEOUT_MS = 30_000;

/** A real etcd with its own folder, which can be killed and restarted. Disposing ends it and removes the folder. */
export class EtcdProcess implements AsyncDisposable {
  readonly #options: EtcdProcessOptions;
  readonly #folder: string;
  readonly #member: Member;
  readonly #cluster: readonly Member[];
  #process: ChildProcess | undefined;
  #log = '';

  private constructor(folder: string, member: Member, options: EtcdProcessOptions & { cluster: readonly Member[] }) {
    this.#options = options;
    this.#folder = folder;
    this.#member = member;
    this.#cluster = options.cluster;
  }

  /** A single-member cluster that is ready to serve. */
  static async start(options: EtcdProcessOptions): Promise<EtcdProcess> {
    const { members } = await EtcdProcess.startCluster(1, options);
    return members[0] as EtcdProcess;
  }

  static async startCluster(size: number, options: EtcdProcessOptions): Promise<EtcdCluster> {
    const ports = await freePorts(size * 2);
    const plan = Array.from({ length: size }, (_item, index) => ({
      name: `m${index}`,
      clientPort: ports[index * 2] as number,
      peerPort: ports[index * 2 + 1] as number,
    }));
    const members = await Promise.all(
      plan.map(async (member) => {
        const folder = await mkdtemp(join(tmpdir(), 'keelson-etcd-'));
        return new EtcdProcess(folder, member, { ...options, cluster: plan });
      }),
    );
    const cluster: EtcdCluster = {
      members,
      async [Symbol.asyncDispose]() {
        await Promise.all(members.map((etcd) => etcd[Symbol.asyncDispose]()));
      },
    };
    try {
      for (const etcd of members) etcd.#spawn();
      await Promise.all(members.map((etcd) => etcd.#ready()));
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  get endpoint(): string {
    return `${this.#options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.#member.clientPort}`;
  }

  /** Ends it as a power failure would. */
  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
  }

  /** Restarts it on the data it has written, and waits until it serves. */
  async restart(): Promise<void> {
    this.#spawn();
    await this.#ready();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #spawn(): void {
    const { clientPort, name } = this.#member;
    const scheme = this.#options.tls === undefined ? 'http' : 'https';
    const client = `${scheme}://127.0.0.1:${clientPort}`;
    const flags = {
      '--name': name,
      '--data-dir': join(this.#folder, 'data'),
      '--listen-client-urls': client,
      '--advertise-client-urls': client,
      '--listen-peer-urls': peerUrl(this.#member),
      '--initial-advertise-peer-urls': peerUrl(this.#member),
      '--initial-cluster': this.#cluster.map((member) => `${member.name}=${peerUrl(member)}`).join(','),
      '--initial-cluster-token': this.#cluster.map((member) => member.peerPort).join('-'),
    };
    const given = [...Object.entries(flags).flat(), '--logger=zap', ...(this.#options.flags ?? [])];
    const started = spawn(this.#options.binary, given, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#log = '';
    started.stderr.setEncoding('utf8').on('data', (text: string) => (this.#log = (this.#log + text).slice(-10_000)));
    started.on('error', (error) => (this.#log += String(error)));
    this.#process = started;
  }

  async #ready(): Promise<void> {
    const endpoints = [this.endpoint];
    const { tls } = this.#options;
    await using client = new EtcdClient({
      endpoints,
      tls,
      clock: new RealClock(),
      random: new CryptoRandom(),
      requestTimeout: START_TIMEOUT_MS,
    });
    try {
      await client.call(STATUS, {}, { isRepeatable: true });
    } catch (cause) {
      throw new Error(`Cannot start etcd at ${this.endpoint}; it says: ${this.#log}`, { cause });
    }
  }
}

function peerUrl(member: Member): string {
  return `http://127.0.0.1:${member.peerPort}`;
}
