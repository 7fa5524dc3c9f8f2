// What kube-scheduler 1.36.3 did with pods with volumes in clusters made up at random, recorded; ours must find the same.
import { expect, test } from 'vitest';
import { SeededRandom } from '../../../src/base/index.ts';
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  type Kind,
  type KubernetesObject,
  keyOf,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from '../../../src/client/index.ts';
import { SchedulerCache } from '../../../src/scheduler/cache/scheduler-cache.ts';
import { Snapshot } from '../../../src/scheduler/cache/snapshot.ts';
import { PodScheduler } from '../../../src/scheduler/cycle/schedule-pod.ts';
import { Cycle } from '../../../src/scheduler/framework/cycle.ts';
import { FitError } from '../../../src/scheduler/framework/fit-error.ts';
import { Framework } from '../../../src/scheduler/framework/framework.ts';
import type { Lister } from '../../../src/scheduler/framework/plugin-context.ts';
import { defaultProfile } from '../../../src/scheduler/framework/profile.ts';
import { preBindersOf, runPreBind, runReserve } from '../../../src/scheduler/framework/run-binding.ts';
import { filtersFor, runPreFilters } from '../../../src/scheduler/framework/run-filters.ts';
import { runScores, ScoreSheet } from '../../../src/scheduler/framework/run-scores.ts';
import { builtInPlugins } from '../../../src/scheduler/plugins/registry.ts';
import { listerOf, nodeOf, podInfoOf, sharedContext } from '../../../src/scheduler/testing/objects.ts';
import { readVolumeRuns, type VolumeObjects } from './recorded-volumes.ts';

/** Objects as the caches of the scheduler have them. */
class FakeStore {
  readonly #byKind = new Map<string, Map<string, Observed<KubernetesObject>>>();
  #version = 0;

