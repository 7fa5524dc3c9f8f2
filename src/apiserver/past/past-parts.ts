import type { Clock, Turns } from '../../base/index.ts';
import type { ServerObjects } from '../objects/server-objects.ts';
import type { ResourceRegistry } from '../resource-registry.ts';
import type { RecentRequests } from '../trace/recent-requests.ts';

/** What of the server shows its past. */
export interface PastParts {
  readonly objects: ServerObjects;
  readonly registry: ResourceRegistry;
  readonly recent: RecentRequests;
  readonly turns: Turns;
  readonly clock: Clock;
}
