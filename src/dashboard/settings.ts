import type { Clock, Logger, Random } from '../base/index.ts';
import type { ClusterConnection } from '../client/index.ts';
import type { ClockCommand, ClockState, ClockStep, LearnWalk } from './protocol.ts';

/** What a step leads to: the next write of the cluster's programs, the next run of a controller, or a minute later. */
export type StepEnd = Extract<ClockCommand, { action: 'step' }>['until'];

/** The time of a cluster in virtual time, which can be paused and stepped. */
export interface ClusterTime {
  now(): ClockState;
  /** Resolves when time stands still. */
  pause(): Promise<void>;
  resume(): void;
  /** Resolves when the step is over; the cluster is then paused. */
  step(until: StepEnd): Promise<ClockStep>;
}

/** How a dashboard is served. */
export interface DashboardSettings {
  /** The API server, and the credentials that the dashboard acts with. */
  readonly connection: ClusterConnection;
  /** What the cluster is called in the kubeconfig. */
  readonly clusterName: string;
  /** What browsers must have to use those credentials; absent: each viewer brings a token of their own, and the credentials are not used. */
  readonly key?: string;
  /** Refuses all writes, also commands in containers and ports of pods. */
  readonly isReadOnly?: boolean;
  /** The folder of the page's files. */
  readonly pageFolder: string;
  /** Changes that are recorded by watching, for API servers that do not remember them: for how long, and with how many bytes at most. */
  readonly history: { readonly keepMs: number; readonly maxBytes: number };
  /** Absent for clusters in real time. */
  readonly time?: ClusterTime;
  /** Walks for people who learn. */
  readonly walks?: readonly LearnWalk[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}
