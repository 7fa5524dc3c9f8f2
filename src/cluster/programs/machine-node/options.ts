import type { KubeletSettings } from './settings/kubelet-fields.ts';

/** This machine as a node of the cluster, with real containers. */
export interface RealNodeOptions {
  readonly settings: KubeletSettings;
  /** Default the name of the machine. */
  readonly name?: string;
  /** Default the addresses of the interface with the default route. */
  readonly addresses?: readonly string[];
  /** Folder of volumes and files of pods; default `/var/lib/kubelet`. */
  readonly rootDir?: string;
  /** Ranges of pods that the node registers with; default those that a controller assigns. */
  readonly podCidrs?: readonly string[];
  /** Where a network for pods is configured for the container runtime, if none is; default nowhere. */
  readonly networkFolder?: string;
}

export interface MachineNodeOptions {
  /** Runs this machine as a node, on containers of a runtime behind a socket; default there is none. Needs Linux and root. */
  readonly realNode?: RealNodeOptions;
}
