import type { Random } from '../../base/index.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import { compareUtf8 } from '../../base/index.ts';
import type { Cycle } from '../framework/cycle.ts';
import { Diagnosis } from '../framework/diagnosis.ts';
import { FitError, NoNodesError } from '../framework/fit-error.ts';
import type { Framework } from '../framework/framework.ts';
import { unresolvable } from '../framework/rejection.ts';
import { filtersFor, type NodeFilter, runPostFilters, runPreFilters } from '../framework/run-filters.ts';
import { runScores, ScoreSheet } from '../framework/run-scores.ts';
import { feasibleNodesToFind } from './node-sampling.ts';
import { selectNode } from './select-node.ts';

/** A node for a pod, and how many were looked at on the way. */
export interface Placement {
  readonly nodeName: string;
  readonly evaluatedNodes: number;
  readonly feasibleNodes: number;
}

/**
 * Finds the best node for one pod after the other: filters the nodes, compares those that would do, takes the best.
 *
 * Nothing here waits, so the snapshot cannot change on the way. Each search begins where the last one ended, so that all
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

  /** Throws `NoNodesError`, `FitError` when no node will do, or what a plugin fails with. */
  schedule(framework: Framework, cycle: Cycle): Placement {
    const nodeCount = this.#snapshot.nodes.length;
    if (nodeCount === 0) throw new NoNodesError();
    const diagnosis = new Diagnosis();
    const feasible = this.#findFeasible(framework, cycle, diagnosis);
    if (feasible.length === 0) throw this.#fitError(framework, cycle, diagnosis);
    const node = feasible.length === 1 ? (feasible[0] as NodeInfo) : this.#choose(framework, cycle, feasible);
    return {
      nodeName: node.name,
      evaluatedNodes: feasible.length + diagnosis.size,
      feasibleNodes: feasible.length,
    };
  }

  #choose(framework: Framework, cycle: Cycle, nodes: readonly NodeInfo[]): NodeInfo {
    return selectNode(nodes, runScores(framework, cycle, { nodes, sheet: this.#sheet }), this.#random);
  }

  #findFeasible(framework: Framework, cycle: Cycle, diagnosis: Diagnosis): NodeInfo[] {
    const { rejection, nodes: names, plugins } = runPreFilters(framework, cycle, this.#snapshot);
    for (const plugin of plugins) diagnosis.unschedulablePlugins.add(plugin);
    if (rejection !== undefined) {
      diagnosis.rejectOthers(rejection);
      diagnosis.preFilterMessage = rejection.reasons.join(', ');
      diagnosis.blame(rejection);
      return [];
    }
    const filter = filtersFor(framework, cycle);
    const nominated = this.#snapshot.get(cycle.pod.pod.status?.nominatedNodeName ?? '');
    if (nominated !== undefined && filter(nominated) === undefined) return [nominated];
    if (names === undefined) return this.#search(framework, filter, diagnosis);
    const satisfied = [...plugins].sort(compareUtf8).join(' ');
    diagnosis.rejectOthers(unresolvable('', `node(s) didn't satisfy plugin(s) [${satisfied}]`));
    const nodes = [...names].map((name) => this.#snapshot.get(name)).filter((node) => node !== undefined);
    return this.#search(framework, filter, diagnosis, nodes);
  }

  #search(
    framework: Framework,
    filter: NodeFilter,
    diagnosis: Diagnosis,
    nodes: readonly NodeInfo[] = this.#snapshot.nodes,
  ): NodeInfo[] {
    const { percentageOfNodesToScore } = framework.profile;
    const wanted = framework.at('Score').length === 0 ? 1 : feasibleNodesToFind(nodes.length, percentageOfNodesToScore);
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

  #fitError(framework: Framework, cycle: Cycle, diagnosis: Diagnosis): FitError {
    const filter = filtersFor(framework, cycle);
    diagnosis.postFilterMessage = runPostFilters(framework, cycle, { snapshot: this.#snapshot, diagnosis, filter });
    return new FitError(this.#snapshot.nodes.length, diagnosis);
  }
}
