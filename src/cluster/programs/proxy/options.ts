import type { MachineNodeOptions } from '../machine-node/options.ts';

export interface ServiceProxyOptions extends MachineNodeOptions {
  /** Whether a real node forwards Services; default true. Simulated nodes have nothing to forward. */
  readonly serviceProxy?: boolean;
  /** The ranges of all pods, for traffic from outside; default the range of the node. */
  readonly podRanges?: readonly string[];
}
