import type { ContainerLogs, ImageService, RuntimeService } from '../../node/index.ts';

/** A container runtime that a CRI server serves. */
export interface ServedRuntime {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** The output of containers, which the server writes to their log files; absent for a runtime that writes the files itself. */
  readonly logs?: ContainerLogs;
  /** Default `cgroupfs`. */
  readonly cgroupDriver?: 'cgroupfs' | 'systemd';
  /** What `crictl info` shows besides the conditions. */
  info?(): Readonly<Record<string, unknown>>;
  /** The range of pod addresses of this node, from the node's object. */
  podCidrChanged?(podCidr: string): void;
  /** The content of the file for termination messages; the server writes it to the file that the client has mounted. */
  terminationMessage?(containerId: string): Uint8Array | undefined;
}
