import { parseQuantity, type Quantity, ValueError } from '../../api/values/index.ts';
import type { ResourceTexts } from '../../node/index.ts';

/** What a machine keeps back from pods. Amounts and signals are named and written as in KubeletConfiguration. */
export interface ReservationOptions {
  /** For the system: `{ cpu: '100m', memory: '1Gi', 'ephemeral-storage': '1Gi', pid: '1000' }`. */
  readonly systemReserved: ResourceTexts;
  /** For the agent and the container runtime. */
  readonly kubeReserved: ResourceTexts;
  /** Below these amounts pods are evicted: `{ 'memory.available': '100Mi', 'nodefs.available': '10%' }`. */
  readonly evictionHard: Readonly<Record<string, string>>;
}

/** The thresholds of a kubelet on Linux. */
export const DEFAULT_EVICTION_HARD: Readonly<Record<string, string>> = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};

/** The resource from which each signal keeps some back. */
const RESERVING_SIGNALS: Readonly<Record<string, string>> = {
  'memory.available': 'memory',
  'nodefs.available': 'ephemeral-storage',
};

/** The part of the capacity that pods cannot have. `isEvictionCounted: false` leaves out what evictions keep free. */
export function reservedResources(
  capacity: ResourceTexts,
  { systemReserved, kubeReserved, evictionHard }: ReservationOptions,
  { isEvictionCounted = true }: { readonly isEvictionCounted?: boolean } = {},
): ResourceTexts {
  const reserved: Record<string, string> = {};
  const keep = (name: string, text: string): void => {
    const whole = capacity[name];
    if (whole === undefined) return;
    const total = amountOf(reserved[name] ?? '0').add(amountOf(text));
    if (total.sign > 0) reserved[name] = total.toString();
  };
  for (const [name, text] of [...Object.entries(systemReserved), ...Object.entries(kubeReserved)]) keep(name, text);
  if (!isEvictionCounted) return reserved;
  for (const [signal, text] of Object.entries(evictionHard)) {
    const name = RESERVING_SIGNALS[signal];
    if (name !== undefined) keep(name, String(thresholdAmount(text, amountOf(capacity[name] ?? '0').value())));
  }
  return reserved;
}

/** The amount that a threshold such as `100Mi` or `10%` stands for. */
export function thresholdAmount(text: string, capacity: number): number {
  const percent = /^([\d.]+)%$/.exec(text)?.[1];
  if (percent === undefined) return amountOf(text).value();
  // a kubelet computes with 32 bits here
  return Math.trunc(capacity * Math.fround(Math.fround(Number(percent)) / 100));
}

function amountOf(text: string): Quantity {
  const amount = parseQuantity(text);
  if (amount instanceof ValueError) throw new Error(`Cannot reserve "${text}": ${amount.message}`);
  return amount;
}
