import type { Client, Pod } from '../../../src/client/index.ts';
import type { Asked, ExtenderServer } from './extender-server.ts';
import { podNameOf, resourceOf, steady } from './extender-server.ts';
import { PODS_ON_NODES, preemptionCases, PREEMPTOR } from './preemption-cases.ts';

/** What became of a pod for which others would have to go. */
export interface RecordedPreemption {
  readonly name: string;
  readonly asked: unknown;
  readonly message: string;
  readonly nominated?: string;
  /** The pods that are being deleted. */
  readonly going: readonly string[];
}

export interface PreemptionRunOptions {
  readonly client: Client;
  readonly extenders: ExtenderServer;
  /** Lets others work for a moment. */
  pause(): Promise<void>;
}

/** Has a scheduler make room for one pod after the other, each with its own extender. */
export class PreemptionRun {
  readonly #options: PreemptionRunOptions;

  constructor(options: PreemptionRunOptions) {
    this.#options = options;
  }

  async prepare(): Promise<void> {
    const { client } = this.#options;
    const priorities = new Set([PREEMPTOR, ...Object.values(PODS_ON_NODES).flat()].map(({ priority }) => priority));
    for (const value of priorities)
      await client.scheduling.v1.priorityclasses.create({ metadata: { name: `p${value}` }, value });
  }

  async try(index: number): Promise<RecordedPreemption> {
    const pods = this.#options.client.core.v1.pods.namespace('default');
    for (const [nodeName, all] of Object.entries(PODS_ON_NODES)) {
      for (const { name, ...sketch } of all) await pods.create(podOf(name, { ...sketch, nodeName }));
    }
    await pods.create(podOf(podNameOf(index), { ...PREEMPTOR, resource: resourceOf(index) }));
    const recorded = await this.#outcome(index);
    await pods.deleteCollection({ gracePeriodSeconds: 0 });
    await this.#until(async () => (await pods.list()).items.length === 0 || undefined);
    return recorded;
  }

  async #outcome(index: number): Promise<RecordedPreemption> {
    const pods = this.#options.client.core.v1.pods.namespace('default');
    const { message, nominated } = await this.#until(async () => {
      const { status } = await pods.get(podNameOf(index));
      const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
      return condition && { message: condition.message ?? '', nominated: status?.nominatedNodeName };
    });
    const areGoing = async (): Promise<string[] | undefined> => {
      const going = (await pods.list()).items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      return going.length === 0 ? undefined : going.map(({ metadata }) => metadata.name);
    };
    const going = nominated === undefined ? [] : await this.#until(areGoing);
    const { name } = preemptionCases[index]!;
    const { extenders } = this.#options;
    const asked = shapeOf(extenders.asked.get(name)?.[0]);
    return { name, asked, message: steady(withoutUids(message), extenders.port), nominated, going };
  }

  async #until<T>(look: () => Promise<T | undefined>): Promise<T> {
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      await this.#options.pause();
    }
  }
}

interface PodSketch {
  readonly cpu: string;
  readonly priority: number;
  readonly nodeName?: string;
  readonly resource?: string;
}

function podOf(name: string, { cpu, priority, nodeName, resource }: PodSketch): Pod {
  const extended = resource === undefined ? {} : { [resource]: '1' };
  const resources = { requests: { cpu, ...extended }, limits: extended };
  const containers = [{ name: 'main', image: 'image', resources }];
  return { metadata: { name }, spec: { containers, priorityClassName: `p${priority}`, ...(nodeName && { nodeName }) } };
}

function withoutUids(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID');
}

/** Kept of what was asked: the shape of it, and names. */
function shapeOf(asked: Asked | undefined): unknown {
  if (asked === undefined) return null;
  const { NodeNameToVictims, NodeNameToMetaVictims } = asked.args;
  const victims = Object.entries(NodeNameToVictims ?? NodeNameToMetaVictims ?? {}).map(
    ([node, { Pods, ...others }]) => [
      node,
      { pods: Pods.map((pod) => pod.metadata?.name ?? Object.keys(pod)), ...others },
    ],
  );
  return {
    verb: asked.verb,
    keys: Object.keys(asked.args),
    isByName: NodeNameToVictims === null || NodeNameToVictims === undefined,
    victims: Object.fromEntries(victims.toSorted()),
  };
}
