import type { ReconcileOutcome, RunCause } from '../../kit/index.ts';
import type { RequestVerb } from '../resource-request.ts';

/** A request, recorded when its response arrived. */
export interface RecordedRequest {
  readonly type: 'write';
  /** The position among all records, by the time it was sent. */
  readonly order: number;
  readonly atMs: number;
  readonly user: string;
  readonly program: string;
  readonly verb: RequestVerb;
  readonly resource: string;
  readonly key: string;
  /** The object, without the subresource. */
  readonly objectId: string;
  readonly code: number;
  readonly message?: string;
  readonly fault?: string;
  /** The run that it belongs to. */
  readonly run: string | undefined;
  /** The resource version in the response. */
  readonly resourceVersion: string | undefined;
  /** Sent by the test itself: it has no cause in the cluster. */
  readonly isOfTest: boolean;
}

/** A run of a controller; its end is added when it has ended. */
export interface RecordedRun {
  readonly type: 'run';
  readonly order: number;
  readonly atMs: number;
  readonly id: string;
  readonly controller: string;
  readonly key: string;
  readonly why: readonly string[];
  readonly causes: readonly RunCause[];
  outcome: ReconcileOutcome | undefined;
  message?: string;
}

/** A change that a program received by a watch. */
export interface RecordedEvent {
  readonly order: number;
  readonly program: string;
  readonly objectId: string;
  readonly resourceVersion: string;
}

/** What identifies an object in a trace. */
export function objectIdOf(
  request: { readonly group: string; readonly resource: string },
  namespace: string,
  name: string,
): string {
  return `${request.resource}.${request.group} ${namespace}/${name}`;
}
