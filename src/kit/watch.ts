import { controllerOf } from '../api/client.ts';
import type { ObjectSelection, Kind, KubernetesObject, Observed } from '../client/index.ts';
import type { ReconcileContext, Watch } from './controller-options.ts';

/** Which objects a controller watches besides its own, and which keys their changes lead to. */
export interface WatchMapping<T extends KubernetesObject> {
  /** The keys of the objects to reconcile when an object of this kind has changed. */
  to(object: Observed<T>, context: { readonly objects: ReconcileContext['objects'] }): Iterable<string>;
  /** Which objects to watch; default all. */
  readonly where?: ObjectSelection;
  /** Whether a change is relevant; default all are. A created or deleted object has no old state. */
  when?(object: Observed<T>, old: Observed<T> | undefined): boolean;
}

/** Maps changes of this kind to objects to reconcile: `watch(Secret, { to: (secret) => [...] })`. */
export function watch<T extends KubernetesObject>(kind: Kind<T>, options: WatchMapping<T>): Watch<Kind<T>> {
  const { where, when } = options;
  return {
    kind,
    where,
    keysFor: (object, context) => options.to(object as Observed<T>, context),
    ...(when === undefined
      ? {}
      : { when: (object, old) => when.call(options, object as Observed<T>, old as Observed<T> | undefined) }),
  };
}

export interface ControlledByOptions {
  /** The kind of the owners; default the reconciled kind. */
  readonly ownerKind?: Kind;
  /** Which objects to watch; default all. */
  readonly where?: ObjectSelection;
}

/** Maps changes of this kind to the objects' controller, if that is of the reconciled kind. */
export function controlledBy<K extends Kind>(kind: K, options: ControlledByOptions = {}): Watch<K> {
  return {
    kind,
    where: options.where,
    keysFor: (object, context) => ownerKey(object, options.ownerKind ?? context.kind),
  };
}

/** The key of the object's controller, if it is of the given kind. */
function ownerKey(object: Observed<KubernetesObject>, { group, kind, scope }: Kind): readonly string[] {
  const owner = controllerOf(object);
  if (owner?.kind !== kind || groupOf(owner.apiVersion) !== group) return [];
  return [scope === 'Namespaced' ? `${object.metadata.namespace ?? ''}/${owner.name}` : owner.name];
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
