import type { OwnerReference } from '../api/types/meta/v1.d.ts';
import type { Client, Kind, KubernetesObject, ObjectSelection, SharedInformer } from '../client/index.ts';
import type { Objects } from './objects.ts';
import type { AppContext, Part, PreparedPart } from './part.ts';

/** What an app gives to a part of one of the cluster's own programs, besides what every part gets. */
export interface ProgramContext extends AppContext {
  /** How long work in progress may take when the app stops, before its signal aborts. */
  readonly stopGraceMs: number;
  /** An earlier run of the part has handled everything up to this resourceVersion; undefined if there was none. */
  readonly seenUpTo: string | undefined;
  /** As in `AppContext`; `writer` names the identity that writes, such as one node among many. Default: the part itself. */
  objects<T extends KubernetesObject>(kind: Kind<T>, where?: ObjectSelection, writer?: string): Objects<T>;
  /** The client of an identity that the part writes for; see `ProgramRunOptions.clientFor`. */
  clientOf(writer: string): Client;
  /** The informer under `objects`. */
  informer<T extends KubernetesObject>(kind: Kind<T>, where?: ObjectSelection): SharedInformer<T>;
}

/** A change that a part is asked about before it has started; a missing side means that the object did not exist. */
export interface ObjectChange {
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject | undefined;
}

/** What a part that has not started can know of the cluster. */
export interface ClusterState {
  hasAny(kind: Kind): boolean;
  /** Whether the object that a reference in an object of the namespace names exists, with the same uid. */
  has(reference: OwnerReference, namespace: string): boolean;
}

/** A part with what only the composition of the cluster's own programs uses. Every `Part` is one. */
export interface ProgramPart extends Part {
  /** The service account that the part writes as, if each part of the app has a separate account. */
  readonly account?: string;
  /** Replaces the concurrency of workers that state one. */
  readonly concurrency?: number;
  /**
   * The part has nothing to do while no object of these kinds exists. Beside a server of the same process it starts with the
   * first one.
   */
  readonly sleepsWithout?: readonly Kind[];
  /** Whether a sleeping part may go on sleeping although an object has changed that it reads; default no. */
  sleepsThrough?(change: ObjectChange, state: ClusterState): boolean;
  /** The part starts at once, also when the server cannot be reached: its caches fill while it runs. Default false. */
  readonly startsWithoutCaches?: boolean;
  /** The part reads all kinds, also those that are defined later. */
  readonly readsEverything?: boolean;
  /** The part keeps state for each object of these kinds, which a copy of it has to build again. */
  readonly holds?: readonly Kind[];
  prepare(context: ProgramContext): PreparedPart;
}
