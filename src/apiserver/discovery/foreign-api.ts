import type { GroupVersion, Priority } from '../../api/index.ts';
import type { APIResourceDiscovery } from '../../api/types/apidiscovery/v2.d.ts';

/** A group and version that another server serves, to which requests are passed on. */
export interface ForeignVersion extends GroupVersion {
  readonly priority: Priority;
  /** What the other server says it serves; absent until it has been asked for the first time. */
  readonly discovered?: {
    readonly resources: readonly APIResourceDiscovery[];
    /** `Stale` when it could not be asked, and this is what it said before, if anything. */
    readonly freshness: 'Current' | 'Stale';
  };
}

/** What other servers serve: discovery shows it beside, and in front of, what this server serves itself. */
export interface ForeignApi {
  groupNames(): Iterable<string>;
  versionsOf(group: string): readonly ForeignVersion[];
  /** Calls the listener with the names of groups that are not as they were. */
  onChange(listener: (groups: readonly string[]) => void): Disposable;
}

/** For a server that stands alone. */
export const nothingForeign: ForeignApi = {
  groupNames: () => [],
  versionsOf: () => [],
  onChange: () => ({ [Symbol.dispose]: () => undefined }),
};
