import { conflict } from '../../api/client.ts';
import { type Clock, type Logger, settle, type VirtualClock } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import type { ClockState, ClockStep, ClusterTime, StepEnd } from '../../dashboard/index.ts';
import type { HeldWrites } from './held-writes.ts';

/** How often virtual time follows real time. */
const TICK_MS = 200;
/** A step looks for something to happen within this time. */
const MAX_STEP_MS = 10 * 60_000;
const MINUTE_MS = 60_000;

export interface SlowMotionParts {
  readonly virtual: VirtualClock;
  readonly real: Clock;
  readonly writes: HeldWrites;
  readonly client: Client;
  readonly log: Logger;
}

interface Run {
  readonly id: number;
  readonly controller: string;
  readonly key: string;
}

/** Virtual time that goes along with real time until it is paused; then it moves by steps. */
export class SlowMotion implements ClusterTime {
  readonly #parts: SlowMotionParts;
  #isPaused = false;
  #isStepping = false;
  /** Time that goes along with real time right now. */
  #advancing: Promise<void> = Promise.resolve();

  constructor(parts: SlowMotionParts) {
    this.#parts = parts;
  }

  /** Lets time pass until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { real, virtual, log } = this.#parts;
    let lastMs = real.monotonic();
    while (!signal.aborted) {
      await real.sleep(TICK_MS, signal);
      const nowMs = real.monotonic();
      const passedMs = nowMs - lastMs;
      lastMs = nowMs;
      if (this.#isPaused || this.#isStepping || signal.aborted) continue;
      this.#advancing = virtual.advance(passedMs).catch((error: unknown) => log.error('time stands still', { error }));
      await this.#advancing;
    }
    this.#parts.writes.letAllPass();
  }

  now(): ClockState {
    const now = new Date(this.#parts.virtual.now()).toISOString();
    return { isVirtual: true, isPaused: this.#isPaused, now };
  }

  async pause(): Promise<void> {
    this.#isPaused = true;
    this.#parts.writes.hold();
    await this.#advancing;
  }

  resume(): void {
    this.#isPaused = false;
    this.#parts.writes.letAllPass();
  }

  async step(until: StepEnd): Promise<ClockStep> {
    if (this.#isStepping) throw conflict({ group: '', resource: 'clocks' }, 'virtual', 'another step is under way');
    this.#isStepping = true;
    try {
      await this.pause();
      const ended = await (until === 'minute' ? this.#minute() : this.#happening(until));
      return { ...this.now(), ended };
    } finally {
      this.#isStepping = false;
    }
  }

  async #minute(): Promise<NonNullable<ClockStep['ended']>> {
    const { virtual, writes } = this.#parts;
    writes.letAllPass();
    await virtual.advance(MINUTE_MS);
    await settle();
    writes.hold();
    return { type: 'time', title: 'a minute later' };
  }

  /** Lets one write after the other pass, and time where none waits, until what is wanted has happened. */
  async #happening(until: 'write' | 'reconcile'): Promise<NonNullable<ClockStep['ended']>> {
    const { virtual, writes } = this.#parts;
    const endMs = virtual.now() + MAX_STEP_MS;
    const lastRun = (await this.#runsAfter(0)).at(-1)?.id ?? 0;
    for (;;) {
      await settle();
      const title = writes.letOnePass();
      if (title !== undefined) {
        await settle();
        if (until === 'write') return { type: 'write', title };
      }
      if (until === 'reconcile') {
        const [run] = await this.#runsAfter(lastRun);
        if (run !== undefined) return { type: 'reconcile', title: `${run.controller} ${run.key}` };
      }
      if (title !== undefined) continue;
      const dueMs = virtual.nextDueMs ?? Infinity;
      if (dueMs > endMs) return { type: 'nothing', title: 'nothing happens within ten minutes' };
      await virtual.advance(dueMs - virtual.now());
    }
  }

  async #runsAfter(id: number): Promise<readonly Run[]> {
    const query = { after: String(id) };
    const answer = await this.#parts.client.request({ method: 'GET', path: '/keelson/runs', query });
    return (answer as { readonly items: readonly Run[] }).items;
  }
}
