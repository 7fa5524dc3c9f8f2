import type { NodeInfo } from '../cache/node-info.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import type { Cycle } from './cycle.ts';
import { PluginFault } from './fit-error.ts';
import type { Framework, PluginAt } from './framework.ts';
import { MAX_NODE_SCORE } from './plugin.ts';

/** Reusable score buffers, so that scoring many nodes allocates nothing. */
export class ScoreSheet {
  #one = new Float64Array(128);
  #total = new Float64Array(128);

  /** A buffer for one plugin's scores; the caller overwrites all of it. */
  one(size: number): Float64Array {
    if (this.#one.length < size) this.#one = new Float64Array(size * 2);
    return this.#one.subarray(0, size);
  }

  /** A buffer of zeros. */
  total(size: number): Float64Array {
    if (this.#total.length < size) this.#total = new Float64Array(size * 2);
    return this.#total.subarray(0, size).fill(0);
  }
}

export interface ScoreOptions {
  /** The feasible nodes. */
  readonly nodes: readonly NodeInfo[];
  /** All nodes. */
  readonly snapshot: Snapshot;
  readonly sheet: ScoreSheet;
  /**
   * Receives each plugin's scores, in the order of the nodes and before weights; the array is valid during the call
   * only.
   */
  note?(plugin: string, scores: Float64Array): void;
}

/**
 * The weighted sum of all plugins' scores per node; the result belongs to the sheet and is valid until the next call.
 */
export function runScores(
  framework: Framework,
  cycle: Cycle,
  { nodes, snapshot, sheet, note }: ScoreOptions,
): Float64Array {
  runPreScores(framework, cycle, { nodes, snapshot });
  const total = sheet.total(nodes.length);
  const one = sheet.one(nodes.length);
  for (const plugin of framework.at('Score')) {
    if (cycle.skippedScores.has(plugin.name)) continue;
    scoreAll(plugin, cycle, { nodes, scores: one });
    note?.(plugin.name, one);
    const weight = framework.weightOf(plugin.name);
    for (let index = 0; index < one.length; index++) total[index]! += weight * checked(plugin, one[index]!);
  }
  return total;
}

function runPreScores(
  framework: Framework,
  cycle: Cycle,
  { nodes, snapshot }: Pick<ScoreOptions, 'nodes' | 'snapshot'>,
): void {
  for (const plugin of framework.at('PreScore')) {
    try {
      if (plugin.preScore(cycle, nodes, snapshot) === 'skip') cycle.skippedScores.add(plugin.name);
    } catch (cause) {
      throw new PluginFault(`running PreScore plugin "${plugin.name}"`, cause);
    }
  }
}

function scoreAll(
  plugin: PluginAt<'Score'>,
  cycle: Cycle,
  { nodes, scores }: { readonly nodes: readonly NodeInfo[]; readonly scores: Float64Array },
): void {
  try {
    for (let index = 0; index < nodes.length; index++) scores[index] = plugin.score(cycle, nodes[index] as NodeInfo);
    plugin.normalizeScore?.(cycle, scores);
  } catch (cause) {
    throw new PluginFault(`running Score plugins: plugin "${plugin.name}" failed with`, cause);
  }
}

function checked(plugin: PluginAt<'Score'>, score: number): number {
  if (score >= 0 && score <= MAX_NODE_SCORE) return score;
  throw new Error(
    `plugin "${plugin.name}" returns an invalid score ${score}, it should in the range of [0, ${MAX_NODE_SCORE}] after normalizing`,
  );
}
