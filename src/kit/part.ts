import type { Clock, Logger, MetricRegistry, Random } from '../base/index.ts';
import type { Client, InformerScope, Kind, KubernetesObject, SharedInformer } from '../client/index.ts';
import type { EventRecorder } from './events.ts';
import type { Objects } from './objects.ts';

/** What an app gives to its parts: shared caches, a client, events, and its surroundings. */
export interface AppContext {
  /** As in logs, metrics, events and field managers. */
  readonly name: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  /** Records events under the given component name. */
  events(component: string): EventRecorder;
  /** The objects of a kind. All parts that ask for the same kind and scope share one cache and one watch. */
  objects<T extends KubernetesObject>(kind: Kind<T>, scope?: InformerScope): Objects<T>;
  /** The informer under `objects`, to hear of changes. */
  informer<T extends KubernetesObject>(kind: Kind<T>, scope?: InformerScope): SharedInformer<T>;
}

/** Something that an app runs: a controller, or any other loop. */
export interface Part {
  readonly name: string;
  /** Says which caches it needs, before they are filled; what it returns runs when they are, and while we lead. */
  prepare(context: AppContext): PreparedPart;
}

export interface PreparedPart {
  run(signal: AbortSignal): Promise<void>;
  /** Whether nothing is waiting or under way that could go on without time passing. For `settle` and for health. */
  readonly isIdle: boolean;
}
