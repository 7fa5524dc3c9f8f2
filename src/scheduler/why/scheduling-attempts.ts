import { formatTime, instantOfMillis } from '../../api/index.ts';
import { type BestNodes, nodeScores } from './attempt-findings.ts';
import type { SchedulingAttempt } from './scheduling-attempt.ts';

export interface SchedulingAttemptsOptions {
  /** So many pods are remembered, those tried last; 1,000 unless given. */
  readonly maxPods?: number;
  /** So many tries of each; 5 unless given. */
  readonly maxAttempts?: number;
}

/** A try before it is put into words, which waits until somebody asks. */
export interface AttemptNote extends Pick<SchedulingAttempt, 'schedulerName' | 'durationMs' | 'extenders'> {
  /** When it began, in milliseconds since 1970. */
  readonly timeMs: number;
  readonly best: BestNodes | undefined;
  readonly ending: Partial<SchedulingAttempt>;
}

/** The last tries to schedule pods, for those who want to know why. Bounded: older ones are forgotten. */
export class SchedulingAttempts {
  readonly #maxPods: number;
  readonly #maxAttempts: number;
  /** By `namespace/name`, the one tried last at the end. */
  readonly #byPod = new Map<string, { readonly note: AttemptNote; outcome?: string }[]>();

  constructor({ maxPods = 1000, maxAttempts = 5 }: SchedulingAttemptsOptions = {}) {
    this.#maxPods = maxPods;
    this.#maxAttempts = maxAttempts;
  }

  /** The tries of a pod by `namespace/name`, oldest first. */
  of(key: string): readonly SchedulingAttempt[] {
    return (this.#byPod.get(key) ?? []).map(({ note, outcome }) => ({
      ...attemptOf(note),
      ...(outcome === undefined ? {} : { outcome }),
    }));
  }

  add(key: string, note: AttemptNote): void {
    const notes = this.#byPod.get(key) ?? [];
    notes.push({ note });
    if (notes.length > this.#maxAttempts) notes.shift();
    this.#byPod.delete(key);
    this.#byPod.set(key, notes);
    if (this.#byPod.size <= this.#maxPods) return;
    const [oldest] = this.#byPod.keys();
    if (oldest !== undefined) this.#byPod.delete(oldest);
  }

  /** Says what became of the last try of a pod. */
  conclude(key: string, outcome: string): void {
    const last = this.#byPod.get(key)?.at(-1);
    if (last !== undefined) last.outcome ??= outcome;
  }
}

function attemptOf({ timeMs, best, ending, ...same }: AttemptNote): SchedulingAttempt {
  const time = formatTime(instantOfMillis(timeMs));
  return { time, ...same, rejections: [], scores: best === undefined ? [] : nodeScores(best), ...ending };
}
