import type { DeepReadonly, Duration } from '../../base/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import type { EvictionOptions } from '../eviction/index.ts';
import type { NodeImageOptions } from '../images/index.ts';
import type { ChangeDetection } from '../objects/index.ts';
import type { NodeShutdownOptions } from '../shutdown/index.ts';
import type { StaticPodOptions } from '../static-pods/index.ts';

/** How a node registers and reports itself, as in a KubeletConfiguration. */
export interface NodeReporting {
  /** Whether the agent creates the Node object; default true. Otherwise it reports as soon as another client has created one. */
  readonly registers?: boolean;
  /** The id of the machine at its provider, written when the node is created; default none. */
  readonly providerId?: string;
  /** Whether a cloud's controller completes the node: its addresses then win, and a taint keeps pods away until it has; default false. */
  readonly hasExternalCloud?: boolean;
  /** The addresses that an administrator has chosen, for a cloud's controller; default none. */
  readonly chosenAddresses?: readonly string[];
  /** The pod ranges that the runtime gets before the cluster has assigned some; default those of the node's settings. */
  readonly podRanges?: readonly string[];
  /** Maximum number of images in the status, the largest first; -1 for all; default 50. */
  readonly maxImages?: number;
  /** How often the status is written when nothing changes; default 5m. */
  readonly reportEvery?: Duration;
  /** How long the lease is valid; it is renewed four times as often; default 40s. */
  readonly leaseDuration?: Duration;
}

/** How a node works, as in a KubeletConfiguration. */
export interface NodeBehavior {
  /** Names and patterns (`net.core.*`) of kernel settings that pods may have beside the safe ones; default none. */
  readonly allowedUnsafeSysctls?: readonly string[] | undefined;
  /** The ids for pods with user namespaces; default all from 65536 on, 65536 a pod. */
  readonly userNamespaceIds?: { readonly first: number; readonly length: number; readonly perPod: number } | undefined;
  /** How images are pulled, shared and removed. */
  readonly images?: NodeImageOptions | undefined;
  /** When pods are evicted; default never. Without a meter of the backend it has no effect. */
  readonly eviction?: EvictionOptions | undefined;
  /** How pods end before the machine shuts down; default they are not ended. */
  readonly shutdown?: NodeShutdownOptions | undefined;
  /** Pods that the node runs by itself; default none, and mirror pods are then pods like all others. */
  readonly staticPods?: StaticPodOptions | undefined;
  /** How the node learns of changes of ConfigMaps and Secrets that pods use; default `Get`. */
  readonly changeDetection?: ChangeDetection | undefined;
  /** How the node registers and reports itself; default as a kubelet's. */
  readonly reporting?: NodeReporting | undefined;
  /** The longest delay before a container that has failed is started again; default 5m. */
  readonly maxRestartDelay?: Duration | undefined;
  /** Whether containers that name no seccomp profile get the runtime's; default false, they run unconfined. */
  readonly seccompDefault?: boolean | undefined;
}

/** What the composition root decides about a node; everything else comes from the machine. */
export interface NodeSettings extends NodeBehavior {
  /** Name of the Node object, and host name. */
  readonly name: string;
  /** The ranges that pods get their addresses from. */
  readonly podCidrs: readonly string[];
  /** Addresses assigned to the node. A machine with a real network may report others. */
  readonly addresses: readonly string[];
  /** Port of the node's server; 0 for none. */
  readonly port: number;
  /** The `host:port` at which the node's server listens, where the node's addresses do not lead there. */
  readonly server?: string | undefined;
  /** Added to the labels that every node has. */
  readonly labels: Readonly<Record<string, string>>;
  /** Added to the annotations that every node has. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints: readonly DeepReadonly<core.Taint>[];
  /** The CSI drivers whose volumes the node can mount. */
  readonly drivers: readonly string[];
  /** Maximum number of concurrent image pulls. */
  readonly maxParallelPulls: number;
}

const BLOCK = 256;
const LAST_BLOCKS = 12;
const MAX_BLOCKS = 128;

/** The pod range of the n-th node, from 0: `10.244.0.0/24` and on to 10.255, then from 10.128 to 10.243. */
export function defaultPodCidr(index: number): string {
  const block = Math.floor(index / BLOCK);
  const second = block < LAST_BLOCKS ? 244 + block : 128 + block - LAST_BLOCKS;
  if (second > 243 && block >= LAST_BLOCKS)
    throw new RangeError(`Cannot give node ${index} a pod range: there are ranges for 32768 nodes`);
  return `10.${second}.${index % BLOCK}.0/24`;
}

/** The place of the node that has this pod range by default; undefined for every other range. */
export function defaultPlaceOf(podCidr: string): number | undefined {
  const [, second = '', third = ''] = /^10\.(\d+)\.(\d+)\.0\/24$/.exec(podCidr) ?? [];
  const block = Number(second) >= 244 ? Number(second) - 244 : Number(second) - 128 + LAST_BLOCKS;
  const place = block * BLOCK + Number(third);
  return second !== '' && block >= 0 && block < MAX_BLOCKS && defaultPodCidr(place) === podCidr ? place : undefined;
}

/** The address of the n-th node, from 0, in 10.0.0.0/16. */
export function defaultAddress(index: number): string {
  const host = index + 1;
  return `10.0.${Math.floor(host / BLOCK)}.${host % BLOCK}`;
}
