import type { DeepReadonly } from '../../base/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';

/** What the composition root decides about a node; everything else is the machine's to say. */
export interface NodeSettings {
  /** In the API and as its host name. */
  readonly name: string;
  /** Where its pods get their addresses from. */
  readonly podCidrs: readonly string[];
  /** Addresses that the node has in this cluster. Machines with a network of their own may report others. */
  readonly addresses: readonly string[];
  /** Where its server listens; 0 for nowhere. */
  readonly port: number;
  /** Beside those that every node has. */
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly DeepReadonly<core.Taint>[];
  /** The CSI drivers whose volumes it can mount. */
  readonly drivers: readonly string[];
  /** Images that the node pulls at once. */
  readonly maxParallelPulls: number;
}

const BLOCK = 256;
const LAST_BLOCKS = 12;

/** The pod range of the n-th node, from 0: `10.244.0.0/24` and on to 10.255, then from 10.128 to 10.243. */
export function defaultPodCidr(index: number): string {
  const block = Math.floor(index / BLOCK);
  const second = block < LAST_BLOCKS ? 244 + block : 128 + block - LAST_BLOCKS;
  if (second > 243 && block >= LAST_BLOCKS)
    throw new RangeError(`Cannot give node ${index} a pod range: there are ranges for 32768 nodes`);
  return `10.${second}.${index % BLOCK}.0/24`;
}

/** The address of the n-th node, from 0, in 10.0.0.0/16. */
export function defaultAddress(index: number): string {
  const host = index + 1;
  return `10.0.${Math.floor(host / BLOCK)}.${host % BLOCK}`;
}
