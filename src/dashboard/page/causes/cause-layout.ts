import type { CauseEdge, CauseGraph, CauseNode } from '../../protocol.ts';
import { shortUser } from '../parts/short-user.ts';

/** A row of the graph: nodes stand below each other in order of time, each in the column of who acted. */
export interface PlacedNode {
  readonly node: CauseNode;
  readonly row: number;
  readonly lane: number;
  /** Since the node above. */
  readonly afterMs: number;
}

export interface PlacedEdge {
  readonly edge: CauseEdge;
  readonly from: PlacedNode;
  readonly to: PlacedNode;
}

export interface CauseLayout {
  readonly lanes: readonly string[];
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/** Places the nodes of a graph. Edges that lead to unknown nodes are left out: a graph may be cut. */
export function layOut({ nodes, edges }: CauseGraph): CauseLayout {
  const rankOf = ranks({ nodes, edges });
  const sorted = nodes
    .map((node, index) => ({ node, index, time: Date.parse(node.time) }))
    .sort(
      (left, right) => left.time - right.time || rankOf(left.node) - rankOf(right.node) || left.index - right.index,
    );
  const lanes: string[] = [];
  const placed = new Map<string, PlacedNode>();
  let before = sorted[0]?.time ?? 0;
  for (const [row, { node, time }] of sorted.entries()) {
    const actor = actorOf(node);
    if (!lanes.includes(actor)) lanes.push(actor);
    placed.set(node.id, { node, row, lane: lanes.indexOf(actor), afterMs: Math.max(0, time - before) });
    before = time;
  }
  const placedEdges = edges.flatMap((edge) => {
    const from = placed.get(edge.from);
    const to = placed.get(edge.to);
    return from === undefined || to === undefined ? [] : [{ edge, from, to }];
  });
  return { lanes, nodes: [...placed.values()], edges: placedEdges };
}

/** How many steps of the same moment led to a node, one after the other: in virtual time, whole chains have one time. */
function ranks({ nodes, edges }: Pick<CauseGraph, 'nodes' | 'edges'>): (node: CauseNode) => number {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const causes = new Map<string, string[]>();
  for (const { from, to } of edges) causes.set(to, [...(causes.get(to) ?? []), from]);
  const known = new Map<string, number>();
  const rankOf = (node: CauseNode): number => {
    const found = known.get(node.id);
    if (found !== undefined) return found;
    known.set(node.id, 0); // a circle ends here
    const before = (causes.get(node.id) ?? []).flatMap((from) => byId.get(from) ?? []);
    const rank = Math.max(-1, ...before.filter(({ time }) => time === node.time).map(rankOf)) + 1;
    known.set(node.id, rank);
    return rank;
  };
  return rankOf;
}

/** Who acted: a controller has one name whether it reconciles, writes or reports. */
export function actorOf(node: CauseNode): string {
  switch (node.type) {
    case 'write':
      return withoutSuffix(controllerOf(node.user) ?? node.program ?? shortUser(node.user ?? 'unknown'));
    case 'reconcile':
      return node.controller === NODE_PODS ? 'kubelet' : withoutSuffix(node.controller);
    case 'event':
      return withoutSuffix(node.reporter ?? 'events');
  }
}

/** What happened, in one line. */
export function titleOf(node: CauseNode): string {
  return node.type === 'reconcile' ? `reconcile ${node.key}` : node.title;
}

/** The workers of a node's agent. */
const NODE_PODS = 'node_pods';
const CONTROLLERS = 'system:serviceaccount:kube-system:';

/** The controllers of one program write with service accounts of their own. */
function controllerOf(user: string | undefined): string | undefined {
  return user?.startsWith(CONTROLLERS) === true ? shortUser(user) : undefined;
}

function withoutSuffix(name: string): string {
  return name.replace(/-controller$/, '');
}

/** The node with all that led to it and all that it led to. */
export function chainOf(edges: readonly PlacedEdge[], id: string): ReadonlySet<string> {
  const chain = new Set([id]);
  const follow = (from: 'from' | 'to', to: 'from' | 'to'): void => {
    const left = [id];
    for (let current = left.pop(); current !== undefined; current = left.pop()) {
      for (const { edge } of edges) {
        if (edge[from] !== current || chain.has(edge[to])) continue;
        chain.add(edge[to]);
        left.push(edge[to]);
      }
    }
  };
  follow('to', 'from');
  follow('from', 'to');
  return chain;
}
