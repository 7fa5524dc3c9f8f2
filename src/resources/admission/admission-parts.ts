import type { Authorizer, ResourceRegistry, ServerObjects } from '../../apiserver/index.ts';
import type { Clock, Logger, MetricRegistry, Random } from '../../base/index.ts';

/** Seconds that pods without tolerations of their own stay on lost nodes; default 300. */
export interface DefaultTolerationSeconds {
  readonly notReady?: number;
  readonly unreachable?: number;
}

/** What admission plugins need of a server. */
export interface AdmissionParts {
  readonly objects: ServerObjects;
  readonly clock: Clock;
  readonly random: Random;
  /** Writes an object as the server itself, through the same stages as any client's. */
  readonly update: (path: string, object: object) => Promise<void>;
  /** Decides what requests may do, for plugins that ask for more than the request itself; absent: nothing more. */
  readonly authorizer?: Authorizer;
  /** Where plugins that count something do so; absent: nowhere. */
  readonly metrics?: MetricRegistry;
  /** The kinds that are served; asked for when it is needed, since a server makes it after its admission. */
  readonly registry?: ResourceRegistry;
  /** Creates an object in a collection in the name of the server; false when it is there already. */
  readonly create?: (collection: string, object: object) => Promise<boolean>;
  readonly log?: Logger;
  readonly tolerationSeconds?: DefaultTolerationSeconds;
}
