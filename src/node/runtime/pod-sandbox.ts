// Pods as a container runtime sees them. Names as in the Container Runtime Interface; times in milliseconds.

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

export interface PodSandboxConfig {
  readonly metadata: PodSandboxMetadata;
  readonly hostname: string;
  readonly portMappings: readonly PortMapping[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** `NODE` for pods that use the node's network. */
  readonly networkMode: 'POD' | 'NODE';
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
  /** Those of the pod with this uid. */
  readonly podUid?: string;
}
