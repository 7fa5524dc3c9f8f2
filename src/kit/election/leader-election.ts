import { type Clock, type Duration, type Logger, millisecondsOf, type Random } from '../../base/index.ts';
import type { Client, KubernetesObject, Observed } from '../../client/index.ts';
import type { EventRecorder } from '../events.ts';
import type { Fence } from './fence.ts';
import { LeadershipLostError } from './leadership-lost.ts';
import { LeaseLock } from './lease-lock.ts';

/** The Lease of a leader election, and its times. */
export interface LeaderElectionOptions {
  /** The name of the Lease; default the app's name. */
  readonly name?: string;
  /** The namespace of the Lease; default the client's default namespace. */
  readonly namespace?: string;
  /** This process's name among the candidates; default generated. */
  readonly identity?: string;
  /** Another candidate takes over if the lease was not renewed for this long; default 15 s. */
  readonly leaseDuration?: Duration;
  /** The leader gives up if it could not renew for this long; default 10 s. */
  readonly renewDeadline?: Duration;
  /** The delay between attempts; default 2 s. */
  readonly retryPeriod?: Duration;
}

/** While another candidate leads, a random share of the retry period, up to this factor, is added to it. */
const JITTER = 1.2;

/** One candidate in a leader election with a Lease. */
export class LeaderElection {
  readonly #timing: {
    readonly leaseDurationMs: number;
    readonly renewDeadlineMs: number;
    readonly retryPeriodMs: number;
  };
  readonly #identity: string;
  readonly #lock: LeaseLock;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #recorder: EventRecorder;
  readonly #fence: Fence | undefined;

  constructor(
    client: Client,
    options: LeaderElectionOptions & { readonly name: string; readonly identity: string },
    parts: { readonly log: Logger; readonly recorder: EventRecorder; readonly fence?: Fence },
  ) {
    const { name, namespace = client.defaultNamespace, identity } = options;
    const { leaseDuration = 15_000, renewDeadline = 10_000, retryPeriod = 2000 } = options;
    const leaseDurationMs = millisecondsOf(leaseDuration);
    const renewDeadlineMs = millisecondsOf(renewDeadline);
    const retryPeriodMs = millisecondsOf(retryPeriod);
    checkTiming(leaseDurationMs, renewDeadlineMs, retryPeriodMs);
    this.#timing = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
    this.#identity = identity;
    this.#lock = new LeaseLock(client, { name, namespace, identity, leaseDurationMs });
    this.#clock = client.clock;
    this.#random = client.random;
    this.#log = parts.log.with({ lease: `${namespace}/${name}`, identity });
    this.#recorder = parts.recorder;
    this.#fence = parts.fence;
  }

  /**
   * Waits until this process leads, and works for as long as it does.
   *
   * The lease is renewed until the work has ended, even if the signal aborts meanwhile, and is then released. Rejects with
   * a LeadershipLostError if it could not be renewed in time; the work's signal aborts with that error first.
   */
  async lead(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    await this.#acquire(signal);
    if (signal.aborted) return;
    this.#tell('became leader');
    const term = new AbortController();
    const lost = new AbortController();
    const ended = new AbortController();
    const stop = (): void => term.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    lost.signal.addEventListener('abort', () => term.abort(lost.signal.reason), { once: true });
    const renewing = this.#renew(lost, ended.signal);
    try {
      await work(term.signal);
    } finally {
      signal.removeEventListener('abort', stop);
      ended.abort();
      await renewing;
      this.#tell('stopped leading');
      await this.#release();
    }
    lost.signal.throwIfAborted();
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    this.#log.info('waiting to lead');
    while (!signal.aborted && !(await this.#tryHold(signal))) {
      const { retryPeriodMs } = this.#timing;
      await this.#clock.sleep(retryPeriodMs * (1 + JITTER * this.#random.float()), signal);
    }
  }

  /** Renews the lease until the work has ended. If that fails for too long the lease is lost, even if a request hangs. */
  async #renew(lost: AbortController, ended: AbortSignal): Promise<void> {
    const { retryPeriodMs, renewDeadlineMs } = this.#timing;
    const lose = (): void => {
      lost.abort(new LeadershipLostError(`Cannot lead any more: the lease was not renewed for ${renewDeadlineMs} ms`));
    };
    const over = AbortSignal.any([ended, lost.signal]);
    let deadline = this.#clock.timer(renewDeadlineMs, lose);
    while (!over.aborted) {
      await this.#clock.sleep(retryPeriodMs, over);
      if (over.aborted || !(await this.#tryHold(over))) continue;
      deadline[Symbol.dispose]();
      deadline = this.#clock.timer(renewDeadlineMs, lose);
    }
    deadline[Symbol.dispose]();
  }

  async #tryHold(signal: AbortSignal): Promise<boolean> {
    const sinceMs = this.#clock.monotonic();
    try {
      const isHeld = await this.#lock.hold(signal);
      if (isHeld) this.#fence?.extend(sinceMs, this.#timing.renewDeadlineMs);
      return isHeld;
    } catch (error) {
      if (!signal.aborted) this.#log.warn('lease not reached', { error });
      return false;
    }
  }

  async #release(): Promise<void> {
    const limit = new AbortController();
    using _timer = this.#clock.timer(this.#timing.retryPeriodMs, () => limit.abort(new Error('no answer in time')));
    try {
      await this.#lock.release(limit.signal);
    } catch (error) {
      this.#log.warn('lease not given back', { error }); // it expires by itself
    }
  }

  #tell(what: 'became leader' | 'stopped leading'): void {
    this.#log.info(what);
    const { lease } = this.#lock;
    if (lease === undefined) return;
    const about = { ...lease, kind: 'Lease', apiVersion: 'coordination.k8s.io/v1' } as Observed<KubernetesObject>;
    this.#recorder.event(about, { reason: 'LeaderElection', message: `${this.#identity} ${what}` });
  }
}

function checkTiming(leaseDurationMs: number, renewDeadlineMs: number, retryPeriodMs: number): void {
  const isSound =
    leaseDurationMs >= 1000 &&
    leaseDurationMs > renewDeadlineMs &&
    renewDeadlineMs > retryPeriodMs * JITTER &&
    retryPeriodMs > 0;
  if (isSound) return;
  throw new RangeError(
    `Cannot elect a leader: need leaseDuration >= 1s and > renewDeadline > ${JITTER} x retryPeriod > 0, got ${leaseDurationMs}, ${renewDeadlineMs} and ${retryPeriodMs} ms`,
  );
}
