import type { KubernetesObject, Observed } from '../kind.ts';

/** One event of a watch. What the server reports as ERROR is thrown as a StatusError instead. */
export type WatchEvent<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Observed<T> }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly endsInitialEvents: boolean };
