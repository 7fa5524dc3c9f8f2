/** One attempt to schedule a pod: the decisions of each plugin and extender. */
export interface SchedulingAttempt {
  /** When the attempt began, in RFC 3339. */
  readonly time: string;
  readonly schedulerName: string;
  readonly durationMs: number;
  /** The chosen node; absent when none fits. */
  readonly node?: string;
  /** Why no node fits, as in the FailedScheduling event. */
  readonly message?: string;
  /** The number of nodes evaluated, and of feasible ones; only when one was chosen. */
  readonly evaluatedNodes?: number;
  readonly feasibleNodes?: number;
  /** Why nodes were rejected, the most frequent reason first. */
  readonly rejections: readonly NodeRejections[];
  /** The best nodes, best first. Empty when nodes were not scored. */
  readonly scores: readonly NodeScores[];
  readonly extenders: readonly ExtenderCall[];
  /** What happened after the node was chosen: bound, or why not. */
  readonly outcome?: string;
}

/** Nodes rejected for the same reason. */
export interface NodeRejections {
  /** The plugin or the extender. */
  readonly by: string;
  readonly reason: string;
  /** Whether preemption might help. */
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
