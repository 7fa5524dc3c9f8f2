/** One interface of one container on a network. */
export interface Attachment {
  readonly containerId: string;
  /** Path of the network namespace: `/run/netns/blue`. May be empty for `del`, when it is gone. */
  readonly netns: string;
  /** The interface in the container; default eth0. */
  readonly ifName?: string;
  /** What all plugins get as CNI_ARGS, in order: `[['K8S_POD_NAME', 'web-1']]`. */
  readonly args?: readonly (readonly [name: string, value: string])[];
  /** What plugins get that have the capability, such as `portMappings`, as their `runtimeConfig`. */
  readonly capabilityArgs?: CapabilityArgs;
}

/** The capabilities that CNI's conventions name, and any other. */
export interface CapabilityArgs {
  readonly portMappings?: readonly PortMapping[];
  readonly bandwidth?: Bandwidth;
  /** Addresses to allocate, with or without the length of their network. */
  readonly ips?: readonly string[];
  /** For each address that is wanted, the ranges to take it from. */
  readonly ipRanges?: readonly (readonly IpRange[])[];
  readonly mac?: string;
  /** Names under which other containers of the network find this one. */
  readonly aliases?: readonly string[];
  readonly dns?: {
    readonly servers?: readonly string[];
    readonly searches?: readonly string[];
    readonly options?: readonly string[];
  };
  readonly infinibandGUID?: string;
  readonly deviceID?: string;
  readonly cgroupPath?: string;
  readonly [capability: string]: unknown;
}

/** A port of the host that leads to a container, as the capability `portMappings` passes it. */
export interface PortMapping {
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol?: string;
  readonly hostIP?: string;
}

/** Rates in bits per second, bursts in bits. */
export interface Bandwidth {
  readonly ingressRate?: number;
  readonly ingressBurst?: number;
  readonly egressRate?: number;
  readonly egressBurst?: number;
}

/** A range that a plugin takes addresses from, as the capability `ipRanges` passes it. */
export interface IpRange {
  readonly subnet: string;
  readonly rangeStart?: string;
  readonly rangeEnd?: string;
  readonly gateway?: string;
}

/** How GC names an attachment that still exists. */
export interface ValidAttachment {
  readonly containerID: string;
  readonly ifname: string;
}

export const DEFAULT_INTERFACE = 'eth0';

/** CNI_ARGS: `A=1;B=2`. */
export function argsText(args: Attachment['args'] = []): string {
  return args.map(([name, value]) => `${name}=${value}`).join(';');
}
