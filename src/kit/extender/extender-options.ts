import type { Duration } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import type { NodeView, PodView } from './extender-views.ts';

/** What an extender's functions may ask about the question they answer. */
export interface ExtenderContext {
  /** Aborts when the scheduler no longer waits. */
  readonly signal: AbortSignal;
  /** The app's client. */
  readonly client: Client;
}

/** Undefined for a node that will do, and else why it will not: for now, or `never`, whatever other pods do. */
export type FilterAnswer = undefined | string | { readonly never: string };

type OrLater<T> = T | Promise<T>;

/** What an extender has a say in: any of these. */
export interface ExtenderOptions {
  /**
   * Resources such as `example.com/gpu`: the scheduler asks only about pods that want one of them, and does not count these
   * resources itself. It asks about all pods unless some are given.
   */
  readonly resources?: readonly string[];
  /** How much its scores count beside those of the scheduler's plugins; default 1. */
  readonly weight?: number;
  /** The scheduler goes on without the extender when it is not there; default: pods wait for it. */
  readonly isIgnorable?: boolean;
  /** How long the scheduler waits; default 5 s. */
  readonly timeout?: Duration;
  /** Whether a pod may go to a node. */
  filter?(pod: PodView, node: NodeView, context: ExtenderContext): OrLater<FilterAnswer>;
  /** How good a node is for a pod, from 0 to 10. */
  score?(pod: PodView, node: NodeView, context: ExtenderContext): OrLater<number>;
  /**
   * Whether deleting the victims from a node would let the pod fit there: true, false, or the pods of the node that are to be
   * deleted instead.
   */
  preempt?(
    pod: PodView,
    node: NodeView & { readonly victims: readonly PodView[] },
    context: ExtenderContext,
  ): OrLater<boolean | readonly PodView[]>;
  /** Binds a pod in the scheduler's place: creates its Binding, after whatever else there is to do. */
  bind?(
    pod: { readonly name: string; readonly namespace: string; readonly uid: string },
    nodeName: string,
    context: ExtenderContext,
  ): OrLater<void>;
}
