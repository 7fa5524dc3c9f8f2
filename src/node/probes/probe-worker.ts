import { type Clock, type DeepReadonly, messageOf } from '../../base/index.ts';
import type { ActionExecutor, ActionOutcome, ActionTarget } from '../runtime/index.ts';

import type * as core from '../../api/types/core/v1.d.ts';

export type ProbeKind = 'startup' | 'liveness' | 'readiness';
export type ProbeSpec = DeepReadonly<core.Probe>;
export type ProbeState = 'unknown' | 'success' | 'failure';

export interface ProbeWorkerParts {
  readonly clock: Clock;
  readonly executor: ActionExecutor;
  readonly startedAtMs: number;
  readonly initial: ProbeState;
  /** Called when a threshold of successes or failures was reached. */
  changed(): void;
  /** Called when a single probe failed, or succeeded with a warning. */
  tell(reason: 'Unhealthy' | 'ProbeWarning', message: string): void;
}

/** How often a probe ran, by its result, and how long it took. */
export interface ProbeTally {
  readonly counts: Readonly<Record<ProbeCount, number>>;
  /** Of the probes that did not fail: those up to each bound, but above the one before it, and above all bounds. */
  readonly durations: { readonly bounds: readonly number[]; readonly buckets: readonly number[]; readonly sum: number };
}

type ProbeCount = 'successful' | 'failed' | 'unknown';

/** In seconds, as of Prometheus' clients. */
const DURATION_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const TITLES = { startup: 'Startup', liveness: 'Liveness', readiness: 'Readiness' } as const;
const TRIES = 3;

/** Runs one probe of one container periodically, for as long as the container runs. */
export class ProbeWorker implements Disposable {
  readonly kind: ProbeKind;
  readonly spec: ProbeSpec;
  readonly #target: ActionTarget;
  readonly #parts: ProbeWorkerParts;
  readonly #end = new AbortController();
  #state: ProbeState;
  #timer: Disposable | undefined;
  /** Probes are due at this time plus a multiple of the period. */
  #firstMs: number;
  #last: { readonly result: ProbeState; readonly count: number } = { result: 'unknown', count: 0 };
  #isOn = false;
  readonly #counts = { successful: 0, failed: 0, unknown: 0 };
  /** Created by the first probe that does not fail. */
  #durations: { readonly buckets: number[]; sum: number } | undefined;
  /** The time and result of the last probe. */
  #lastProbe: { readonly atMs: number; readonly result: ProbeCount } | undefined;
  #isUnderWay = false;

  constructor(spec: ProbeSpec, target: ActionTarget & { readonly purpose: ProbeKind }, parts: ProbeWorkerParts) {
    this.kind = target.purpose;
    this.spec = spec;
    this.#target = target;
    this.#parts = parts;
    this.#state = parts.initial;
    this.#firstMs = parts.startedAtMs + (spec.initialDelaySeconds ?? 0) * 1000;
  }

  get container(): string {
    return this.#target.container.name;
  }

