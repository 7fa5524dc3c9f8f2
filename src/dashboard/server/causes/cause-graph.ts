import type { CauseEdge, CauseGraph, CauseNode } from '../../protocol.ts';

/** More would not be looked at. */
const MAX_NODES = 300;

/** Nodes and edges as they are found, and the part of them around one node. */
export class CauseGraphBuilder {
  readonly #nodes = new Map<string, CauseNode>();
  readonly #edges = new Map<string, CauseEdge>();
  readonly #causes = new Map<string, string[]>();
  readonly #effects = new Map<string, string[]>();

  add(node: CauseNode): void {
    if (!this.#nodes.has(node.id)) this.#nodes.set(node.id, node);
  }

  /** Only between nodes that are there when the graph is cut out, and never back in time. */
  link(from: string, to: string, type: CauseEdge['type']): void {
    const key = `${from} ${to}`;
    if (from === to || this.#edges.has(key)) return;
    this.#edges.set(key, { from, to, type });
    append(this.#effects, from, to);
    append(this.#causes, to, from);
  }

  get nodes(): Iterable<CauseNode> {
    return this.#nodes.values();
  }

  hasCauses(id: string): boolean {
    return (this.#causes.get(id) ?? []).some((each) => this.#nodes.has(each));
  }

  hasEffects(id: string): boolean {
    return (this.#effects.get(id) ?? []).some((each) => this.#nodes.has(each));
  }

  /**
   * All causes of these nodes, and effects of them up to a depth. The focus is the first of the nodes. The nearest nodes are kept when there
   * are too many.
   */
  around(
    ids: readonly string[],
    options: { readonly depth: number; readonly source: CauseGraph['source'] },
  ): CauseGraph {
    const { depth, source } = options;
    const focus = ids.find((id) => this.#nodes.has(id));
    const kept = new Set<string>();
    let isCut = false;
    const walk = (next: ReadonlyMap<string, readonly string[]>, most: number): void => {
      let level = ids.filter((id) => this.#nodes.has(id));
      // what one walk has kept, the other one may have to pass
      const seen = new Set(level);
      for (const id of level) kept.add(id);
      for (let step = 0; step < most && level.length > 0; step++) {
        const further: string[] = [];
        for (const id of level)
          for (const other of next.get(id) ?? []) {
            if (seen.has(other) || !this.#nodes.has(other)) continue;
            seen.add(other);
            if (!kept.has(other) && kept.size >= MAX_NODES) {
              isCut = true;
              continue;
            }
            kept.add(other);
            further.push(other);
          }
        level = further;
      }
    };
    walk(this.#causes, MAX_NODES);
    walk(this.#effects, depth);
    const nodes = [...kept].flatMap((id) => this.#nodes.get(id) ?? []);
    return {
      nodes: nodes.toSorted((left, right) => (left.time < right.time ? -1 : left.time > right.time ? 1 : 0)),
      edges: [...this.#edges.values()].filter(({ from, to }) => kept.has(from) && kept.has(to)),
      ...(focus === undefined ? {} : { focus }),
      source,
      isCut,
    };
  }
}

function append(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
