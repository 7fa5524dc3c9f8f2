import type { ForeignPartV2, GroupVersion, Priority } from '../../api/index.ts';
import type { APIResourceDiscovery } from '../../api/types/apidiscovery/v2.d.ts';
import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';

/** A group and version that another server serves; requests for it are forwarded. */
export interface ForeignVersion extends GroupVersion {
  readonly priority: Priority;
  /** The other server's discovery; absent until it first answers. */
  readonly discovered?: {
    readonly resources: readonly APIResourceDiscovery[];
    /** `Stale` when the server could not be reached, and this is its previous answer, if any. */
    readonly freshness: 'Current' | 'Stale';
  };
}

/** The APIs of other servers, which discovery includes beside this server's own, and which take precedence over them. */
export interface ForeignApi {
  groupNames(): Iterable<string>;
  versionsOf(group: string): readonly ForeignVersion[];
  /** The priority that an APIService sets for a version of this server; default as its kinds say. */
  localPriority?(version: GroupVersion): Priority | undefined;
  /** Calls the listener with the names of changed groups. */
  onChange(listener: (groups: readonly string[]) => void): Disposable;
}

/** The OpenAPI documents of other servers; the same object until one of them changes. */
export interface ForeignDocuments {
  readonly v2: readonly ForeignPartV2[];
  /** The URLs of OpenAPI v3 documents, by path below `/openapi/v3/`. */
  readonly v3: ReadonlyMap<string, string>;
}

/** The source of other servers' documents. */
export interface ForeignOpenApi {
  documents(): ForeignDocuments;
  /** Forwards a request for an OpenAPI v3 document to the other server. */
  answer(call: Call, path: string): Promise<Answer>;
}

/** For a server without aggregation. */
export const nothingForeign: ForeignApi = {
  groupNames: () => [],
  versionsOf: () => [],
  onChange: () => ({ [Symbol.dispose]: () => undefined }),
};
