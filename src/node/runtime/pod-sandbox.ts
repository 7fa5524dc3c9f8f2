// Pods as a container runtime sees them. Names as in the Container Runtime Interface; times in milliseconds.
import type { LinuxContainerResources, LinuxSandboxSecurityContext } from './linux.ts';

/** As `PodSandboxState` of the interface. */
export type PodSandboxState = 'SANDBOX_READY' | 'SANDBOX_NOTREADY';

export interface PodSandboxMetadata {
  readonly name: string;
  readonly uid: string;
  readonly namespace: string;
  /** How often the sandbox of this pod was made before. */
  readonly attempt: number;
}

export interface PortMapping {
  readonly protocol: string;
  readonly containerPort: number;
  readonly hostPort: number;
  readonly hostIp: string;
}

/** What goes into the pod's resolv.conf. */
export interface DnsConfig {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

export interface PodSandboxConfig {
  readonly metadata: PodSandboxMetadata;
  /** Empty for pods on the node's network. */
  readonly hostname: string;
  /** Where the runtime writes the logs of the pod's containers, each at its `logPath` below. */
  readonly logDirectory: string;
  /** Undefined to use the node's resolv.conf. */
  readonly dnsConfig?: DnsConfig;
  readonly portMappings: readonly PortMapping[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly linux: {
    readonly cgroupParent: string;
    readonly securityContext: LinuxSandboxSecurityContext;
    readonly sysctls: Readonly<Record<string, string>>;
    /** What all containers of the pod may use together, without the overhead of the sandbox. */
    readonly resources?: LinuxContainerResources;
    readonly overhead?: LinuxContainerResources;
  };
}

export interface PodSandboxStatus {
  readonly id: string;
  readonly metadata: PodSandboxMetadata;
  readonly state: PodSandboxState;
  readonly createdAtMs: number;
  /** Empty for pods on the node's network, and once the sandbox has stopped. */
  readonly network: { readonly ip: string; readonly additionalIps: readonly string[] };
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface PodSandboxFilter {
  readonly id?: string;
  readonly state?: PodSandboxState;
  /** Selects the sandboxes of the pod with this uid. */
  readonly podUid?: string;
  readonly labelSelector?: Readonly<Record<string, string>>;
}
