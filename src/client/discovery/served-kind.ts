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

/** What a server serves, as far as it could be found out. */
export interface Survey {
  /** In the server's order of preference. */
  readonly kinds: readonly ServedKind[];
  /** What went wrong, by group and version: usually the server of an aggregated API is down. */
  readonly failures: ReadonlyMap<string, string>;
}
