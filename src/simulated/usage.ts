// The simulated usage of containers and nodes.
import { amountsOf } from '../api/meaning/index.ts';
import { milliQuantityOf, parseQuantity, Quantity, quantityOf } from '../api/values/index.ts';
import type { ContainerSpec } from '../node/index.ts';
import type { MeasuredUsage } from '../node/index.ts';
import type { ProcessorMeter } from './processor-meter.ts';
import { type Annotations, SCRIPT_PREFIX, type StatedUsage } from './script.ts';

/** The usage at one moment. */
export interface Usage {
  readonly cpu: Quantity;
  readonly memory: Quantity;
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** The usage of a container without a request, and of a node without pods. */
const IDLE_CONTAINER: Usage = { cpu: milliQuantityOf(1), memory: wholeKibibytes(8 * MEBIBYTE) };
const IDLE_NODE: Usage = { cpu: milliQuantityOf(100), memory: wholeKibibytes(256 * MEBIBYTE) };

/** The usage of a running container: what annotations of its pod say; by default half of its requests. */
export function containerUsage(stated: StatedUsage, resources: ContainerSpec['resources']): Usage {
  const requests = amountsOf(resources?.requests);
  const [cpu, memory] = [requests.get('cpu'), requests.get('memory')];
  return {
    cpu: stated.cpu ?? (cpu === undefined ? IDLE_CONTAINER.cpu : milliQuantityOf(half(cpu.milliValue()))),
    memory: stated.memory ?? (memory === undefined ? IDLE_CONTAINER.memory : wholeKibibytes(half(memory.value()))),
  };
}

/** The usage of a node: what its annotations say; by default the sum of its containers and a little for the system. */
export function nodeUsage(annotations: Annotations, containers: readonly Usage[]): Usage {
  const sum = sumOfUsages([IDLE_NODE, ...containers]);
  const stated = (what: string): Quantity | undefined => readable(annotations[`${SCRIPT_PREFIX}${what}`]);
  return { cpu: stated('cpu') ?? sum.cpu, memory: stated('memory') ?? sum.memory };
}

export function sumOfUsages(usages: readonly Usage[]): Usage {
  const milli = usages.reduce((total, { cpu }) => total + cpu.milliValue(), 0);
  const whole = usages.reduce((total, { memory }) => total + memory.value(), 0);
  return { cpu: milliQuantityOf(milli), memory: wholeKibibytes(whole) };
}

/** Undefined for an absent or invalid quantity. */
function readable(text: string | undefined): Quantity | undefined {
  const quantity = text === undefined ? undefined : parseQuantity(text);
  return quantity instanceof Quantity && quantity.sign >= 0 ? quantity : undefined;
}

function half(amount: number): number {
  return Math.ceil(amount / 2);
}

/** Memory in whole kibibytes, as the kubelet counts it. */
function wholeKibibytes(count: number): Quantity {
  const quantity = parseQuantity(`${Math.ceil(count / KIBIBYTE)}Ki`);
  return quantity instanceof Quantity ? quantity : quantityOf(count);
}

/** Converts usage to the runtime's units, and adds the CPU time used so far. */
export function measuredUsage({ cpu, memory }: Usage, meter: ProcessorMeter, nowMs: number): MeasuredUsage {
  const cores = cpu.toNumber();
  return {
    timestampMs: nowMs,
    usageNanoCores: Math.round(cores * 1e9),
    usageCoreNanoSeconds: meter.read(cores, nowMs),
    workingSetBytes: memory.value(),
  };
}
