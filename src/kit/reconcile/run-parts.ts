import type { Kind, KubernetesObject } from '../../client/index.ts';
import type { AnyControllerOptions } from '../controller-options.ts';
import type { EventRecorder } from '../events.ts';
import type { Objects } from '../objects.ts';
import type { AppContext } from '../part.ts';
import type { EchoFilter } from '../work/echo-filter.ts';
import type { DeclaredKinds } from './declared-kinds.ts';
import type { Departures } from './departures.ts';
import type { Statement } from './statement.ts';
import type { StatusRivals } from './status-rivals.ts';

/** What all runs of a controller share. */
export interface RunParts<T extends KubernetesObject> {
  readonly name: string;
  readonly kind: Kind<T>;
  readonly options: AnyControllerOptions<T>;
  readonly finalizer: string;
  readonly app: AppContext;
  /** The objects that the controller reconciles, from the cache whose changes lead to runs. */
  readonly own: Objects<T>;
  readonly declared: DeclaredKinds;
  readonly departures: Departures<T>;
  readonly echoes: EchoFilter;
  readonly recorder: EventRecorder;
  /** The applied configurations so far: of children by `objectId`, of statuses by `statusId`. */
  readonly statements: Map<string, Statement>;
  readonly rivals: StatusRivals;
}

/** Identifies the status of an object; another object with the same name has another. */
export function statusId(uid: string): string {
  return `status of ${uid}`;
}
