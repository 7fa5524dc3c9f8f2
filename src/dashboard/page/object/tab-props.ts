import type { KubernetesObject } from '../../protocol.ts';
import type { ResourceKind } from '../cluster/resource-kind.ts';
import type { Route } from '../shell/router.ts';

/** What each tab of an object's page shows. */
export interface TabProps {
  readonly kind: ResourceKind;
  readonly object: KubernetesObject;
  readonly isRevealed: boolean;
  readonly route: Route;
}
