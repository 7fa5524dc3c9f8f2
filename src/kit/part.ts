import type { Clock, Logger, MetricRegistry, Random } from '../base/index.ts';
import type { Client, Handler, Kind, KubernetesObject, ObjectSelection } from '../client/index.ts';
import type { EventRecorder } from './events.ts';
import type { Objects } from './objects.ts';
import type { AccessNeed } from './rbac/access-need.ts';
import type { WebhookHandler } from './webhooks/webhook-handler.ts';
import type { KeyedWorkers, KeyedWorkersOptions } from './work/keyed-workers.ts';

/** A registered change handler. Disposing removes it. */
export interface Subscription extends Disposable {
  /** Resolves when the handler has received every object that existed before it was registered. */
  synced(signal: AbortSignal): Promise<void>;
}

/** What an app gives to its parts: shared caches, workers, a client, events, and the time. */
export interface AppContext {
  /** The app's name, as in logs, metrics and field managers. */
  readonly name: string;
  /** The component that events name as their source by default. */
  readonly component: string;
  /** The part's own client. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  /** Records events under the given component name; `host` is for components that run on a node. */
  events(component: string, options?: { readonly host?: string }): EventRecorder;
  /** The objects of a kind. All parts that ask for the same kind and selection share one cache and one watch. */
  objects<T extends KubernetesObject>(kind: Kind<T>, where?: ObjectSelection): Objects<T>;
  /**
   * Calls the handler with changes while the part runs. Objects that exist already arrive as added; those that existed when
   * `prepare` returned arrive before `run` is called.
   */
  onChange<T extends KubernetesObject>(kind: Kind<T>, handler: Handler<T>, where?: ObjectSelection): Subscription;
  /** Workers for keys, which the part runs. The name appears in logs, metrics and the trace. */
  workers(name: string, options: KeyedWorkersOptions): KeyedWorkers;
}

/** Something that an app runs: a controller, or any other loop. */
export interface Part {
  readonly name: string;
  /** Webhook handlers by path, which the app's server answers on every replica, also on those that do not lead. */
  readonly handlers?: Readonly<Record<string, WebhookHandler>>;
  /** What the part does to objects, as far as it declares it; see `rbacOf`. */
  readonly needs?: readonly AccessNeed[];
  /** Declares which caches the part needs, before they are filled. What it returns runs once they are, while the app leads. */
  prepare(context: AppContext): PreparedPart;
}

/** A part whose caches are declared; the app runs it once they are filled. */
export interface PreparedPart {
  run(signal: AbortSignal): Promise<void>;
  /**
   * True if nothing waits or runs that could continue without time passing, for `settle` and for health. The app
   * itself knows this of the part's handlers, workers and passes.
   */
  readonly isIdle?: boolean;
  /** What keeps the app from being ready while the part runs; the app itself knows of caches that are not filled. */
  readonly unready?: readonly string[];
}