  /** Probes that were left out because their answer was known count as if they had run. */
  tally(): ProbeTally {
    const counts = { ...this.#counts };
    const skipped = this.#isDone ? 0 : this.#dueSince(this.#lastProbe?.atMs);
    if (this.#lastProbe !== undefined) counts[this.#lastProbe.result] += skipped;
    const { buckets = [], sum = 0 } = this.#durations ?? {};
    const isFailure = this.#lastProbe?.result === 'failed';
    const shown =
      isFailure || skipped === 0 ? buckets : buckets.map((count, index) => (index === 0 ? count + skipped : count));
    return { counts, durations: { bounds: DURATION_BOUNDS, buckets: shown, sum } };
  }

  get state(): ProbeState {
    return this.#state;
  }

  /** Begins to probe. Liveness and readiness probes wait until the startup probe has succeeded. */
  start(): void {
    if (this.#isOn || this.#isDone) return;
    this.#isOn = true;
    this.#firstMs = Math.max(this.#firstMs, this.#parts.clock.now());
    this.#wakeAt(this.#firstMs);
  }

  /** Discards an answer that was said to stay valid: the next probe runs when it is due. */
  recheck(): void {
    if (this.#isOn && !this.#isDone && !this.#isUnderWay) this.#wakeAt(this.#nextMs(this.#parts.clock.now()));
  }

  [Symbol.dispose](): void {
    this.#end.abort();
    this.#timer?.[Symbol.dispose]();
  }

  /** Startup probes end when the container has started; all probes end when it is to be killed. */
  get #isDone(): boolean {
    if (this.#end.signal.aborted) return true;
    return this.kind === 'startup' ? this.#state !== 'unknown' : this.kind === 'liveness' && this.#state === 'failure';
  }

  #wakeAt(ms: number): void {
    this.#timer?.[Symbol.dispose]();
    const { clock } = this.#parts;
    this.#timer = ms === Infinity ? undefined : clock.timer(Math.max(0, ms - clock.now()), () => void this.#probe());
  }

  async #probe(): Promise<void> {
    this.#isUnderWay = true;
    const { clock } = this.#parts;
    const [atMs, sinceMs] = [clock.now(), clock.monotonic()];
    const outcome = await this.#ask();
    this.#isUnderWay = false;
    if (!this.#end.signal.aborted) this.#note(outcome, { atMs, tookMs: clock.monotonic() - sinceMs });
    if (this.#isDone) return;
    if (outcome !== undefined) this.#count(outcome);
    if (this.#isDone) return;
    const isSettled = outcome !== undefined && this.#state === resultOf(outcome);
    this.#wakeAt(this.#nextMs(isSettled ? (outcome.sameUntilMs ?? 0) : 0));
  }

  #note(
    outcome: ActionOutcome | undefined,
    { atMs, tookMs }: { readonly atMs: number; readonly tookMs: number },
  ): void {
    if (this.#lastProbe !== undefined) {
      const skipped = Math.max(0, this.#dueSince(this.#lastProbe.atMs, atMs) - 1);
      this.#counts[this.#lastProbe.result] += skipped;
      if (this.#lastProbe.result !== 'failed') this.#addDuration(0, skipped);
    }
    const result = outcome === undefined ? 'unknown' : resultOf(outcome) === 'success' ? 'successful' : 'failed';
    this.#counts[result] += 1;
    this.#lastProbe = { atMs, result };
    if (result !== 'failed') this.#addDuration(tookMs / 1000, 1);
  }

  #addDuration(seconds: number, times: number): void {
    this.#durations ??= { buckets: [...DURATION_BOUNDS, Infinity].map(() => 0), sum: 0 };
    const found = DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
    const index = found < 0 ? DURATION_BOUNDS.length : found;
    this.#durations.buckets[index] = (this.#durations.buckets[index] ?? 0) + times;
    this.#durations.sum += seconds * times;
  }

  /** How many periods have passed since then. */
  #dueSince(sinceMs: number | undefined, untilMs = this.#parts.clock.now()): number {
    return sinceMs === undefined ? 0 : Math.floor((untilMs - sinceMs) / ((this.spec.periodSeconds ?? 10) * 1000));
  }

  /** The time of the first probe that is after now and not before the given time. */
  #nextMs(notBeforeMs: number): number {
    if (notBeforeMs === Infinity) return Infinity;
    const periodMs = (this.spec.periodSeconds ?? 10) * 1000;
    const passed = Math.floor((this.#parts.clock.now() - this.#firstMs) / periodMs) + 1;
    return this.#firstMs + Math.max(passed, Math.ceil((notBeforeMs - this.#firstMs) / periodMs)) * periodMs;
  }

  #count(outcome: ActionOutcome): void {
    const result = resultOf(outcome);
    const { failureThreshold = 3, successThreshold = 1 } = this.spec;
    this.#last = { result, count: this.#last.result === result ? this.#last.count + 1 : 1 };
    const isEnough = this.#last.count >= (result === 'success' ? successThreshold : failureThreshold);
    if (!isEnough || this.#state === result) return;
    this.#state = result;
    this.#parts.changed();
  }

  /** Undefined when the probe could not be run; this counts neither as success nor as failure. */
  async #ask(): Promise<ActionOutcome | undefined> {
    const { executor, tell } = this.#parts;
    const options = { timeoutMs: (this.spec.timeoutSeconds ?? 1) * 1000, signal: this.#end.signal };
    let problem: unknown;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      try {
        const outcome = await executor.run(this.spec, this.#target, options);
        if (this.#end.signal.aborted) return undefined;
        const { result, output } = outcome;
        if (result === 'failure') tell('Unhealthy', `${TITLES[this.kind]} probe failed: ${output}`);
        if (result === 'warning') tell('ProbeWarning', `${TITLES[this.kind]} probe warning: ${output}`);
        return outcome;
      } catch (error) {
        if (this.#end.signal.aborted) return undefined;
        problem = error;
      }
    }
    const words = messageOf(problem);
    tell('Unhealthy', `${TITLES[this.kind]} probe errored and resulted in unknown state: ${words}`);
    return undefined;
  }
}

function resultOf({ result }: ActionOutcome): 'success' | 'failure' {
  return result === 'failure' ? 'failure' : 'success';
}
