import type { Client, Transport } from '../client/index.ts';
import type { ControlPlane, Interference } from '../cluster/index.ts';
import type { App, RunTracker } from '../kit/index.ts';
import type { PastView } from './faults/index.ts';

/** How an app is launched as a process of its own, which can be killed. */
export interface LaunchOptions {
  /** Wraps the transport of the process, in front of faults and the trace. */
  readonly wrapTransport: (inner: Transport) => Transport;
  readonly tracker: RunTracker;
  /** Ends the process. */
  readonly signal: AbortSignal;
  readonly onFailure: (error: unknown) => void;
}

/** A launched app. */
export interface LaunchedApp {
  readonly client: Client;
  /** Takes it out of what `settle` and `stop` wait for: it was killed. */
  readonly forget: () => void;
}

/** What the rest of this folder may do with a test cluster, and tests may not. */
export interface ClusterInsides {
  readonly plane: ControlPlane;
  /** The runs that the cluster's clock waits for. */
  readonly tracker: RunTracker;
  openPast(): PastView;
  /** Puts a part in front of the server's verbs, which requests reach before faults do. */
  interfere(interference: Interference): void;
  launch(app: App, options: LaunchOptions): LaunchedApp;
}

/** By test cluster. Its type is not named here: `TestCluster` describes itself with this file. */
const described = new WeakMap<object, ClusterInsides>();

/** For the constructor of `TestCluster`. */
export function describeInsides(cluster: object, insides: ClusterInsides): void {
  described.set(cluster, insides);
}

export function insidesOf(cluster: object): ClusterInsides {
  const insides = described.get(cluster);
  if (insides === undefined) throw new Error('Unreachable: every test cluster describes its insides');
  return insides;
}
