import type { ServerObjects } from '../../apiserver/index.ts';
import type { Clock, Random } from '../../base/index.ts';

/** What admission plugins need of a server. */
export interface AdmissionParts {
  readonly objects: ServerObjects;
  readonly clock: Clock;
  readonly random: Random;
}
