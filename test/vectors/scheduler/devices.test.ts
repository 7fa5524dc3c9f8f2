// What kube-scheduler 1.36.3 gave to claims in clusters with devices made up at random, recorded; ours must find the same.
import { expect, test } from 'vitest';
import { SeededRandom } from '../../../src/base/index.ts';
import { type Kind, keyOf, type KubernetesObject, type Observed } from '../../../src/client/index.ts';
import { SchedulerCache } from '../../../src/scheduler/cache/scheduler-cache.ts';
import { PodInfo } from '../../../src/scheduler/cache/pod-info.ts';
import { Snapshot } from '../../../src/scheduler/cache/snapshot.ts';
import { PodScheduler } from '../../../src/scheduler/cycle/schedule-pod.ts';
import { Cycle } from '../../../src/scheduler/framework/cycle.ts';
import { Framework } from '../../../src/scheduler/framework/framework.ts';
import type { Lister } from '../../../src/scheduler/framework/plugin-context.ts';
import { defaultProfile } from '../../../src/scheduler/framework/profile.ts';
import { runReserve } from '../../../src/scheduler/framework/run-binding.ts';
import { filtersFor, runPreFilters } from '../../../src/scheduler/framework/run-filters.ts';
import { runScores, ScoreSheet } from '../../../src/scheduler/framework/run-scores.ts';
import { builtInPlugins } from '../../../src/scheduler/plugins/registry.ts';
import { sharedContext } from '../../../src/scheduler/testing/objects.ts';
import { readDeviceRuns, type RecordedDevicePod, type RecordedDeviceRun } from './recorded-devices.ts';

/** Objects of some kinds, by key. */
class Memory {
  readonly #objects = new Map<string, Map<string, Observed<KubernetesObject>>>();

  put(object: Observed<KubernetesObject>): void {
    const { kind } = object;
    const known = this.#objects.get(kind) ?? new Map<string, Observed<KubernetesObject>>();
    this.#objects.set(kind, known.set(keyOf(object), object));
  }

  remove(object: Observed<KubernetesObject>): void {
    this.#objects.get(object.kind)?.delete(keyOf(object));
  }

  lister<T extends KubernetesObject>({ kind }: Kind<T>): Lister<T> {
    const all = (): Observed<T>[] => [...(this.#objects.get(kind)?.values() ?? [])] as Observed<T>[];
    const empty = sharedContext().objects({ kind } as Kind<T>);
    return {
      ...empty,
      get: (key) => all().find((object) => keyOf(object as Observed<KubernetesObject>) === key),
      list: all,
      byIndex: ({ valuesOf }, value) => all().filter((object) => [valuesOf(object) ?? []].flat().includes(value)),
    };
  }
}

class Replay {
  readonly #memory = new Memory();
  readonly #cache = new SchedulerCache();
  readonly #snapshot = new Snapshot();
  readonly #scheduler = new PodScheduler(this.#snapshot, new SeededRandom(1));
  readonly #underWay = new Map();
  readonly #framework = new Framework(
    defaultProfile,
    builtInPlugins,
    sharedContext({ objects: (kind) => this.#memory.lister(kind), allocationsInFlight: this.#underWay }),
  );

  constructor({ nodes, classes, slices }: RecordedDeviceRun) {
    for (const node of nodes) this.#cache.setNode(node);
    for (const object of [...classes, ...slices]) this.#memory.put(object as Observed<KubernetesObject>);
  }

  /** What ours does where kube-scheduler did something. */
  async outcome({ pod, claims, node, reason, message = '' }: RecordedDevicePod): Promise<object> {
    for (const claim of claims) this.#memory.put(claim as Observed<KubernetesObject>);
    const { nodeName: _, ...spec } = pod.spec ?? {};
    const info = new PodInfo({ ...pod, spec, status: {} } as typeof pod);
    this.#cache.update(this.#snapshot);
    try {
      const { nodeName } = await this.#scheduler.schedule(this.#framework, new Cycle(info));
      const { best, devices } = this.#devicesOn(info, node ?? nodeName);
      return { best: best.includes(node ?? '') ? node : best, devices };
    } catch (error) {
      const { message: reported } = error as Error;
      // nodes are looked at in any order, and the first on which something is wrong is reported
      return { message: reason === 'SchedulerError' && this.#faults(info).includes(message) ? message : reported };
    }
  }

  /** What is wrong on each of the nodes. */
  #faults(info: PodInfo): string[] {
    const cycle = new Cycle(info);
    runPreFilters(this.#framework, cycle, this.#snapshot);
    const filter = filtersFor(this.#framework, cycle);
    return this.#snapshot.nodes.flatMap((node) => {
      try {
        filter(node);
        return [];
      } catch (error) {
        return [(error as Error).message];
      }
    });
  }

  /** Goes on from what kube-scheduler has left. */
  goOn({ pod, claims, allocated, node }: RecordedDevicePod): void {
    for (const claim of claims) this.#memory.remove(claim as Observed<KubernetesObject>);
    if (node === undefined) return;
    for (const claim of allocated ?? []) this.#memory.put(claim as Observed<KubernetesObject>);
    this.#cache.assume(new PodInfo(pod), node);
  }

  #devicesOn(info: PodInfo, node: string): { best: string[]; devices: unknown[] } {
    const cycle = new Cycle(info);
    runPreFilters(this.#framework, cycle, this.#snapshot);
    const filter = filtersFor(this.#framework, cycle);
    const nodes = this.#snapshot.nodes.filter((each) => filter(each) === undefined);
    const scores = runScores(this.#framework, cycle, { nodes, snapshot: this.#snapshot, sheet: new ScoreSheet() });
    runReserve(this.#framework, cycle, node);
    const devices = [...this.#underWay.values()].map(comparable);
    this.#underWay.clear();
    return { best: nodes.filter((_, at) => scores[at] === Math.max(...scores)).map(({ name }) => name), devices };
  }
}

/** Without the time, and identifiers that are made up. */
function comparable(allocation: object | undefined): unknown {
  const text = JSON.stringify(allocation, (name, value: unknown) => {
    if (name === 'allocationTimestamp') return undefined;
    return name === 'shareID' ? 'some' : value;
  });
  return JSON.parse(text);
}

function expected({ allocated, node, message }: RecordedDevicePod): object {
  if (node === undefined) return { message };
  return { best: node, devices: (allocated ?? []).map(({ status }) => comparable(status?.allocation)) };
}

/**
 * What kube-scheduler says of a pod that uses a claim, and an extended resource that its node provides without devices: it makes
 * a claim for nothing, and fails to bind the pod. Ours binds it.
 */
const NOT_BOUND_THERE = 'nil or empty request mappings';

test.each(readDeviceRuns().map((run, at) => ({ run, at })))(
  'run number $at ends as it did with kube-scheduler',
  async ({ run }) => {
    const replay = new Replay(run);
    for (const recorded of run.pods.filter(({ message = '' }) => !message.includes(NOT_BOUND_THERE))) {
      const { name } = recorded.pod.metadata;
      expect.soft({ name, ...(await replay.outcome(recorded)) }).toEqual({ name, ...expected(recorded) });
      replay.goOn(recorded);
    }
  },
);
