import type { RequestVerb } from '../resource-request.ts';
import type { Moment } from './plan.ts';

/** A request of the operator. */
export interface JournalRequest extends Moment {
  readonly type: 'request';
  readonly step: number;
  readonly atMs: number;
  readonly verb: RequestVerb;
  readonly group: string;
  /** The plural, without a subresource. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Sent by a run of a controller; others fill caches, elect leaders and write events. */
  isOfRun: boolean;
  /** It is about an object that exists only for the election of a leader, and is not a Lease. */
  isOfElection?: boolean;
  /** A list that takes any version, also one that is older than what the process has seen before. */
  readonly takesAnyVersion: boolean;
  readonly sent: unknown;
  /** The status code; 0 without an answer, undefined while there is none. */
  code: number | undefined;
  /** The object in the answer. */
  answer: AnsweredObject | undefined;
  fault: string | undefined;
}

/** A change that the operator was shown by a watch. */
export interface JournalEvent {
  readonly type: 'event';
  readonly step: number;
  readonly atMs: number;
  /** As in `ConfigMap`s `configmaps`, with the group if any: `deployments.apps`. */
  readonly resource: string;
  readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: string;
}

/** A call that the operator made outside of the cluster. */
export interface JournalCall extends Moment {
  readonly type: 'call';
  readonly step: number;
  readonly atMs: number;
  fault: string | undefined;
}

/** Something that happened to the process or to the cluster. */
export interface JournalNote {
  readonly type: 'note';
  readonly step: number;
  readonly atMs: number;
  readonly text: string;
  readonly isFault: boolean;
}

export type JournalEntry = JournalRequest | JournalEvent | JournalCall | JournalNote;

/** The fields of answered objects that oracles read. */
export interface AnsweredObject {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly generation?: number;
    readonly resourceVersion?: string;
    readonly generateName?: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly {
      readonly uid: string;
      readonly kind: string;
      readonly controller?: boolean;
    }[];
  };
  readonly status?: unknown;
  readonly data?: unknown;
}

/** Maximum number of entries: a run that fills it is a loop. */
const CAPACITY = 20_000;

const WRITES: readonly RequestVerb[] = ['create', 'update', 'patch', 'delete', 'deletecollection'];
/** Requests that keep a program running, and are not its work. */
const UPKEEP: readonly string[] = [
  'events',
  'leases',
  'localsubjectaccessreviews',
  'selfsubjectaccessreviews',
  'selfsubjectrulesreviews',
  'subjectaccessreviews',
  'tokenreviews',
];

/** What an operator did and saw in one run, in order. */
export class Journal {
  readonly entries: JournalEntry[] = [];
  readonly #counts = new Map<string, number>();

  add<E extends JournalEntry>(entry: E): E {
    if (this.entries.length < CAPACITY) this.entries.push(entry);
    return entry;
  }

  get isFull(): boolean {
    return this.entries.length >= CAPACITY;
  }

  /** How often these words have come, this time included. */
  count(request: string): number {
    const nth = (this.#counts.get(request) ?? 0) + 1;
    this.#counts.set(request, nth);
    return nth;
  }

  get requests(): readonly JournalRequest[] {
    return this.entries.filter((entry) => entry.type === 'request');
  }

  /** The writes, without those of events and elections. */
  get writes(): readonly JournalRequest[] {
    return this.requests.filter((request) => isWork(request) && WRITES.includes(request.verb));
  }

  get calls(): readonly JournalCall[] {
    return this.entries.filter((entry) => entry.type === 'call');
  }
}

/** Whether a request is part of the operator's work. */
export function isWork({ resource, isOfElection }: Pick<JournalRequest, 'resource' | 'isOfElection'>): boolean {
  return isOfElection !== true && !UPKEEP.includes(resource);
}

/** Whether a request takes part in the election of a leader. */
export function isElection({ resource, isOfElection }: Pick<JournalRequest, 'resource' | 'isOfElection'>): boolean {
  return isOfElection === true || resource === 'leases';
}

export function isWriteVerb(verb: RequestVerb): boolean {
  return WRITES.includes(verb);
}

export function resourceWords({ resource, group }: { readonly resource: string; readonly group: string }): string {
  return group === '' ? resource : `${resource}.${group}`;
}
