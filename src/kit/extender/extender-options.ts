import type { Duration } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import type { NodeView, PodView } from './extender-views.ts';

/** The context of a request to an extender. */
export interface ExtenderContext {
  /** Aborts when the scheduler stops waiting. */
  readonly signal: AbortSignal;
  /** The app's client. */
  readonly client: Client;
}

/** Undefined if the node fits; otherwise the reason, as `{ never }` if evicting pods would not help. */
export type FilterAnswer = undefined | string | { readonly never: string };

type OrLater<T> = T | Promise<T>;

/** What an extender takes part in: any of these functions. */
export interface ExtenderOptions {
  /**
   * Resources such as `example.com/gpu`: the scheduler asks only about pods that request one of them, and does not count
   * these resources itself. Default: it asks about all pods.
   */
  readonly resources?: readonly string[];
  /** The weight of its scores beside those of the scheduler's plugins; default 1. */
  readonly weight?: number;
  /** True if the scheduler continues without the extender when it is unavailable; default: pods wait for it. */
  readonly isIgnorable?: boolean;
  /** How long the scheduler waits; default 5 s. */
  readonly timeout?: Duration;
  /** Whether a pod may run on a node. */
  filter?(pod: PodView, node: NodeView, context: ExtenderContext): OrLater<FilterAnswer>;
  /** How good a node is for a pod, from 0 to 10. */
  score?(pod: PodView, node: NodeView, context: ExtenderContext): OrLater<number>;
  /** Whether evicting the victims from a node lets the pod fit there: true, false, or the pods of the node to evict instead. */
  preempt?(
    pod: PodView,
    node: NodeView & { readonly victims: readonly PodView[] },
    context: ExtenderContext,
  ): OrLater<boolean | readonly PodView[]>;
  /** Binds a pod in the scheduler's place: creates its Binding. */
  bind?(
    pod: { readonly name: string; readonly namespace: string; readonly uid: string },
    nodeName: string,
    context: ExtenderContext,
  ): OrLater<void>;
}
