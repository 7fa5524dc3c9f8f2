import type { KubernetesObject, Observed } from '../client/index.ts';

/** The type, reason, action and message of an event. */
export interface EventDetails {
  readonly type?: 'Normal' | 'Warning';
  /** The reason, one word in CamelCase. */
  readonly reason: string;
  readonly message: string;
  /** The action that was taken or failed. With it, the event is an events.k8s.io event, and repetitions become a series. */
  readonly action?: string;
  /** Annotations of the event; default none. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Records events about objects. Never waits and never fails: events that cannot be written are dropped, counted and logged. */
export interface EventRecorder {
  event(about: Observed<KubernetesObject> | EventSubject, details: EventDetails): void;
}

/** Names an object whose full state is not at hand. */
export interface EventSubject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
  /** Such as `spec.containers{web}`. */
  readonly fieldPath?: string;
}
