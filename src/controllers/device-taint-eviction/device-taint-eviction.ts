import { formatTime, instantOfMillis } from '../../api/client.ts';
import { deepEqual } from '../../base/index.ts';
import {
  DeviceTaintRule,
  hasReason,
  keyOf,
  type Observed,
  Pod,
  ResourceClaim,
  ResourceSlice,
} from '../../client/index.ts';
import type {
  AppContext,
  EventRecorder,
  KeyedWorkers,
  Objects,
  Part,
  PreparedPart,
  WorkContext,
} from '../../kit/index.ts';
import { disruptionTarget, podStatusPatch } from '../pod-disruption.ts';
import { claimsByPool, type Eviction, evictionOf, type EvictionSources, poolKey } from './claim-evictions.ts';
import { RuleStatus } from './rule-status.ts';

const NAME = 'device-taint-eviction-controller';
const EVICTIONS_AT_ONCE = 8;

export interface DeviceTaintEvictionOptions {
  /** Enables DeviceTaintRules, which are off by default in Kubernetes 1.36; default false. */
  readonly hasDeviceTaintRules?: boolean;
}

/** Deletes pods that use devices with NoExecute taints: at once, or when the toleration of their claims expires. */
export function deviceTaintEviction(options: DeviceTaintEvictionOptions = {}): Part {
  return { name: NAME, prepare: (context) => new DeviceTaintEviction(context, options) };
}

class DeviceTaintEviction implements PreparedPart {
  readonly #context: AppContext;
  readonly #events: EventRecorder;
  readonly #pods: Objects<Pod>;
  readonly #claims: Objects<ResourceClaim>;
  readonly #sources: EvictionSources;
  readonly #workers: KeyedWorkers;
  readonly #rules: RuleStatus | undefined;
  /** Planned evictions by pod key. */
  readonly #planned = new Map<string, { readonly uid: string; readonly eviction: Eviction }>();
  readonly #deletions;
  readonly #seconds;

