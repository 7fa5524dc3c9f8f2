// What kube-scheduler 1.36.3 decided about pods that want to be near others or apart, with its scores and victims, recorded;
// ours must find the same.
import { expect, test } from 'vitest';
import { SeededRandom } from '../../../src/base/index.ts';
import { type KubernetesObject, PodDisruptionBudget } from '../../../src/client/index.ts';
import { PodInfo } from '../../../src/scheduler/cache/pod-info.ts';
import { SchedulerCache } from '../../../src/scheduler/cache/scheduler-cache.ts';
import { Snapshot } from '../../../src/scheduler/cache/snapshot.ts';
import { PodScheduler } from '../../../src/scheduler/cycle/schedule-pod.ts';
import { Cycle } from '../../../src/scheduler/framework/cycle.ts';
import { FitError } from '../../../src/scheduler/framework/fit-error.ts';
import { Framework } from '../../../src/scheduler/framework/framework.ts';
import { filtersFor, PluginTrial, runPreFilters, Trials } from '../../../src/scheduler/framework/run-filters.ts';
import { runScores, ScoreSheet } from '../../../src/scheduler/framework/run-scores.ts';
import { bestCandidates } from '../../../src/scheduler/plugins/preemption/choose-candidate.ts';
import { budgetsOf } from '../../../src/scheduler/plugins/preemption/disruption-budgets.ts';
import { findCandidates } from '../../../src/scheduler/plugins/preemption/find-candidates.ts';
import { builtInPlugins } from '../../../src/scheduler/plugins/registry.ts';
import { listerOf, nodeOf, podOf, sharedContext } from '../../../src/scheduler/testing/objects.ts';
import { profiles } from './decision-profiles.ts';
import { type Decision, type DecisionRun, readDecisions, startTimeOf } from './decision-run.ts';
import { readRuns } from './recorded-run.ts';
import type { Surroundings } from './random-mix.ts';

const runs = readDecisions();

test('at least 1,500 decisions are compared in all', () => {
  const placements = readRuns().reduce((sum, { pods }) => sum + pods.length, 0);
  const decisions = runs.reduce((sum, run) => sum + run.decisions.length, 0);
  expect(placements + decisions).toBeGreaterThanOrEqual(1500);
});

test.each(runs.map((run, index) => ({ run, index })))(
  'run number $index is decided as it was by kube-scheduler',
  async ({ run }) => {
    const replay = new Replay(run);
    for (const [index, decision] of run.decisions.entries()) {
      const pod = replay.podOf(decision, index);
      const outcome = await replay.decide(pod);
      const { name, message, nominated, node = '', scores } = decision;
      if (message !== undefined) expect({ name, message: outcome.message }).toEqual({ name, message });
      if (nominated !== undefined) {
        const candidates = replay.preemption(pod);
        expect({ name, candidates }).toEqual({ name, candidates: expect.arrayContaining([nominated]) });
        expect(candidates.map((candidate) => candidate.node)).toContain(outcome.nominated);
        for (const victim of nominated.victims) replay.remove(victim);
      } else if (message !== undefined)
        expect({ name, nominated: outcome.nominated ?? '' }).toEqual({ name, nominated: '' });
      else {
        const found = replay.scores(pod);
        if (scores !== undefined) expect({ name, scores: found }).toEqual({ name, scores: withoutZeros(scores) });
        expect({ name, nodes: Object.keys(found) }).toEqual({
          name,
          nodes: expect.arrayContaining([node, outcome.node]),
        });
      }
      if (node !== '') replay.place(decision, index);
    }
  },
);

class Replay {
  readonly #cache = new SchedulerCache();
  readonly #snapshot = new Snapshot();
  readonly #scheduler = new PodScheduler(this.#snapshot, new SeededRandom(1));
  readonly #frameworks: ReadonlyMap<string, Framework>;
  readonly #budgets: ReturnType<typeof budgetsOf>;

