import { compareUtf8 } from '../../base/index.ts';
import type { Diagnosis } from '../framework/diagnosis.ts';
import type { Rejection } from '../framework/rejection.ts';
import type { NodeRejections, NodeScores } from './scheduling-attempt.ts';

const MAX_REASONS = 50;
const MAX_NAMES = 5;
const MAX_NODES = 5;
const MAX_TEXT = 1024;

/** Truncates the text. Returns a copy, because a slice would keep the whole string in memory. */
export function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${Buffer.from(text.slice(0, MAX_TEXT)).toString()}...`;
}

/** The rejections of nodes, grouped by reason. */
export function rejectionsOf(diagnosis: Diagnosis, nodeCount: number): readonly NodeRejections[] {
  const groups = new Map<
    string,
    { by: string; reason: string; isResolvable: boolean; count: number; nodes: string[] }
  >();
  const note = (rejection: Rejection, nodes: readonly string[], count: number): void => {
    for (const reason of rejection.reasons.map(cut)) {
      const by = rejection.extender ?? rejection.plugin;
      const key = JSON.stringify([by, reason]);
      const isResolvable = rejection.code !== 'UnschedulableAndUnresolvable';
      const group = groups.get(key) ?? { by, reason, isResolvable, count: 0, nodes: [] };
      if (!groups.has(key) && groups.size >= MAX_REASONS) continue;
      groups.set(key, group);
      group.count += count;
      group.nodes.push(...nodes.slice(0, MAX_NAMES - group.nodes.length));
    }
  };
  for (const [rejection, { names, count }] of diagnosis.tally(MAX_NAMES)) note(rejection, names, count);
  const others = nodeCount - diagnosis.size;
  if (diagnosis.forOthers !== undefined && others > 0) note(diagnosis.forOthers, [], others);
  return [...groups.values()].sort(
    (left, right) =>
      right.count - left.count || compareUtf8(left.by, right.by) || compareUtf8(left.reason, right.reason),
  );
}

/** The nodes with the highest scores, in a compact form that is expanded on demand. */
export interface BestNodes {
  readonly names: readonly string[];
  readonly totals: readonly number[];
  readonly plugins: readonly string[];
  /** The plugins' scores, node by node. */
  readonly scores: Float64Array;
}

export function bestNodes(
  nodes: readonly { readonly name: string }[],
  scores: ReadonlyMap<string, Float64Array>,
  weightOf: (plugin: string) => number,
): BestNodes | undefined {
  const known = [...scores].filter(([, each]) => each.length === nodes.length);
  if (known.length === 0) return undefined;
  const totals = new Float64Array(nodes.length);
  for (const [plugin, each] of known) {
    const weight = weightOf(plugin);
    for (let index = 0; index < totals.length; index++) totals[index]! += weight * each[index]!;
  }
  const best = highest(totals);
  return {
    names: best.map((index) => nodes[index]?.name ?? ''),
    totals: best.map((index) => totals[index] ?? 0),
    plugins: known.map(([plugin]) => plugin),
    scores: Float64Array.from(best.flatMap((index) => known.map(([, each]) => each[index] ?? 0))),
  };
}

/** The indices of the highest values, highest first. */
function highest(values: Float64Array): readonly number[] {
  const best: number[] = [];
  for (let index = 0; index < values.length; index++) {
    if (best.length === MAX_NODES && values[index]! <= values[best[MAX_NODES - 1]!]!) continue;
    const place = best.findIndex((other) => values[other]! < values[index]!);
    best.splice(place < 0 ? best.length : place, 0, index);
    if (best.length > MAX_NODES) best.pop();
  }
  return best;
}

/** The best nodes with the scores of each plugin. */
export function nodeScores({ names, totals, plugins, scores }: BestNodes): readonly NodeScores[] {
  return names.map((node, index) => ({
    node,
    total: totals[index] ?? 0,
    byPlugin: Object.fromEntries(plugins.map((plugin, at) => [plugin, scores[index * plugins.length + at] ?? 0])),
  }));
}
