import type { Observed, Pod } from '../client/index.ts';
import type { EventDetails, EventRecorder } from '../kit/index.ts';
import { containerListOf, type Eviction } from './life/index.ts';

/** An eviction, and the annotations of its event. */
export type RecordedEviction = Eviction & Pick<EventDetails, 'annotations'>;

/** Records events about pods and their containers, with the messages of a kubelet. */
export class PodEvents {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  pod(pod: Observed<Pod>, details: EventDetails): void {
    this.#record(pod, details);
  }

  /** The node ends the pod; records nothing for an eviction that has its event already. */
  evicted(pod: Observed<Pod>, eviction: RecordedEviction, type: 'Normal' | 'Warning'): void {
    const { reason, message, annotations, isRecorded = false } = eviction;
    if (!isRecorded)
      this.#record(pod, { type, reason, message, ...(annotations === undefined ? {} : { annotations }) });
  }

  container(pod: Observed<Pod>, name: string, details: EventDetails): void {
    this.#record(pod, details, `spec.${containerListOf(pod, name)}{${name}}`);
  }

  stopping(pod: Observed<Pod>, name: string, message = `Stopping container ${name}`): void {
    this.container(pod, name, { reason: 'Killing', message });
  }

  /** A hook that was configured for HTTPS was answered in plain HTTP. */
  hookFallback(pod: Observed<Pod>, message: string): void {
    this.pod(pod, { type: 'Warning', reason: 'LifecycleHTTPFallback', message });
  }

  #record({ metadata }: Observed<Pod>, details: EventDetails, fieldPath?: string): void {
    const { name, namespace, uid, resourceVersion } = metadata;
    const about = { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace, uid, resourceVersion }, fieldPath };
    this.#recorder.event(about, { type: 'Normal', ...details });
  }
}