  put(kind: Kind, object: object): void {
    this.#version += 1;
    const { metadata } = object as { metadata: object };
    const stored = {
      ...object,
      metadata: { ...metadata, resourceVersion: String(this.#version) },
    } as Observed<KubernetesObject>;
    this.#of(kind).set(keyOf(stored), stored);
  }

  lister<T extends KubernetesObject>(kind: Kind<T>): Lister<T> {
    const objects = this.#of(kind as Kind) as Map<string, Observed<T>>;
    return {
      ...listerOf(kind, []),
      get: (key) => objects.get(key),
      list: () => [...objects.values()],
      byIndex: (index, value) =>
        [...objects.values()].filter((each) => [...(index.valuesOf(each) ?? [])].includes(value)),
      update: async (object) => {
        this.put(kind as Kind, object);
        return objects.get(keyOf(object as Observed<T>)) as Observed<T>;
      },
    };
  }

  #of(kind: Kind): Map<string, Observed<KubernetesObject>> {
    const known = this.#byKind.get(kind.kind);
    if (known !== undefined) return known;
    const made = new Map<string, Observed<KubernetesObject>>();
    this.#byKind.set(kind.kind, made);
    return made;
  }
}

function storeOf(objects: VolumeObjects): FakeStore {
  const store = new FakeStore();
  for (const each of objects.csiNodes) store.put(CSINode, each);
  for (const each of objects.classes) store.put(StorageClass, each);
  for (const each of objects.drivers) store.put(CSIDriver, each);
  for (const each of objects.capacities) store.put(CSIStorageCapacity, each);
  for (const each of objects.attachments) store.put(VolumeAttachment, each);
  for (const { phase, spec, metadata } of objects.claims)
    store.put(PersistentVolumeClaim, {
      metadata: { ...metadata, namespace: 'default', uid: `uid-${metadata.name}` },
      spec,
      status: { phase },
    });
  for (const { phase, spec, metadata } of objects.volumes) {
    const uid = phase === 'Bound' ? `uid-${spec.claimRef?.name}` : undefined;
    const claimRef = uid === undefined ? spec.claimRef : { ...spec.claimRef, uid };
    store.put(PersistentVolume, { metadata, spec: { ...spec, claimRef }, status: { phase } });
  }
  return store;
}

const runs = readVolumeRuns();

test('enough was recorded', () => {
  expect(runs.flatMap(({ pods }) => pods).length).toBeGreaterThanOrEqual(400);
});

test.each(runs.map((run, index) => ({ run, index })))(
  'run number $index ends as it did with kube-scheduler',
  async ({ run }) => {
    const store = storeOf(run.objects);
    const claims = store.lister(PersistentVolumeClaim);
    const volumes = store.lister(PersistentVolume);
    const shared = sharedContext({ objects: (kind) => store.lister(kind) });
    const framework = new Framework(defaultProfile, builtInPlugins, shared);
    const cache = new SchedulerCache();
    for (const { metadata, spec, status } of run.objects.nodes)
      cache.setNode(nodeOf({ ...metadata, ...spec, allocatable: status.allocatable }));
    const snapshot = new Snapshot();
    const scheduler = new PodScheduler(snapshot, new SeededRandom(1));

    /** The nodes that are as good as the best, with what was found out about them. */
    const best = (cycle: Cycle): string[] => {
      runPreFilters(framework, cycle, snapshot);
      const filter = filtersFor(framework, cycle);
      const nodes = snapshot.nodes.filter((node) => filter(node) === undefined);
      const scores = runScores(framework, cycle, { nodes, snapshot, sheet: new ScoreSheet() });
      return nodes.filter((_, index) => scores[index] === Math.max(...scores)).map(({ name }) => name);
    };
    const isUnbound = (name: string): boolean => claims.get(`default/${name}`)?.status?.phase === 'Pending';
    const choiceOf = (name: string): string => {
      const reserved = volumes.list().find(({ spec }) => spec?.claimRef?.uid === `uid-${name}`);
      return reserved?.metadata.name ?? '';
    };

    for (const { name, spec, node, message, chosen = {} } of run.pods) {
      const pod = podInfoOf({ name, ...spec });
      cache.update(snapshot);
      let outcome: { node?: string; message?: string };
      try {
        outcome = { node: (await scheduler.schedule(framework, new Cycle(pod))).nodeName };
      } catch (error) {
        if (!(error instanceof FitError)) throw error;
        outcome = { message: error.message };
      }
      if (node === undefined) {
        expect({ name, ...outcome }).toEqual({ name, message });
        continue;
      }
      const cycle = new Cycle(pod);
      expect({ name, best: best(cycle) }).toEqual({ name, best: expect.arrayContaining([node, outcome.node]) });
      const names = (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
      const waiting = [...new Set(names)].filter(isUnbound);
      cache.assume(pod, node);
      expect(runReserve(framework, cycle, node)).toBeUndefined();
      const binding = runPreBind(preBindersOf(framework, cycle, node), cycle, {
        nodeName: node,
        signal: new AbortController().signal,
        rest: () => Promise.reject(new Error('written')),
      });
      if (waiting.length === 0) await binding;
      else await expect(binding).rejects.toThrow('written');
      expect({ name, chosen: Object.fromEntries(waiting.map((each) => [each, choiceOf(each)])) }).toEqual({
        name,
        chosen,
      });
      for (const [claimName, found] of Object.entries(chosen)) bind(store, claimName, found);
    }
  },
);

/** Does what was done by hand when the runs were recorded. */
function bind(store: FakeStore, name: string, chosen: string): void {
  const claim = store.lister(PersistentVolumeClaim).get(`default/${name}`) as Observed<PersistentVolumeClaim>;
  const volumeName = chosen === '' ? `made-${name}` : chosen;
  const volume = store.lister(PersistentVolume).get(volumeName) ?? {
    metadata: { name: volumeName },
    spec: {
      storageClassName: claim.spec?.storageClassName,
      claimRef: { namespace: 'default', name, uid: claim.metadata.uid },
      csi: { driver: 'csi.example.com', volumeHandle: volumeName },
    },
  };
  store.put(PersistentVolume, { ...volume, status: { phase: 'Bound' } });
  const annotations = { ...claim.metadata.annotations, 'pv.kubernetes.io/bind-completed': 'yes' };
  store.put(PersistentVolumeClaim, {
    ...claim,
    metadata: { ...claim.metadata, annotations },
    spec: { ...claim.spec, volumeName },
    status: { phase: 'Bound' },
  });
}
