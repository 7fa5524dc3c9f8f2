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
