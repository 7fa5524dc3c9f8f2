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
  /** Undefined where there is no API server, as in measurements. */
  readonly client: Client | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly nominatedPods: NominatedPods;
  /** For plugins that need the room of a pod which waits for permission: they preempt it, and nothing has to be deleted. */
  readonly waitingPods: WaitingPods;
  /** The same for a pod that is about to be bound. */
  readonly preBindingPods: PreBindingPods;
  /** All extenders, for plugins that ask them themselves, as preemption does. */
  readonly extenders: readonly Extender[];
  /** Where preemption is counted; nowhere unless given. */
  readonly metrics?: PreemptionMetrics;
  /** Devices that were chosen for claims and are not written yet, by the uid of the claim. */
  readonly allocationsUnderWay: Map<string, Allocation>;
  /** Records an event about a pod, in the name of a profile. */
  event(schedulerName: string, pod: Observed<Pod>, details: EventDetails): void;
  /** Runs a task while the scheduler goes on, which waits for it when it stops. The task deals with its failures itself. */
  runBeside(task: (options: StepOptions) => Promise<void>): void;
  /** Has a waiting pod tried as soon as possible, whatever rejected it; by `namespace/name`. */
  activate(key: string): void;
  /**
   * The objects of a kind, from the app's cache. A plugin asks when it is made, not later: this is how the scheduler knows
   * which kinds to watch. Their changes are told as events of the resource that has the kind's name.
   */
  objects<T extends KubernetesObject>(kind: Kind<T>): Lister<T>;
  /** Has a plugin told of changes itself, for what waits in PreBind. */
  onChange<T extends KubernetesObject>(kind: Kind<T>, handler: Handler<T>): void;
}

/** Counts what preemption does. */
export interface PreemptionMetrics {
  attempt(): void;
  victims(count: number): void;
}

/** Reading objects from the cache, and writing them so that the cache knows at once. */
export type Lister<T extends KubernetesObject> = Omit<Objects<T>, 'apply' | 'applyStatus' | 'patch'>;

/** What plugins are made with. */
export interface PluginContext extends SharedContext {
  /** From the profile; the plugin checks it. */
  readonly args: unknown;
}

export type PluginFactory = (context: PluginContext) => Plugin;
