import { parseQuantity, type Quantity, quantityOf, ValueError } from '../../../../api/index.ts';
import { isSidecar } from '../../../../api/meaning/index.ts';
import type { Node, Pod } from '../../../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../../../base/index.ts';
import { RuntimeError } from '../../../../node/index.ts';
import { containerUsage, nodeUsage, statedUsage, sumOfUsages, type Usage } from '../../../../simulated/index.ts';

interface ContainerUsage extends Usage {
  readonly name: string;
}

/** What the running containers of a pod use, as its node tells it. */
function containerUsages(pod: DeepReadonly<Pod>): readonly ContainerUsage[] {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const running = new Map(
    [...containerStatuses, ...initContainerStatuses].flatMap(({ name, state, restartCount }) =>
      state?.running === undefined ? [] : [[name, restartCount]],
    ),
  );
  const usage = (container: (typeof containers)[number], kind: string): readonly ContainerUsage[] => {
    const { name, resources } = container;
    const attempt = running.get(name);
    if (attempt === undefined) return [];
    const stated = readable(pod, { name, kind, attempt });
    return [{ name, ...containerUsage(stated, resources) }];
  };
  return [
    ...initContainers.filter(isSidecar).flatMap((container) => usage(container, 'sidecar')),
    ...containers.flatMap((container) => usage(container, 'regular')),
  ];
}

/** A container's entry in PodMetrics. */
export interface ContainerTexts {
  readonly name: string;
  readonly usage: UsageTexts;
}

/** Pods are immutable, and autoscalers ask for the same ones again and again. */
const known = new WeakMap<DeepReadonly<Pod>, readonly ContainerTexts[]>();

/** What the running containers of a pod use, as metrics tell it. */
export function containerTexts(pod: DeepReadonly<Pod>): readonly ContainerTexts[] {
  let texts = known.get(pod);
  if (texts === undefined) {
    texts = containerUsages(pod).map(({ name, ...usage }) => ({ name, usage: usageTexts(usage) }));
    known.set(pod, texts);
  }
  return texts;
}

/** What cannot be read counts as not said. */
function readable(
  { metadata }: DeepReadonly<Pod>,
  subject: Parameters<typeof statedUsage>[1],
): ReturnType<typeof statedUsage> {
  try {
    return statedUsage(metadata?.annotations ?? {}, subject);
  } catch (error) {
    if (error instanceof RuntimeError) return { cpu: undefined, memory: undefined };
    throw error;
  }
}

/** What a node uses with these pods. */
export function usageOfNode(node: DeepReadonly<Node>, pods: readonly DeepReadonly<Pod>[]): Usage {
  return nodeUsage(node.metadata?.annotations ?? {}, pods.flatMap(containerUsages));
}

export type UsageTexts = Readonly<Record<'cpu' | 'memory', string>>;

/** As metrics tell it. */
export function usageTexts({ cpu, memory }: Usage): UsageTexts {
  return { cpu: cpu.toString(), memory: memory.toString() };
}

/** The sum of what several containers use, for tables. */
export function sumOfTexts(texts: readonly UsageTexts[]): UsageTexts {
  return usageTexts(sumOfUsages(texts.map(({ cpu, memory }) => ({ cpu: amountOf(cpu), memory: amountOf(memory) }))));
}

function amountOf(text: string): Quantity {
  const quantity = parseQuantity(text);
  return quantity instanceof ValueError ? quantityOf(0) : quantity;
}
