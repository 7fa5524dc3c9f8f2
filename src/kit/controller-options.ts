import type { Clock, Logger, MetricRegistry, Random } from '../base/index.ts';
import type { Client, ObjectSelection, Kind, KubernetesObject, Observed, Sendable } from '../client/index.ts';
import type { Condition, StatedCondition } from './conditions.ts';
import type { EventDetails } from './events.ts';
import type { Objects } from './objects.ts';
import type { WorkContext } from './work/keyed-workers.ts';

/** The context of a reconciler: `Owned` are the kinds of its children, `Declared` those that it may read. */
export interface ReconcileContext<
  Status = unknown,
  Owned extends Kind = Kind,
  Declared extends Kind = Kind,
> extends Omit<WorkContext, 'countWrite'> {
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** For the controller's own metrics: `metrics.shared(register)` returns what `register` made in the first run. */
  readonly metrics: MetricRegistry;
  /** The objects of a kind that the controller declares; another kind is refused. */
  objects<T extends KubernetesObject>(kind: Kind<T> & Declared): Objects<T>;
  /** Declares a child: it is written by server-side apply if it differs, with the reconciled object as its controller. */
  desire<T extends KubernetesObject>(kind: Kind<T> & Owned, child: Sendable<T>): Promise<Observed<T>>;
  /** Declares all children of a kind: children that are not in the list are deleted. Nothing else ever deletes children. */
  desireAll<T extends KubernetesObject>(
    kind: Kind<T> & Owned,
    children: readonly Sendable<T>[],
  ): Promise<Observed<T>[]>;
  /** Sets the status to write when the run ends, even if it fails. A status that `reconcile` returns replaces it. */
  report(status: Status): void;
  /** Completes conditions for the status, each with the time at which it last changed. */
  conditions(...stated: readonly StatedCondition[]): Condition[];
  /** Records an event about the object. */
  event(details: EventDetails): void;
}

/** The type of a kind's status. */
export type StatusOf<T> = T extends { status?: infer S } ? NonNullable<S> : never;

/** The context of a watch that maps changes to objects to reconcile. */
export interface WatchContext {
  /** The kind that the controller reconciles. */
  readonly kind: Kind;
  objects: ReconcileContext['objects'];
}

/** Another kind whose changes lead to reconciles; made by `watch` and `controlledBy`. */
export interface Watch<K extends Kind = Kind> {
  readonly kind: K;
  readonly where: ObjectSelection | undefined;
  /** The keys of the objects to reconcile when `object` has changed; also called with the old state. */
  keysFor(object: Observed<KubernetesObject>, context: WatchContext): Iterable<string>;
  /** Whether a change is relevant; default all are. A created or deleted object has no old state. */
  when?(object: Observed<KubernetesObject>, old: Observed<KubernetesObject> | undefined): boolean;
}

export interface ControllerOptions<
  T extends KubernetesObject,
  Status = StatusOf<T>,
  Owned extends Kind = Kind,
  Read extends Kind = Kind,
  Watched extends Watch = Watch,
> {
  /** The name in logs, metrics, events and field managers; default the kind's plural. */
  readonly name?: string;
  /** The component that events name as their source; default the app's name. */
  readonly component?: string;
  /** The queue's label in metrics; default the controller's name. */
  readonly queueName?: string;
  /** Which objects to reconcile; default all. An object that no longer matches is finalized, and its children are deleted. */
  readonly where?: ObjectSelection;
  /** Kinds of children that are declared with `desire` or `desireAll`. */
  readonly owns?: readonly Owned[];
  /** Kinds that are read from caches, and whose changes lead to no reconcile. */
  readonly reads?: readonly Read[];
  readonly watches?: readonly Watched[];
  /**
   * Whether a change of the object itself is relevant; default all are. A new object has no old state. A deletion, or an
   * object that waits for `finalize`, is always relevant. An object that would be relevant if it were new, and no longer is
   * after a change of more than its status, has left: it is finalized, and its children are deleted.
   */
  when?(object: Observed<T>, old: Observed<T> | undefined): boolean;
  /** Maximum number of concurrent runs, each for another object; default 1. */
  readonly concurrency?: number;
  /** Makes the actual state match the object; must be safe to repeat. A returned status is written if it differs. */
  reconcile(
    object: Observed<T>,
    context: ReconcileContext<StatusOf<T>, Owned, Kind<T> | Owned | Read | Watched['kind']>,
  ): Promise<Status | void> | Status | void;
  /**
   * Cleans up before the object is deleted, or when it leaves. The object stays until this succeeds; if it returns `wait`,
   * it also stays, and runs again when the object or anything that the controller watches changes, or after the time that
   * the run asked for.
   */
  finalize?(
    object: Observed<T>,
    context: ReconcileContext<StatusOf<T>, Owned, Kind<T> | Owned | Read | Watched['kind']>,
  ): Promise<'wait' | void> | 'wait' | void;
  /** The finalizer's name; default `<group or name>/<controller name>`. */
  readonly finalizer?: string;
  /** Called when the object does not exist, or no longer. For controllers that keep state outside the cluster. */
  gone?(key: string, context: ReconcileContext): Promise<void> | void;
}

/** The options of a controller with any declared kinds. */
export type AnyControllerOptions<T extends KubernetesObject> = ControllerOptions<T, unknown>;
