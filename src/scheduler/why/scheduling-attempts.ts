import { formatTime, instantOfMillis } from '../../api/index.ts';
import { type BestNodes, nodeScores } from './attempt-findings.ts';

/** One try to find a node for a pod: what each plugin and each extender said. */
export interface SchedulingAttempt {
  /** When it began, in RFC 3339. */
  readonly time: string;
  readonly schedulerName: string;
  readonly durationMs: number;
  /** The node that was chosen; absent when none was. */
  readonly node?: string;
  /** Why there is none, as in the FailedScheduling event. */
  readonly message?: string;
  /** How many nodes were looked at, and how many of them would do; only when one was chosen. */
  readonly evaluatedNodes?: number;
  readonly feasibleNodes?: number;
  /** Why nodes will not do, the most frequent reason first. */
  readonly rejections: readonly NodeRejections[];
  /** The best nodes, best first. Absent when there was nothing to choose from. */
  readonly scores: readonly NodeScores[];
  readonly extenders: readonly ExtenderCall[];
  /** What became of it later: bound, or why not. */
  readonly outcome?: string;
}

/** Nodes that will not do for the same reason. */
export interface NodeRejections {
  /** The plugin or the extender. */
  readonly by: string;
  readonly reason: string;
  /** Whether deleting pods might help. */
  readonly isResolvable: boolean;
  readonly count: number;
  /** Some of the nodes. */
  readonly nodes: readonly string[];
}

export interface NodeScores {
  readonly node: string;
  readonly total: number;
  /** By plugin, before weights. */
  readonly byPlugin: Readonly<Record<string, number>>;
}

export interface ExtenderCall {
  readonly extender: string;
  readonly verb: string;
  readonly durationMs: number;
  /** Such as `2 of 5 nodes`, or what failed. */
  readonly outcome: string;
}

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
