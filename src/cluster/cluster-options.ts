import type { RunTracker } from '../kit/index.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import type { WrapTransport } from './program-clients.ts';
import type { ElectionTiming, ProgramEntry } from './programs/program.ts';
import type { WorkloadOptions } from './programs/programs.ts';

export interface ClusterOptions extends ControlPlaneOptions, WorkloadOptions {
  /** The programs to choose from; default all of Keelson's. Each decides by the other options whether it runs. */
  readonly programs?: readonly ProgramEntry[];
  /** How fast one of several processes on one store takes over from another; default upstream's times. */
  readonly election?: ElectionTiming;
  /** Puts something between the cluster's own programs and the server: for tests of what goes wrong there. */
  readonly wrapTransport?: WrapTransport;
  /** Starts all parts of its programs at once, also those that have nothing to do yet; default false. */
  readonly isAlwaysAwake?: boolean;
  /**
   * Called when the API server runs and no program does yet. Programs are held back for the reason that it returns, until `cluster.fence`
   * releases `start`; undefined: all run.
   */
  readonly beforePrograms?: () => Promise<string | undefined>;
  /** Tracks which runs of the cluster's own programs are under way; default none. */
  readonly tracker?: RunTracker;
}