  constructor(context: AppContext, { hasDeviceTaintRules = false }: DeviceTaintEvictionOptions) {
    this.#context = context;
    this.#events = context.events(NAME);
    this.#pods = context.objects(Pod);
    this.#claims = context.objects(ResourceClaim);
    const slices = context.objects(ResourceSlice);
    const rules = hasDeviceTaintRules ? context.objects(DeviceTaintRule) : undefined;
    this.#sources = {
      claims: this.#claims,
      slices,
      rules: () => (rules?.list() ?? []).filter(({ spec }) => spec.taint.effect === 'NoExecute'),
    };
    this.#workers = context.workers(NAME, {
      concurrency: EVICTIONS_AT_ONCE,
      work: (key, work) => this.#work(key, work),
    });
    this.#rules =
      rules === undefined
        ? undefined
        : new RuleStatus({ context, rules, pods: this.#pods, claims: this.#claims, slices, sources: this.#sources });
    this.#deletions = context.metrics.counter({
      name: 'device_taint_eviction_controller_pod_deletions_total',
      help: 'Pods deleted because of a taint of a device that they use.',
    });
    this.#seconds = context.metrics.histogram({
      name: 'device_taint_eviction_controller_pod_deletion_duration_seconds',
      help: 'From when a taint of a device counted until a pod that uses the device was deleted.',
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
    });
    this.#watch();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#workers.run(signal);
  }

  #watch(): void {
    const context = this.#context;
    context.onChange(Pod, {
      add: (pod) => this.#consider(pod),
      update: (pod, old) => {
        const isSame =
          pod.spec?.nodeName === old.spec?.nodeName &&
          deepEqual(pod.status?.resourceClaimStatuses, old.status?.resourceClaimStatuses);
        if (!isSame) this.#consider(pod);
      },
      delete: (pod) => void this.#forget(keyOf(pod)),
    });
    context.onChange(ResourceClaim, {
      add: (claim) => this.#considerUsers(claim),
      update: (claim, old) => {
        if (!deepEqual(claim.status?.reservedFor, old.status?.reservedFor)) this.#considerUsers(old);
        this.#considerUsers(claim);
      },
      delete: (claim) => this.#considerUsers(claim),
    });
    context.onChange(ResourceSlice, {
      add: (slice) => this.#considerPool(slice),
      update: (slice) => this.#considerPool(slice),
      delete: (slice) => this.#considerPool(slice),
    });
    if (this.#rules === undefined) return;
    const ruleChanged = (rule: Observed<DeviceTaintRule>, old?: Observed<DeviceTaintRule>): void => {
      if (old !== undefined && deepEqual(rule.spec, old.spec)) return;
      this.#workers.add(`rule:${rule.metadata.name}`);
      for (const claim of this.#claims.list()) this.#considerUsers(claim);
    };
    context.onChange(DeviceTaintRule, {
      add: (rule) => ruleChanged(rule),
      update: ruleChanged,
      delete: (rule) => {
        this.#rules?.forget(rule.metadata.uid);
        for (const claim of this.#claims.list()) this.#considerUsers(claim);
      },
    });
  }

  #considerPool({ spec }: Observed<ResourceSlice>): void {
    for (const claim of this.#claims.byIndex(claimsByPool, poolKey(spec.driver, spec.pool.name)))
      this.#considerUsers(claim);
  }

  #considerUsers({ metadata, status }: Observed<ResourceClaim>): void {
    for (const { apiGroup = '', resource, name, uid } of status?.reservedFor ?? []) {
      if (apiGroup !== '' || resource !== 'pods') continue;
      const pod = this.#pods.get(`${metadata.namespace}/${name}`);
      if (pod?.metadata.uid === uid) this.#consider(pod);
    }
  }

  /** Plans, updates or cancels the pod's eviction. */
  #consider(pod: Observed<Pod>): void {
    const key = keyOf(pod);
    const eviction = evictionOf(pod, this.#sources);
    if (eviction === undefined) {
      if (this.#forget(key)) this.#report(pod, 'Cancelling deletion');
      return;
    }
    if (this.#planned.get(key)?.eviction.atMs !== eviction.atMs) {
      this.#workers.cancelDelayed(`pod:${key}`);
      this.#workers.addAfter(`pod:${key}`, Math.max(0, eviction.atMs - this.#context.clock.now()));
    }
    this.#planned.set(key, { uid: pod.metadata.uid, eviction });
    for (const { metadata } of eviction.rules) this.#rules?.later(this.#workers, metadata.name);
  }

  /** Returns whether an eviction was planned. */
  #forget(key: string): boolean {
    this.#workers.cancelDelayed(`pod:${key}`);
    return this.#planned.delete(key);
  }

  async #work(key: string, work: WorkContext): Promise<void> {
    const at = key.indexOf(':');
    const name = key.slice(at + 1);
    if (key.startsWith('rule:')) await this.#rules?.write(name, work);
    else await this.#evict(name, work);
  }

  async #evict(key: string, work: WorkContext): Promise<void> {
    const planned = this.#planned.get(key);
    if (planned === undefined) return;
    const { clock } = this.#context;
    const restMs = planned.eviction.atMs - clock.now();
    if (restMs > 0) return work.after(restMs);
    const isDeleted = await this.#delete(key, planned.uid);
    if (this.#planned.get(key) === planned) this.#planned.delete(key);
    if (!isDeleted) return;
    this.#deletions.with().add();
    this.#seconds.with().observe((clock.now() - planned.eviction.atMs) / 1000);
    for (const { metadata } of planned.eviction.rules) {
      this.#rules?.evicted(metadata.uid);
      this.#rules?.later(this.#workers, metadata.name);
    }
  }

  /** Returns whether this controller deleted the pod. */
  async #delete(key: string, uid: string): Promise<boolean> {
    try {
      const pod = await this.#pods.fetch(key);
      if (pod?.metadata.uid !== uid) return false;
      if (pod.metadata.deletionTimestamp !== undefined) return true;
      this.#report(pod, 'Marking for deletion');
      const condition = disruptionTarget(pod, {
        reason: 'DeletionByDeviceTaintManager',
        message: 'Device Taint manager: deleting due to NoExecute taint',
        now: formatTime(instantOfMillis(this.#context.clock.now())),
      });
      if (condition !== undefined) {
        const { observedGeneration: _, ...written } = condition; // the controller does not write observedGeneration
        await this.#pods.patchStatus(key, podStatusPatch(pod, { conditions: [written] }));
      }
      await this.#pods.delete(key, { preconditions: { uid } });
      return true;
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      return false;
    }
  }

  #report({ metadata: { name, namespace, uid } }: Observed<Pod>, message: string): void {
    const subject = { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace, uid } };
    this.#events.event(subject, { reason: 'DeviceTaintManagerEviction', message });
  }
}
