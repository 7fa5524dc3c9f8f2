import type { Client } from '../../../client/index.ts';
import type { RecentSteps } from './recent-steps.ts';

/** What the parts of the map are made of. */
export interface AskedMap {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Only steps that may be asked about this resource, such as `deployments.apps`; empty for all. */
  readonly resource: string;
  /** Undefined where the viewer may not see requests. */
  readonly seen: RecentSteps | undefined;
}
