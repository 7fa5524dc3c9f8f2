import { describeError, RealClock } from '../../../base/index.ts';
import { hasReason } from '../../../api/client.ts';
import type { Answer, Call, Interference } from '../../../cluster/index.ts';
import { insidesOf } from '../../cluster-insides.ts';
import type { TestCluster } from '../../test-cluster.ts';
import type { OperatorHost, StartOptions } from '../explored-operator.ts';
import type { ExploredProcess, ProcessSurroundings } from '../explored-process.ts';
import { Activity } from './activity.ts';
import { releaseOf } from './election-lock.ts';
import { openFor, type ProgramIdentity, type ProgramKubeconfig } from './program-identity.ts';
import { ProgramProcess } from './program-process.ts';

export interface ProgramHostOptions {
  readonly command: string | readonly string[];
  /** The command of the version before. */
  readonly formerCommand: string | readonly string[];
  readonly folder: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly identity: ProgramIdentity;
  /** It is at rest when it has sent and seen nothing for this long. */
  readonly quietMs: number;
  readonly patienceMs: number;
}

/** How often the cluster's clock follows the real one. */
const TICK_MS = 10;
/** The cluster's own controllers are at rest when they have done nothing for this long. */
const CLUSTER_QUIET_MS = 100;
/** How long a program may take until it asks for its first object: interpreters start slowly. */
const MAX_START_MS = 60_000;
/** The first times after which the state is looked at; retries of clients begin with milliseconds. */
const FIRST_LOOKS_MS = [0, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 120_000, 300_000];
/** How much of the patience may pass in work without a pause while watches are held. */
const HELD_SHARE = 0.2;

/** Opens a port for the program's processes in the cluster of one run, whose time follows the real one from now on. */
export async function openProgramHost(
  cluster: TestCluster,
  options: ProgramHostOptions,
): Promise<OperatorHost<undefined>> {
  const clock = new RealClock();
  await cluster.clock.advance(Math.max(0, clock.now() - cluster.clock.now()));
  const kubeconfig = await openFor(options.identity, cluster);
  return new ProgramHost({ cluster, kubeconfig, clock, options });
}

interface ProgramHostParts {
  readonly cluster: TestCluster;
  readonly kubeconfig: ProgramKubeconfig;
  readonly clock: RealClock;
  readonly options: ProgramHostOptions;
}

class ProgramHost implements OperatorHost<undefined> {
  readonly patienceMs: readonly number[];
  readonly idleMs: number;
  readonly leaseMs = 0; // Leases are released when a process is killed
  readonly #cluster: TestCluster;
  readonly #kubeconfig: ProgramKubeconfig;
  readonly #clock: RealClock;
  readonly #options: ProgramHostOptions;
  readonly #activity: Activity;
  readonly #end = new AbortController();
  readonly #pacing: Promise<void>;
  readonly #processes: ProgramProcess[] = [];
  #current: ProgramProcess | undefined;
  #revision: number | undefined;
  /** The last request of the server's traces that was looked at. */
  #lastTraced = '0';
  #failure: unknown;