  constructor({ surroundings }: DecisionRun) {
    const objects = objectsOf(surroundings);
    const context = sharedContext({ objects: (kind) => listerOf(kind, objects) });
    this.#frameworks = new Map(
      profiles.map((profile) => [profile.schedulerName, new Framework(profile, builtInPlugins, context)]),
    );
    this.#budgets = budgetsOf(context.objects(PodDisruptionBudget).list());
    for (const { metadata, spec, status } of surroundings.nodes)
      this.#cache.setNode({ ...nodeOf({ ...metadata, ...spec }), status } as ReturnType<typeof nodeOf>);
  }

  podOf({ name, namespace, labels, owner, spec }: Decision, index: number): PodInfo {
    const pod = podOf({ name, labels, ...spec, status: { startTime: startTimeOf(index) } });
    const apiVersion = owner === 'ReplicationController' ? 'v1' : 'apps/v1';
    const ownerReferences =
      owner === undefined
        ? undefined
        : [{ apiVersion, kind: owner, name: owner.toLowerCase(), uid: owner, controller: true }];
    const metadata = { ...pod.metadata, namespace, uid: `${namespace}/${name}`, ownerReferences };
    return new PodInfo({ ...pod, metadata } as typeof pod);
  }

  async decide(pod: PodInfo): Promise<{ node?: string; message?: string; nominated?: string }> {
    this.#cache.update(this.#snapshot);
    try {
      return { node: (await this.#scheduler.schedule(this.#framework(pod), new Cycle(pod))).nodeName };
    } catch (error) {
      if (!(error instanceof FitError)) throw error;
      return { message: error.message, nominated: error.nominatedNodeName };
    }
  }

  /** The nodes on which preemption does the least harm, with its victims. */
  preemption(pod: PodInfo): { node: string; victims: string[] }[] {
    const framework = this.#framework(pod);
    const cycle = new Cycle(pod);
    runPreFilters(framework, cycle, this.#snapshot);
    const filter = filtersFor(framework, cycle);
    const nodes = this.#snapshot.nodes.filter((node) => filter(node)?.code === 'Unschedulable');
    const trials = new Trials(framework, cycle);
    const context = { trial: (node: (typeof nodes)[number]) => new PluginTrial(trials, cycle, node) };
    const search = { context: context as never, budgets: this.#budgets, nodes, start: 0, wanted: nodes.length };
    return bestCandidates(findCandidates(pod, search).candidates).map(({ nodeName, pods }) => ({
      node: nodeName,
      victims: pods.map(({ uid }) => uid).sort(),
    }));
  }

  /** What each plugin thinks of the nodes that would do, with its weight and without zeros. */
  scores(pod: PodInfo): Record<string, Record<string, number>> {
    const framework = this.#framework(pod);
    const cycle = new Cycle(pod);
    runPreFilters(framework, cycle, this.#snapshot);
    const filter = filtersFor(framework, cycle);
    const nodes = this.#snapshot.nodes.filter((node) => filter(node) === undefined);
    const found: Record<string, Record<string, number>> = Object.fromEntries(nodes.map(({ name }) => [name, {}]));
    const note = (plugin: string, scores: Float64Array): void => {
      const weight = framework.weightOf(plugin);
      for (const [index, score] of scores.entries()) found[nodes[index]!.name]![plugin] = weight * score;
    };
    runScores(framework, cycle, { nodes, snapshot: this.#snapshot, sheet: new ScoreSheet(), note });
    return withoutZeros(found);
  }

  place(decision: Decision, index: number): void {
    const { pod } = this.podOf(decision, index).onNode(decision.node ?? '');
    this.#cache.setPod(pod);
  }

  remove(key: string): void {
    expect(this.#cache.removePod(key)).toBe(true);
  }

  #framework(pod: PodInfo): Framework {
    return this.#frameworks.get(pod.schedulerName) as Framework;
  }
}

/** Everything but nodes and pods, as far as plugins look at it. */
function objectsOf({ namespaces, services, owners, budgets }: Surroundings): KubernetesObject[] {
  const selected = (kind: string, { name, namespace }: { name: string; namespace: string }, rest: object): object => ({
    kind,
    metadata: { name, namespace },
    ...rest,
  });
  return [
    ...Object.entries(namespaces).map(([name, labels]) => ({ kind: 'Namespace', metadata: { name, labels } })),
    ...services.map((one) => selected('Service', one, { spec: { selector: one.labels } })),
    ...owners.map((one) => {
      const selector = one.kind === 'ReplicationController' ? one.labels : { matchLabels: one.labels };
      return selected(one.kind, one, { spec: { selector } });
    }),
    ...budgets.map((one) =>
      selected('PodDisruptionBudget', one, {
        spec: { selector: { matchLabels: one.labels } },
        status: { disruptionsAllowed: one.allowed },
      }),
    ),
  ] as KubernetesObject[];
}

function withoutZeros(
  scores: Readonly<Record<string, Readonly<Record<string, number>>>>,
): Record<string, Record<string, number>> {
  return Object.fromEntries(
    Object.entries(scores).map(([node, byPlugin]) => [
      node,
      Object.fromEntries(Object.entries(byPlugin).filter(([, score]) => score !== 0)),
    ]),
  );
}
