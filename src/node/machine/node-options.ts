import type { DeepReadonly } from '../../base/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import type { NodeRuntime } from '../runtime/index.ts';

/** What a node says it is and has. */
export interface NodeDescription {
  /** In the API and as its host name. */
  readonly name: string;
  /** Where its pods get their addresses from. */
  readonly podCidrs: readonly string[];
  /** Its own addresses: the main one, and perhaps one of the other IP family. */
  readonly addresses: readonly string[];
  /** Where its server listens, for those who reach it over the network; nowhere unless given. */
  readonly port?: number;
  readonly capacity: Readonly<Record<string, string>>;
  /** Beside those that every node has. */
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly DeepReadonly<core.Taint>[];
  readonly operatingSystem: string;
  /** In Go's spelling: `amd64`, `arm64`. */
  readonly architecture: string;
  readonly kubeletVersion: string;
  /** Whose volumes it can mount. */
  readonly drivers: readonly string[];
}

/** What a node has unless told otherwise. */
export const DEFAULT_CAPACITY: Readonly<Record<string, string>> = {
  cpu: '8',
  'ephemeral-storage': '100Gi',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  memory: '16Gi',
  pods: '110',
};

/** Makes the runtime of a node. */
export type RuntimeFactory = (node: NodeDescription) => NodeRuntime;

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
