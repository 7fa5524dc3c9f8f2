import type { ForeignPartV2, GroupVersion, Priority } from '../../api/index.ts';
import type { APIResourceDiscovery } from '../../api/types/apidiscovery/v2.d.ts';
import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';

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
  /** What a registration says of a version that this server answers itself; default as its kinds say. */
  localPriority?(version: GroupVersion): Priority | undefined;
  /** Calls the listener with the names of groups that are not as they were. */
  onChange(listener: (groups: readonly string[]) => void): Disposable;
}

/** What other servers say about their resources; the same object for as long as they say the same. */
export interface ForeignDocuments {
  readonly v2: readonly ForeignPartV2[];
  /** The addresses of documents of OpenAPI v3 by their place below `/openapi/v3/`. */
  readonly v3: ReadonlyMap<string, string>;
}

/** Where documents of other servers come from. */
export interface ForeignOpenApi {
  documents(): ForeignDocuments;
  /** Lets the other server answer a request for one of its documents of OpenAPI v3. */
  answer(call: Call, path: string): Promise<Answer>;
}

/** For a server that stands alone. */
export const nothingForeign: ForeignApi = {
  groupNames: () => [],
  versionsOf: () => [],
  onChange: () => ({ [Symbol.dispose]: () => undefined }),
};
