import type { Clock, Logger, Random } from '../../base/index.ts';
import type { Client, Handler, Kind, KubernetesObject, Observed, Pod } from '../../client/index.ts';
import type { EventDetails, Objects } from '../../kit/index.ts';
import type { NominatedPods } from '../cache/nominated-pods.ts';
import type { Extender } from './extender.ts';
import type { Allocation } from '../devices/claim.ts';
import type { Plugin, StepOptions } from './plugin.ts';
import type { PreBindingPods } from './pre-binding-pods.ts';
import type { WaitingPods } from './waiting-pods.ts';

/** What the plugins of all profiles share. */
export interface SharedContext {
  /** Undefined without an API server, as in benchmarks. */
  readonly client: Client | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly nominatedPods: NominatedPods;
  /** Lets preemption reject a pod that waits for permission instead of deleting it. */
  readonly waitingPods: WaitingPods;
  /** Lets preemption cancel a pod that is in PreBind instead of deleting it. */
  readonly preBindingPods: PreBindingPods;
  /** All extenders, for plugins that call them directly, as preemption does. */
  readonly extenders: readonly Extender[];
  /** Metrics of preemption; default: not counted. */
  readonly metrics?: PreemptionMetrics;
  /** Allocations that were chosen for claims and are not written yet, by the uid of the claim. */
  readonly allocationsInFlight: Map<string, Allocation>;
  /** Records an event about a pod with the profile's event recorder. */
  event(schedulerName: string, pod: Observed<Pod>, details: EventDetails): void;
  /**
   * Runs a task in the background; the scheduler waits for it before it stops. The task must handle its own failures.
   */
  runInBackground(task: (options: StepOptions) => Promise<void>): void;
  /** Moves a waiting pod (`namespace/name`) to the active queue, whichever plugin rejected it. */
  activate(key: string): void;
  /**
   * The objects of a kind, from the app's cache. A plugin must call this in its factory: that is how the scheduler
   * learns which kinds to watch. Their changes become cluster events with the kind's name as resource.
   */
  objects<T extends KubernetesObject>(kind: Kind<T>): Lister<T>;
  /** Registers a change handler, for plugins that wait for objects in PreBind. */
  onChange<T extends KubernetesObject>(kind: Kind<T>, handler: Handler<T>): void;
}

/** Counts preemption attempts and victims. */
export interface PreemptionMetrics {
  attempt(): void;
  victims(count: number): void;
}

/** Reads objects from the cache, and writes through it so that the cache is current at once. */
export type Lister<T extends KubernetesObject> = Omit<Objects<T>, 'apply' | 'applyStatus' | 'patch'>;

/** The arguments of a plugin factory. */
export interface PluginContext extends SharedContext {
  /** The plugin's arguments in the profile; the plugin validates them. */
  readonly args: unknown;
}

/** Makes a plugin for a profile. */
export type PluginFactory = (context: PluginContext) => Plugin;
