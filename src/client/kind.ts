import type { ObjectMeta } from '../api/client.ts';
import type { DeepReadonly } from '../base/index.ts';

export { keyOf, splitKey } from '../api/client.ts';

/** Whether a kind's objects are in namespaces. */
export type Scope = 'Namespaced' | 'Cluster';

/** The common fields of all API objects. Types of custom resources extend it or match its shape. */
export interface KubernetesObject {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
}

declare const objectType: unique symbol;

/**
 * A resource as a value: its path and, for the compiler only, the type of its objects.
 *
 * `Deployment` is one; `namespacedKind` and `clusterKind` make them for custom resources.
 */
export interface Kind<T extends KubernetesObject = KubernetesObject, S extends Scope = Scope> {
  readonly group: string;
  readonly version: string;
  /** As written in objects: `apps/v1`, or `v1` in the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  /** As written in paths. */
  readonly plural: string;
  readonly scope: S;
  readonly [objectType]?: T;
}

/** The arguments of `namespacedKind` and `clusterKind`. */
export interface KindNames {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

/** A namespaced kind. */
export function namespacedKind<T extends KubernetesObject>(names: KindNames): Kind<T, 'Namespaced'> {
  return kindOf(names, 'Namespaced');
}

/** A cluster-scoped kind. */
export function clusterKind<T extends KubernetesObject>(names: KindNames): Kind<T, 'Cluster'> {
  return kindOf(names, 'Cluster');
}

function kindOf<S extends Scope>({ apiVersion, kind, plural }: KindNames, scope: S): Kind<never, S> {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  return { group, version: apiVersion.slice(slash + 1), apiVersion, kind, plural, scope };
}

/** Metadata as the server returns it. */
export interface StoredMeta extends ObjectMeta {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

/** An object as the server returns it: fields that the server always sets are required. */
export type Stored<T extends KubernetesObject> = T & { kind: string; apiVersion: string; metadata: StoredMeta };

/**
 * A shared, read-only object: lists, watches and informers return these. Informers, and a server in the same process,
 * freeze them.
 */
export type Observed<T extends KubernetesObject> = DeepReadonly<Stored<T>>;

declare const sentType: unique symbol;

/**
 * Part of a type whose objects may be sent in another form than the server hands out: fields with defaults may be
 * missing.
 */
export interface SentAs<Sent extends KubernetesObject> {
  readonly [sentType]?: Sent;
}

type SentOf<T extends KubernetesObject> = T extends { readonly [sentType]?: infer Sent extends KubernetesObject }
  ? Sent
  : T;

/** An object on its way to the server: `kind` and `apiVersion` are filled in, and observed objects can be sent back. */
export type Sendable<T extends KubernetesObject> = DeepReadonly<SentOf<T>>;
