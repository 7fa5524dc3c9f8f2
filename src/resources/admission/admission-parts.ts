import type { Authorizer, ResourceRegistry, ServerObjects } from '../../apiserver/index.ts';
import type { Clock, Logger, MetricRegistry, Random } from '../../base/index.ts';

/** How many seconds pods without their own tolerations stay on lost nodes; default 300. */
export interface DefaultTolerationSeconds {
  readonly notReady?: number;
  readonly unreachable?: number;
}

/** What admission plugins need of a server. */
export interface AdmissionParts {
  readonly objects: ServerObjects;
  readonly clock: Clock;
  readonly random: Random;
  /** Writes an object as the server itself, through the same stages as a client's write. */
  readonly update: (path: string, object: object) => Promise<void>;
  /** Authorizes requests, for plugins that check more permissions than the request's own; default: none. */
  readonly authorizer?: Authorizer;
  /** Where plugins count; default: nowhere. */
  readonly metrics?: MetricRegistry;
  /** The served kinds; accessed lazily, because a server makes its registry after its admission. */
  readonly registry?: ResourceRegistry;
  /** Creates an object in a collection as the server itself; false if it exists already. */
  readonly create?: (collection: string, object: object) => Promise<boolean>;
  readonly log?: Logger;
  readonly tolerationSeconds?: DefaultTolerationSeconds;
}
