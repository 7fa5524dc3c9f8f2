import { type Logger, messageOf } from '../base/index.ts';
import type { NodeBackend } from './backend/index.ts';
import type { NodeCounts } from './node-counts.ts';
import { deadContainers } from './pod-state.ts';
import { type ContainerStatus, POD_UID, type PodSandboxStatus } from './runtime/index.ts';
import type { PodVolumes } from './volumes/index.ts';

export interface NodeCleanerParts {
  readonly backend: NodeBackend;
  readonly volumes: PodVolumes;
  readonly log: Logger;
  readonly counts: Pick<NodeCounts, 'metrics'>;
  /** Whether a pod exists in the API, or is being removed by its worker. */
  isKnown(podUid: string): boolean;
  /** Called after the files of a pod that is gone have been removed. */
  removed(podUid: string): void;
  /** Whether it has not ended, or is being removed by its worker. */
  readonly usesVolumes: (podUid: string) => boolean;
}

/** Shared by all nodes without containers. */
const NOTHING: ReadonlyMap<string, string> = new Map();
/** Grace period of containers whose pod is gone. */
const STOP_SECONDS = 2;

/**
 * Compares everything in the runtime with the pods of the API: finds pods whose containers have changed, and removes what is left of
 * pods that are gone. Sandboxes without a kubelet's labels belong to other programs and are left alone.
 */
export class NodeCleaner {
  readonly #parts: NodeCleanerParts;
  /** Ids and states of each pod's containers at the last call, by the pod's uid. */
  #seen: ReadonlyMap<string, string> = NOTHING;
  #hasSwept = false;

  constructor(parts: NodeCleanerParts) {
    this.#parts = parts;
  }

