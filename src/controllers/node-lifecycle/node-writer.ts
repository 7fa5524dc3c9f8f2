import { hasTaint } from '../../api/meaning/index.ts';
import { formatTime, instantOfMillis } from '../../api/client.ts';
import type { Node, NodeCondition } from '../../api/types/core/v1.d.ts';
import type { Clock, DeepReadonly } from '../../base/index.ts';
import { hasReason, mergePatch, type Observed, strategicPatch } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import { changeTaints, type TaintChanges } from './node-taints.ts';

const MAX_TRIES = 5;

/** Updates nodes, always from their current version: the kubelet writes to them all the time. */
export class NodeWriter {
  readonly #nodes: Objects<Node>;
  readonly #clock: Clock;

  constructor(nodes: Objects<Node>, clock: Clock) {
    this.#nodes = nodes;
    this.#clock = clock;
  }

  get now(): string {
    return formatTime(instantOfMillis(this.#clock.now()));
  }

  /** Adds and removes taints. Existing ones keep their time. */
  async changeTaints(name: string, changes: TaintChanges): Promise<void> {
    await this.#change(name, async ({ metadata, spec }) => {
      const taints = spec?.taints ?? [];
      const add = changes.add.filter((taint) => !hasTaint(taints, taint));
      const changed = changeTaints(taints, { ...changes, add }, this.now);
      if (changed === taints) return;
      const { resourceVersion } = metadata;
      const value = changed.length === 0 ? null : changed;
      await this.#nodes.patch(name, strategicPatch({ metadata: { resourceVersion }, spec: { taints: value } }));
    });
  }

  async setLabels(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await this.#change(name, async () => void (await this.#nodes.patch(name, mergePatch({ metadata: { labels } }))));
  }

  /** Writes conditions, unless the current node needs none. Returns the node before the change. */
  async setConditions(
    name: string,
    conditionsFor: (node: Observed<Node>) => readonly DeepReadonly<NodeCondition>[] | undefined,
  ): Promise<Observed<Node> | undefined> {
    let before: Observed<Node> | undefined;
    await this.#change(name, async (node) => {
      before = node;
      const conditions = conditionsFor(node);
      if (conditions !== undefined) await this.#nodes.updateStatus({ ...node, status: { ...node.status, conditions } });
    });
    return before;
  }

  async #change(name: string, change: (node: Observed<Node>) => Promise<void>): Promise<void> {
    let node: Observed<Node> | undefined = this.#nodes.get(name);
    for (let tries = 1; node !== undefined; tries++) {
      try {
        return await change(node);
      } catch (error) {
        if (hasReason(error, 'NotFound')) return;
        if (!hasReason(error, 'Conflict') || tries === MAX_TRIES) throw error;
      }
      node = await this.#nodes.fetch(name);
    }
  }
}
