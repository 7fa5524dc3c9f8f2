import { formatMicroTime, formatTime, instantOfMillis } from '../../api/client.ts';
import { type Clock, type Random, RandomUidSource, type UidSource } from '../../base/index.ts';
import type { KubernetesObject, Observed } from '../../client/index.ts';
import type { EventDetails, EventSubject } from '../events.ts';

/** Who records. */
export interface EventSource {
  readonly component: string;
  /** The node that it runs on, for those that do. */
  readonly host?: string;
}

interface EventBase {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly involvedObject: {
    readonly kind: string;
    readonly apiVersion: string;
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly fieldPath?: string;
  };
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

/** An event of the first kind, which most programs write: it counts how often it happened. */
export interface CountedEvent extends EventBase {
  readonly source: EventSource;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: number;
}

/** An event as events.k8s.io has it: it names an action, and may go on as a series. */
export interface ActionEvent extends EventBase {
  readonly action: string;
  readonly eventTime: string;
}

const NANOS_PER_MS = 1_000_000;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/**
 * Makes events. Their names tell the time; of two in the same moment the second is a nanosecond later. Other programs may
 * tell of objects of the same name in the same millisecond, so each adds a part of it that chance has chosen.
 */
export class EventMaker {
  readonly #clock: Clock;
  readonly #uids: UidSource;
  readonly #ownNanos: bigint;
  #lastNanos = 0n;

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#uids = new RandomUidSource(random);
    this.#ownNanos = BigInt(random.int(NANOS_PER_MS));
  }

  /** With an action, an event as events.k8s.io has it. */
  make(
    about: Observed<KubernetesObject> | EventSubject,
    details: EventDetails,
    source: EventSource,
  ): CountedEvent | ActionEvent {
    const { component, host } = source;
    const { type = 'Normal', reason, message, action } = details;
    const { kind, apiVersion } = about;
    const { name, namespace, uid, resourceVersion } = about.metadata;
    const { fieldPath } = about as EventSubject;
    const nowMs = this.#clock.now();
    const now = instantOfMillis(nowMs);
    const base = {
      metadata: { name: this.#name(name, nowMs), namespace: namespace ?? 'default' },
      involvedObject: { kind, apiVersion, name, namespace, uid, resourceVersion, fieldPath },
      type,
      reason,
      message,
      reportingComponent: component,
    };
    // what is added to a copy takes ten times as long as what a copy is added to
    if (action !== undefined) {
      const reportingInstance = host === undefined ? component : `${component}-${host}`;
      return { action, reportingInstance, eventTime: formatMicroTime(now), ...base };
    }
    const time = formatTime(now);
    return { source, reportingInstance: host ?? '', firstTimestamp: time, lastTimestamp: time, count: 1, ...base };
  }

  /** Some kinds have names that an event cannot have, such as those of roles with a colon. */
  #name(object: string, nowMs: number): string {
    const name = `${object}.${this.#nanos(nowMs).toString(16)}`;
    return SUBDOMAIN.test(name) ? name : this.#uids.next();
  }

  #nanos(nowMs: number): bigint {
    const nanos = BigInt(Math.round(nowMs * 1000)) * 1000n + this.#ownNanos;
    this.#lastNanos = nanos > this.#lastNanos ? nanos : this.#lastNanos + 1n;
    return this.#lastNanos;
  }
}