  /** Cleans up, and returns the uids of pods whose containers have changed since the last call. */
  async relist(): Promise<ReadonlySet<string>> {
    const { runtime } = this.#parts.backend;
    const sandboxes = (await runtime.listPodSandbox()).filter(({ labels }) => labels[POD_UID] !== undefined);
    const containers = sandboxes.length === 0 ? [] : await runtime.listContainers();
    const seen = new Map<string, string>();
    for (const { id, state, labels } of [...sandboxes, ...containers]) {
      const uid = labels[POD_UID] ?? '';
      seen.set(uid, `${seen.get(uid) ?? ''} ${id} ${state}`);
    }
    const changed = new Set(
      [...seen.keys(), ...this.#seen.keys()].filter((uid) => seen.get(uid) !== this.#seen.get(uid)),
    );
    this.#seen = seen.size === 0 ? NOTHING : seen;
    await this.#clean(sandboxes, containers);
    return changed;
  }

  /** Removes all containers that have ended, but those that the status of a running pod is made from. */
  async removeDead(hasEnded: (podUid: string) => boolean): Promise<void> {
    const { runtime } = this.#parts.backend;
    const exited = await runtime.listContainers({ state: 'CONTAINER_EXITED' });
    const own = exited.filter(({ labels }) => labels[POD_UID] !== undefined);
    const ended = own.filter(({ labels }) => hasEnded(labels[POD_UID] ?? ''));
    for (const { id } of new Set([...ended, ...deadContainers(own)]))
      await this.#attempt('dead container', () => runtime.removeContainer(id));
  }

  async #clean(sandboxes: readonly PodSandboxStatus[], containers: readonly ContainerStatus[]): Promise<void> {
    const { runtime, files, devices, resources } = this.#parts.backend;
    const { isKnown, removed, volumes } = this.#parts;
    const uidOf = ({ labels }: Pick<PodSandboxStatus, 'labels'>): string => labels[POD_UID] ?? '';
    const orphans = sandboxes.filter((sandbox) => !isKnown(uidOf(sandbox)));
    const orphanUids = new Set(orphans.map(uidOf));
    if (orphanUids.size > 0) this.#parts.counts.metrics.add('kubelet_orphaned_runtime_pods_total', {}, orphanUids.size);
    /** Pods whose containers may still write to their volumes. */
    const running = new Set(containers.filter(({ state }) => state === 'CONTAINER_RUNNING').map(uidOf));
    for (const sandbox of orphans)
      if (await this.#attempt('orphaned pod', () => this.#remove(sandbox, containers))) running.delete(uidOf(sandbox));
    const usesVolumes = (uid: string): boolean => running.has(uid) || this.#parts.usesVolumes(uid);
    await this.#attempt('volumes of orphaned pods', () => volumes.unmountStrangers(usesVolumes));
    for (const uid of orphanUids)
      if (!running.has(uid))
        await this.#attempt('orphaned pod', async () => {
          await devices.unprepare(uid);
          await resources.remove(uid);
          await files.removePod(uid);
          removed(uid);
        });
    await this.#attempt('devices of orphaned pods', async () => {
      for (const uid of devices.podUids()) if (!isKnown(uid) && !running.has(uid)) await devices.unprepare(uid);
    });
    await this.#attempt('limits of orphaned pods', async () => {
      for (const uid of await resources.leftovers())
        if (!isKnown(uid) && !running.has(uid)) await resources.remove(uid);
    });
    const strangers = (await files.pods()).filter((uid) => !isKnown(uid) && !running.has(uid));
    let failures = 0;
    for (const uid of strangers) {
      const isRemoved = await this.#attempt('files of orphaned pod', async () => {
        await files.removePod(uid);
        removed(uid);
      });
      if (!isRemoved) failures += 1;
    }
    this.#noteSweep(strangers.length, failures);
    const own = containers.filter((container) => isKnown(uidOf(container)));
    for (const { id } of deadContainers(own)) await this.#attempt('dead container', () => runtime.removeContainer(id));
    for (const { id } of deadSandboxes(sandboxes.filter((sandbox) => isKnown(uidOf(sandbox)))))
      await this.#attempt('dead sandbox', () => runtime.removePodSandbox(id));
  }

  /** Nodes that never had to sweep note nothing. */
  #noteSweep(found: number, failures: number): void {
    if (found === 0 && !this.#hasSwept) return;
    this.#hasSwept = true;
    const { metrics } = this.#parts.counts;
    metrics.set('kubelet_orphan_pod_cleaned_volumes', found);
    metrics.set('kubelet_orphan_pod_cleaned_volumes_errors', failures);
  }

  async #remove(sandbox: PodSandboxStatus, containers: readonly ContainerStatus[]): Promise<void> {
    const { runtime } = this.#parts.backend;
    const { metadata, id } = sandbox;
    this.#parts.log.info('orphaned pod is removed', {
      pod: `${metadata.namespace}/${metadata.name}`,
      uid: metadata.uid,
    });
    const running = containers.filter((each) => each.podSandboxId === id && each.state === 'CONTAINER_RUNNING');
    await Promise.all(running.map((each) => runtime.stopContainer(each.id, STOP_SECONDS)));
    await runtime.stopPodSandbox(id);
    await runtime.removePodSandbox(id);
  }

  /** What cannot be removed now is tried again at the next relist. Returns whether it was removed. */
  async #attempt(what: string, remove: () => Promise<void>): Promise<boolean> {
    try {
      await remove();
      return true;
    } catch (error) {
      this.#parts.log.warn('clean-up failed', { what, error: messageOf(error) });
      return false;
    }
  }
}

/** Sandboxes that have stopped and that a newer one of the same pod has replaced. */
export function deadSandboxes(sandboxes: readonly PodSandboxStatus[]): readonly PodSandboxStatus[] {
  const newest = new Map<string, PodSandboxStatus>();
  for (const sandbox of sandboxes) {
    const known = newest.get(sandbox.metadata.uid);
    if (known === undefined || known.createdAtMs <= sandbox.createdAtMs) newest.set(sandbox.metadata.uid, sandbox);
  }
  return sandboxes.filter((each) => each.state === 'SANDBOX_NOTREADY' && newest.get(each.metadata.uid) !== each);
}
