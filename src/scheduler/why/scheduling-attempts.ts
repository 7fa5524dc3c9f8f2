import { formatTime, instantOfMillis } from '../../api/index.ts';
import { type BestNodes, nodeScores } from './attempt-findings.ts';
import type { SchedulingAttempt } from './scheduling-attempt.ts';

export interface SchedulingAttemptsOptions {
  /** Maximum number of pods remembered, most recent first; default 1,000. */
  readonly maxPods?: number;
  /** Maximum number of attempts remembered per pod; default 5. */
  readonly maxAttempts?: number;
}

/** An attempt in compact form; texts are built on demand. */
export interface AttemptNote extends Pick<SchedulingAttempt, 'schedulerName' | 'durationMs' | 'extenders'> {
  /** When it began, in milliseconds since 1970. */
  readonly timeMs: number;
  readonly best: BestNodes | undefined;
  readonly ending: Partial<SchedulingAttempt>;
}

/** The most recent attempts to schedule pods, for explaining decisions to users. Bounded: older ones are dropped. */
export class SchedulingAttempts {
  readonly #maxPods: number;
  readonly #maxAttempts: number;
  /** By `namespace/name`, the most recently tried pod last. */
  readonly #byPod = new Map<string, { readonly note: AttemptNote; outcome?: string }[]>();

  constructor({ maxPods = 1000, maxAttempts = 5 }: SchedulingAttemptsOptions = {}) {
    this.#maxPods = maxPods;
    this.#maxAttempts = maxAttempts;
  }

  /** The attempts of a pod (`namespace/name`), oldest first. */
  of(key: string): readonly SchedulingAttempt[] {
    return (this.#byPod.get(key) ?? []).map(({ note, outcome }) => ({
      ...attemptOf(note),
      ...(outcome === undefined ? {} : { outcome }),
    }));
  }

  /** The last attempts of the pods (`namespace/name`) that were tried last, newest first. */
  recent(limit: number): readonly (readonly [key: string, attempt: SchedulingAttempt])[] {
    const keys = [...this.#byPod.keys()].slice(-limit).reverse();
    return keys.flatMap((key) => {
      const attempt = this.of(key).at(-1);
      return attempt === undefined ? [] : [[key, attempt] as const];
    });
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

  /** Sets the outcome of the pod's last attempt. */
  conclude(key: string, outcome: string): void {
    const last = this.#byPod.get(key)?.at(-1);
    if (last !== undefined) last.outcome ??= outcome;
  }
}

function attemptOf({ timeMs, best, ending, ...same }: AttemptNote): SchedulingAttempt {
  const time = formatTime(instantOfMillis(timeMs));
  return { time, ...same, rejections: [], scores: best === undefined ? [] : nodeScores(best), ...ending };
}