  constructor({ cluster, kubeconfig, clock, options }: ProgramHostParts) {
    const { patienceMs, quietMs } = options;
    this.#cluster = cluster;
    this.#kubeconfig = kubeconfig;
    this.#clock = clock;
    this.#options = options;
    this.#activity = new Activity(clock);
    this.patienceMs = [...FIRST_LOOKS_MS.filter((each) => each < patienceMs), patienceMs];
    this.idleMs = 2 * quietMs;
    insidesOf(cluster).interfere((call, next) => this.#arrive(call, next));
    this.#pacing = this.#pace();
  }

  async start(around: ProcessSurroundings, { isFormer, past }: StartOptions<undefined>): Promise<ExploredProcess> {
    await Promise.all(this.#processes.map(({ gone }) => gone)); // with the ports that it listened at
    await this.#releaseLeases();
    const { command, formerCommand, folder, environment, identity } = this.#options;
    this.#current = new ProgramProcess({
      command: isFormer ? formerCommand : command,
      folder,
      environment: { ...process.env, ...environment, KUBECONFIG: this.#kubeconfig.path },
      around,
      activity: this.#activity,
      identity,
      past,
    });
    this.#processes.push(this.#current);
    this.#activity.note();
    return this.#current;
  }

  async settle({ isHeld }: { readonly isHeld: boolean }): Promise<void> {
    const startMs = this.#clock.monotonic();
    const maxMs = isHeld ? this.#options.patienceMs * HELD_SHARE : this.#options.patienceMs;
    while (!this.#isAtRest) {
      if (this.#failure !== undefined) throw this.#failure;
      const waitedMs = this.#clock.monotonic() - startMs;
      const isStarting = this.#current?.isAlive === true && !this.#current.hasAsked;
      if (isStarting && waitedMs > MAX_START_MS)
        throw new Error(`the program has asked the server for nothing in ${MAX_START_MS / 1000} s`);
      if (!isStarting && waitedMs > maxMs) throw new Error(`there is no pause in ${Math.round(waitedMs / 1000)} s`);
      await this.#clock.sleep(TICK_MS);
    }
  }

  async pass(ms: number): Promise<void> {
    await this.#clock.sleep(ms);
    if (this.#failure !== undefined) throw this.#failure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#processes) each.kill();
    await Promise.all(this.#processes.map(({ gone }) => gone));
    this.#end.abort();
    await this.#pacing;
    await this.#kubeconfig[Symbol.asyncDispose]();
  }

  get #isAtRest(): boolean {
    if (!this.#cluster.apps.every(({ isIdle }) => isIdle)) this.#activity.note();
    const { revision } = insidesOf(this.#cluster).plane;
    if (revision !== this.#revision) this.#activity.note();
    this.#revision = revision;
    this.#noteRefusals();
    const { quietMs } = this.#options;
    if (this.#current?.isAlive !== true) return this.#activity.quietMs >= Math.min(quietMs, CLUSTER_QUIET_MS);
    return this.#current.hasAsked && this.#activity.quietMs >= quietMs;
  }

  /** Requests that the program has no right to are refused before they arrive here. */
  #noteRefusals(): void {
    const { recent } = insidesOf(this.#cluster).plane.server.traces;
    for (const { id, user, code, message = '', method, path } of recent.list(this.#lastTraced)) {
      this.#lastTraced = id;
      const isRefused = code === 403 && message.includes('is forbidden: User ');
      if (isRefused && user === this.#options.identity.user) this.#current?.noteRefusal(method, path);
    }
  }

  async #arrive(call: Call, next: Parameters<Interference>[1]): Promise<Answer> {
    if (call.wire === undefined || call.principal.user.name !== this.#options.identity.user) return next(call);
    return this.#current === undefined ? next(call) : this.#current.arrive(call, next);
  }

  /** Lets the cluster's time pass as the real one does. */
  async #pace(): Promise<void> {
    const { signal } = this.#end;
    const { clock } = this.#cluster;
    try {
      while (!signal.aborted) {
        const behindMs = this.#clock.now() - clock.now();
        if (behindMs > 0) await clock.advance(behindMs);
        await this.#clock.sleep(TICK_MS, signal);
      }
    } catch (error) {
      if (!signal.aborted) this.#failure = new Error(`the cluster's time cannot pass: ${describeError(error)}`);
    }
  }

  /** As if the time had passed after which another replica may lead. */
  async #releaseLeases(): Promise<void> {
    const held = new Set(this.#processes.flatMap(({ locks }) => [...locks]));
    for (const lock of held) {
      const [resource = '', namespace = '', name = ''] = lock.split(/[ /]/);
      const root = resource === 'leases' ? '/apis/coordination.k8s.io/v1' : '/api/v1';
      const path = `${root}/namespaces/${namespace}/${resource}/${name}`;
      const contentType = 'application/merge-patch+json';
      const release = { method: 'PATCH', path, body: releaseOf(resource), contentType } as const;
      await this.#cluster.client.request(release).catch((error: unknown) => {
        if (!hasReason(error, 'NotFound')) throw error;
      });
    }
  }
}
