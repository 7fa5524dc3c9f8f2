import { milliQuantityOf, parseQuantity, type Quantity, quantityOf, ValueError } from '../../api/index.ts';
import { amountsOf, isSidecar } from '../../api/meaning/index.ts';
import type { Node, Pod } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';

/** What something uses at a moment. */
export interface Usage {
  readonly cpu: Quantity;
  readonly memory: Quantity;
}

export interface ContainerUsage extends Usage {
  readonly name: string;
}

const PREFIX = 'sim.keelson.dev/';
const MEBIBYTE = 1024 * 1024;
const KIBIBYTE = 1024;

const ZERO = quantityOf(0);

/** A container without a request, and a node without pods, use this much. */
const IDLE_CONTAINER: Usage = { cpu: milliQuantityOf(1), memory: bytes(8 * MEBIBYTE) };
const IDLE_NODE: Usage = { cpu: milliQuantityOf(100), memory: bytes(256 * MEBIBYTE) };

/** What the running containers of a pod use: as annotations of the pod say, or else half of what they ask for. */
export function containerUsages(pod: DeepReadonly<Pod>): readonly ContainerUsage[] {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const running = new Set(
    [...containerStatuses, ...initContainerStatuses].flatMap(({ name, state }) =>
      state?.running === undefined ? [] : [name],
    ),
  );
  const { annotations = {} } = pod.metadata ?? {};
  return [...initContainers.filter(isSidecar), ...containers]
    .filter(({ name }) => running.has(name))
    .map(({ name, resources }) => {
      const requests = amountsOf(resources?.requests);
      const stated = (what: string): Quantity | undefined =>
        stateOf(annotations[`${PREFIX}${what}.${name}`]) ?? stateOf(annotations[`${PREFIX}${what}`]);
      const [cpu, memory] = [requests.get('cpu'), requests.get('memory')];
      return {
        name,
        cpu: stated('cpu') ?? (cpu === undefined ? IDLE_CONTAINER.cpu : milliQuantityOf(half(cpu.milliValue()))),
        memory: stated('memory') ?? (memory === undefined ? IDLE_CONTAINER.memory : bytes(half(memory.value()))),
      };
    });
}

/** What a node uses: as its annotations say, or else what its pods use and a little for itself. */
export function nodeUsage(node: DeepReadonly<Node>, pods: readonly DeepReadonly<Pod>[]): Usage {
  const { annotations = {} } = node.metadata ?? {};
  const sum = sumOf([IDLE_NODE, ...pods.flatMap(containerUsages)]);
  return {
    cpu: stateOf(annotations[`${PREFIX}cpu`]) ?? sum.cpu,
    memory: stateOf(annotations[`${PREFIX}memory`]) ?? sum.memory,
  };
}

export type UsageTexts = Readonly<Record<'cpu' | 'memory', string>>;

/** As metrics tell it. */
export function usageTexts({ cpu, memory }: Usage): UsageTexts {
  return { cpu: cpu.toString(), memory: memory.toString() };
}

/** The sum of what several containers use, for tables. */
export function sumOfTexts(texts: readonly UsageTexts[]): UsageTexts {
  return usageTexts(
    sumOf(texts.map(({ cpu, memory }) => ({ cpu: stateOf(cpu) ?? ZERO, memory: stateOf(memory) ?? ZERO }))),
  );
}

function sumOf(usages: readonly Usage[]): Usage {
  const milli = usages.reduce((total, { cpu }) => total + cpu.milliValue(), 0);
  const whole = usages.reduce((total, { memory }) => total + memory.value(), 0);
  return { cpu: milliQuantityOf(milli), memory: bytes(whole) };
}

/** Undefined for what is not there, and for what is no quantity. */
function stateOf(text: string | undefined): Quantity | undefined {
  if (text === undefined) return undefined;
  const quantity = parseQuantity(text);
  return quantity instanceof ValueError || quantity.sign < 0 ? undefined : quantity;
}

function half(amount: number): number {
  return Math.ceil(amount / 2);
}

/** Memory in whole kibibytes, as the kubelet counts it. */
function bytes(count: number): Quantity {
  const quantity = parseQuantity(`${Math.ceil(count / KIBIBYTE)}Ki`);
  return quantity instanceof ValueError ? quantityOf(count) : quantity;
}
