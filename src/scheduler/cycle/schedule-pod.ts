import { compareUtf8, type Random } from '../../base/index.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import { nominatedNode } from '../cache/nominated-pods.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import type { Cycle } from '../framework/cycle.ts';
import { Diagnosis } from '../framework/diagnosis.ts';
import type { Extender } from '../framework/extender.ts';
import { FitError, NoNodesError } from '../framework/fit-error.ts';
import type { Framework } from '../framework/framework.ts';
import type { StepOptions } from '../framework/plugin.ts';
import { unresolvable } from '../framework/rejection.ts';
import { addExtenderScores, filterByExtenders } from '../framework/run-extenders.ts';
import { filtersFor, type NodeFilter, runPostFilters, runPreFilters } from '../framework/run-filters.ts';
import { runScores, ScoreSheet } from '../framework/run-scores.ts';

/** The node that was chosen, and the number of nodes that were evaluated and feasible. */
export interface Placement {
  readonly nodeName: string;
  readonly evaluatedNodes: number;
  readonly feasibleNodes: number;
}

/** The state of one search. */
interface Search extends StepOptions {
  readonly framework: Framework;
  readonly cycle: Cycle;
  readonly diagnosis: Diagnosis;
}

const NEVER_ABORTED: StepOptions = { signal: new AbortController().signal };

/**
 * Finds the best node for one pod at a time: filters the nodes, scores the feasible ones, picks the highest score.
 *
 * Assumes that the snapshot does not change during a search. Each search starts where the last one ended, so that all
 * nodes of a large cluster get their turn.
 */
export class PodScheduler {
  readonly #snapshot: Snapshot;
  readonly #random: Random;
  readonly #sheet = new ScoreSheet();
  #nextStart = 0;

  constructor(snapshot: Snapshot, random: Random) {
    this.#snapshot = snapshot;
    this.#random = random;
  }

