import type { KubernetesObject, Observed } from '../client/index.ts';

export interface EventDetails {
  readonly type?: 'Normal' | 'Warning';
  /** One word in CamelCase: why. */
  readonly reason: string;
  readonly message: string;
  /** What was done or failed. With it, the event is written as events.k8s.io has it: repeated ones become a series. */
  readonly action?: string;
}

/** Writes events about objects. Never waits, never fails: what cannot be written is dropped, counted and logged. */
export interface EventRecorder {
  event(about: Observed<KubernetesObject> | EventSubject, details: EventDetails): void;
}

/** An object that is not at hand whole. */
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
