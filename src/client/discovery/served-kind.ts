import type { Kind } from '../kind.ts';

/** A resource as the server describes it. */
export interface ServedKind extends Kind {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** Names such as `status`. */
  readonly subresources: readonly string[];
}