  /**
   * Throws `NoNodesError`, `FitError` when no node fits, or the error of a plugin or extender.
   *
   * Guarantees: synchronous, unless extenders apply to the pod or a PostFilter plugin returns a promise.
   */
  schedule(framework: Framework, cycle: Cycle, { signal } = NEVER_ABORTED): Placement | Promise<Placement> {
    if (this.#snapshot.nodes.length === 0) throw new NoNodesError();
    const search: Search = { framework, cycle, diagnosis: new Diagnosis(), signal };
    const nodes = this.#candidates(search);
    let feasible: readonly NodeInfo[] = [];
    if (nodes !== undefined) {
      const filter = filtersFor(framework, cycle);
      const extenders = framework.extendersFor(cycle.pod);
      if (extenders.length > 0) return this.#scheduleWithExtenders(extenders, search, { filter, nodes });
      feasible = this.#nominated(search, filter);
      if (feasible.length === 0) feasible = this.#feasible(search, filter, nodes);
    }
    if (feasible.length === 0) {
      const error = this.#fitError(search);
      if (error instanceof Promise) return error.then((late) => Promise.reject(late));
      throw error;
    }
    return placement(search, feasible, this.#best(feasible, this.#scores(search, feasible)));
  }

  /** Like the synchronous path, and calls the extenders after the plugins of each step. */
  async #scheduleWithExtenders(
    extenders: readonly Extender[],
    search: Search,
    { filter, nodes }: { readonly filter: NodeFilter; readonly nodes: readonly NodeInfo[] },
  ): Promise<Placement> {
    const { diagnosis, signal } = search;
    const { pod } = search.cycle;
    const accepted = (found: readonly NodeInfo[]): Promise<readonly NodeInfo[]> =>
      filterByExtenders(extenders, pod, { nodes: found, diagnosis, signal });
    // an extender that fails for the nominated node is still called for the other nodes
    let feasible = await accepted(this.#nominated(search, filter)).catch(() => []);
    if (feasible.length === 0) feasible = await accepted(this.#feasible(search, filter, nodes));
    if (feasible.length === 0) throw await this.#fitError(search);
    const scores = this.#scores(search, feasible);
    if (feasible.length > 1) await addExtenderScores(extenders, pod, { nodes: feasible, scores, signal });
    return placement(search, feasible, this.#best(feasible, scores));
  }

  /** The candidate nodes after PreFilter; undefined when PreFilter rejected the pod, and no filter may run. */
  #candidates({ framework, cycle, diagnosis }: Search): readonly NodeInfo[] | undefined {
    const { rejection, nodes: names, plugins } = runPreFilters(framework, cycle, this.#snapshot);
    for (const plugin of plugins) diagnosis.unschedulablePlugins.add(plugin);
    if (rejection !== undefined) {
      diagnosis.rejectOthers(rejection);
      diagnosis.preFilterMessage = rejection.reasons.join(', ');
      diagnosis.blame(rejection);
      return undefined;
    }
    if (names === undefined) return this.#snapshot.nodes;
    const satisfied = [...plugins].sort(compareUtf8).join(' ');
    diagnosis.rejectOthers(unresolvable('', `node(s) didn't satisfy plugin(s) [${satisfied}]`));
    return [...names].map((name) => this.#snapshot.get(name)).filter((node) => node !== undefined);
  }

  /** The nominated node, if it is feasible: it is chosen without evaluating others. */
  #nominated({ cycle, diagnosis }: Search, filter: NodeFilter): readonly NodeInfo[] {
    const node = this.#snapshot.get(nominatedNode(cycle.pod.pod));
    if (node === undefined) return [];
    const rejection = filter(node);
    if (rejection === undefined) return [node];
    diagnosis.reject(node.name, rejection);
    return [];
  }

  #feasible({ framework, diagnosis }: Search, filter: NodeFilter, nodes: readonly NodeInfo[]): readonly NodeInfo[] {
    const { percentageOfNodesToScore } = framework.profile;
    const wanted = framework.choosesNodes ? feasibleNodesToFind(nodes.length, percentageOfNodesToScore) : 1;
    const feasible: NodeInfo[] = [];
    let looked = 0;
    for (; looked < nodes.length && feasible.length < wanted; looked++) {
      const node = nodes[(this.#nextStart + looked) % nodes.length] as NodeInfo;
      const rejection = filter(node);
      if (rejection === undefined) feasible.push(node);
      else diagnosis.reject(node.name, rejection);
    }
    this.#nextStart = (this.#nextStart + looked) % this.#snapshot.nodes.length;
    return feasible;
  }

  #scores({ framework, cycle }: Search, nodes: readonly NodeInfo[]): Float64Array {
    if (nodes.length === 1) return this.#sheet.total(1);
    return runScores(framework, cycle, { nodes, snapshot: this.#snapshot, sheet: this.#sheet });
  }

  #best(nodes: readonly NodeInfo[], scores: Float64Array): NodeInfo {
    return selectNode(nodes, scores, this.#random);
  }

  #fitError({ framework, cycle, diagnosis, signal }: Search): FitError | Promise<FitError> {
    const { nodes } = this.#snapshot;
    const outcome = runPostFilters(framework, cycle, { snapshot: this.#snapshot, diagnosis, signal });
    if (outcome instanceof Promise) return outcome.then((late) => new FitError(nodes.length, diagnosis, late));
    return new FitError(nodes.length, diagnosis, outcome);
  }
}

function placement({ diagnosis }: Search, feasible: readonly NodeInfo[], node: NodeInfo): Placement {
  return {
    nodeName: node.name,
    evaluatedNodes: feasible.length + diagnosis.size,
    feasibleNodes: feasible.length,
  };
}

/** Picks the node with the highest score; among equals each is equally likely. */
export function selectNode(nodes: readonly NodeInfo[], scores: Float64Array, random: Random): NodeInfo {
  let best = 0;
  let ties = 1;
  for (let index = 1; index < nodes.length; index++) {
    const difference = scores[index]! - scores[best]!;
    if (difference > 0) {
      best = index;
      ties = 1;
    } else if (difference === 0 && random.int(++ties) === 0) best = index;
  }
  return nodes[best] as NodeInfo;
}

/** Smaller clusters are searched completely. */
const MIN_FEASIBLE_NODES = 100;
const MIN_PERCENTAGE = 5;

/**
 * How many feasible nodes end the search: in a large cluster, evaluating every node costs more than a slightly better
 * choice gains.
 *
 * Example: all of 99, 100 of 100 to 200 or so, 420 of 1,000, 500 of 5,000 (10 %), 5 % from 5,625 nodes on.
 */
export function feasibleNodesToFind(nodeCount: number, percentage: number | undefined): number {
  if (nodeCount < MIN_FEASIBLE_NODES) return nodeCount;
  const share = percentage === undefined || percentage === 0 ? adaptivePercentage(nodeCount) : percentage;
  return Math.max(MIN_FEASIBLE_NODES, Math.floor((nodeCount * share) / 100));
}

function adaptivePercentage(nodeCount: number): number {
  return Math.max(MIN_PERCENTAGE, 50 - Math.floor(nodeCount / 125));
}
