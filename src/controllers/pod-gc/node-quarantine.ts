/** Nodes that pods are bound to and that do not exist. They get some time to appear before the pods are deleted. */
export class NodeQuarantine {
  readonly #periodMs: number;
  /** When each node's time is over. */
  readonly #dueMs = new Map<string, number>();

  constructor(options: { readonly periodMs: number }) {
    this.#periodMs = options.periodMs;
  }

  /** When the next node is due; undefined when there is none. */
  get nextDueMs(): number | undefined {
    return this.#dueMs.size === 0 ? undefined : Math.min(...this.#dueMs.values());
  }

  /** Starts the node's time, if it has not started yet. */
  add(node: string, nowMs: number): void {
    if (!this.#dueMs.has(node)) this.#dueMs.set(node, nowMs + this.#periodMs);
  }

  /** Releases the nodes whose time is over. */
  release(nowMs: number): string[] {
    const due = [...this.#dueMs].filter(([, dueMs]) => dueMs <= nowMs).map(([node]) => node);
    for (const node of due) this.#dueMs.delete(node);
    return due;
  }
}
