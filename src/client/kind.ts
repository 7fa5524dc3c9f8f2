import type { ObjectMeta } from '../api/client.ts';
import type { DeepReadonly } from '../base/index.ts';

export type Scope = 'Namespaced' | 'Cluster';

/** What every object of the API has in common. Types of custom resources extend it or simply look like it. */
export interface KubernetesObject {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
}

declare const objectType: unique symbol;

/**
 * A resource as a value: where it is served, and (for the compiler only) the type of its objects.
 *
 * `Deployment` of this folder is one; `namespacedKind` and `clusterKind` make them for custom resources.
 */
export interface Kind<T extends KubernetesObject = KubernetesObject, S extends Scope = Scope> {
  readonly group: string;
  readonly version: string;
  /** As in objects: `apps/v1`, or `v1` in the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  /** As in paths. */
  readonly plural: string;
  readonly scope: S;
  readonly [objectType]?: T;
}

/** What `namespacedKind` and `clusterKind` need to know. */
export interface KindNames {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

/** A kind whose objects live in namespaces. */
export function namespacedKind<T extends KubernetesObject>(names: KindNames): Kind<T, 'Namespaced'> {
  return kindOf(names, 'Namespaced');
}

/** A kind whose objects live outside of namespaces. */
export function clusterKind<T extends KubernetesObject>(names: KindNames): Kind<T, 'Cluster'> {
  return kindOf(names, 'Cluster');
}

function kindOf<S extends Scope>({ apiVersion, kind, plural }: KindNames, scope: S): Kind<never, S> {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  return { group, version: apiVersion.slice(slash + 1), apiVersion, kind, plural, scope };
}

/** Metadata as the server hands it out. */
export interface StoredMeta extends ObjectMeta {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

/** An object that the server has stored: what it always fills in is there. */
export type Stored<T extends KubernetesObject> = T & { kind: string; apiVersion: string; metadata: StoredMeta };

/**
 * A stored object that others may hold as well: lists, watches and informers give these. Only to be read: in informers, and
 * in the same process as the server, it is frozen.
 */
export type Observed<T extends KubernetesObject> = DeepReadonly<Stored<T>>;

declare const sentType: unique symbol;

/** Part of a type whose objects may be sent in another form than the server hands out: fields with defaults may be missing. */
export interface SentAs<Sent extends KubernetesObject> {
  readonly [sentType]?: Sent;
}

type SentOf<T extends KubernetesObject> = T extends { readonly [sentType]?: infer Sent extends KubernetesObject }
  ? Sent
  : T;

/** An object on its way to the server: `kind` and `apiVersion` are filled in, and observed objects can be sent back. */
export type Sendable<T extends KubernetesObject> = DeepReadonly<SentOf<T>>;

/** `namespace/name`, or the name alone outside of namespaces: how caches and queues name objects. */
export function keyOf(object: DeepReadonly<KubernetesObject>): string {
  const { name = '', namespace } = object.metadata ?? {};
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** The parts of a `keyOf` key. */
export function splitKey(key: string): { readonly namespace: string | undefined; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0
    ? { namespace: undefined, name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
