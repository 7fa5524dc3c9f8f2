import type { Authorizer, ServerObjects } from '../../apiserver/index.ts';
import type { Clock, Random } from '../../base/index.ts';

/** What admission plugins need of a server. */
export interface AdmissionParts {
  readonly objects: ServerObjects;
  readonly clock: Clock;
  readonly random: Random;
  /** Decides what requests may do, for plugins that ask for more than the request itself; absent: nothing more. */
  readonly authorizer?: Authorizer;
}
