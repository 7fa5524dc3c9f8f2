import { formatTime, instantOfMillis } from '../../../api/index.ts';
import { type Observed, type Pod, StatusError, strategicPatch } from '../../../client/index.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { StepOptions } from '../../framework/plugin.ts';
import type { Lister, PluginContext } from '../../framework/plugin-context.ts';
import type { Candidate } from './choose-candidate.ts';

const PLUGIN = 'DefaultPreemption';

/** A preempting pod and the node it is nominated for. */
interface Preemption {
  readonly pod: PodInfo;
  readonly nodeName: string;
}

/**
 * Deletes victims in the background (KEP-4832). The preemptor is not scheduled meanwhile: it would choose other
 * victims.
 */
export class PreemptionTasks {
  readonly #context: PluginContext;
  readonly #pods: Lister<Pod>;
  /** By uid of the preemptor: the key of the last victim once its deletion has begun, undefined before. */
  readonly #running = new Map<string, string | undefined>();

  constructor(context: PluginContext, pods: Lister<Pod>) {
    this.#context = context;
    this.#pods = pods;
  }

  /** Whether victims are still being deleted for the pod. */
  isRunning(uid: string): boolean {
    if (!this.#running.has(uid)) return false;
    const last = this.#running.get(uid);
    if (last === undefined) return true;
    // the watch may report the deletion before the delete request is answered
    const victim = this.#pods.get(last);
    return victim !== undefined && victim.metadata.deletionTimestamp === undefined;
  }

  /** Starts deleting the victims; those with a deletion timestamp are left alone. */
  start(pod: PodInfo, { nodeName, pods }: Candidate): void {
    const victims = pods.filter((victim) => victim.pod.metadata.deletionTimestamp === undefined);
    const last = victims.pop();
    if (last === undefined) return;
    this.#context.metrics?.victims(pods.length);
    this.#running.set(pod.uid, undefined);
    this.#context.runInBackground(async ({ signal }) => {
      const isDone = await this.#run({ pod, nodeName }, { victims, last, signal });
      this.#running.delete(pod.uid);
      if (!isDone && !signal.aborted) this.#context.activate(pod.key); // otherwise nothing might retry the pod
    });
  }

  async #run(
    preemption: Preemption,
    { victims, last, signal }: StepOptions & { readonly victims: readonly PodInfo[]; readonly last: PodInfo },
  ): Promise<boolean> {
    const areCleared = await this.#succeeds(preemption, () => this.#clearNominations(preemption, { signal }));
    const areGone = await this.#succeeds(preemption, () =>
      Promise.all(victims.map((victim) => this.#evict(preemption, victim, { signal }))),
    );
    if (!areGone) return false;
    this.#running.set(preemption.pod.uid, last.key);
    return (await this.#succeeds(preemption, () => this.#evict(preemption, last, { signal }))) && areCleared;
  }

  async #succeeds({ pod }: Preemption, act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      this.#context.log.error('preemption failed', { pod: pod.key, error });
      return false;
    }
  }

  /**
   * Removes the nominations of lower-priority pods for the node: they are unlikely to fit there now, and the scheduler
   * tries other nodes for them at once.
   */
  async #clearNominations({ pod, nodeName }: Preemption, { signal }: StepOptions): Promise<void> {
    const others = this.#context.nominatedPods
      .on(nodeName)
      .filter((other) => other.priority < pod.priority && (other.pod.status?.nominatedNodeName ?? '') !== '');
    const patch = strategicPatch({ status: { nominatedNodeName: null } });
    await Promise.all(
      others.map((other) =>
        ignoreMissing(this.#clientFor(other.pod).status.patch(other.pod.metadata.name, patch, { signal })),
      ),
    );
  }

  /** Returns a victim that is not bound yet to the queue; deletes others. */
  async #evict({ pod, nodeName }: Preemption, victim: PodInfo, { signal }: StepOptions): Promise<void> {
    let message = `Preempted by pod ${pod.uid} on node ${nodeName}`;
    if (this.#stopsBinding(pod, victim)) message += ' (in kube-scheduler memory).';
    else {
      const pods = this.#clientFor(victim.pod);
      const { name } = victim.pod.metadata;
      const isThere =
        isPreemptionTarget(victim.pod) ||
        (await ignoreMissing(pods.status.patch(name, this.#targetPatch(pod, victim.pod), { signal })));
      if (!isThere || !(await ignoreMissing(pods.delete(name, { signal })))) return;
    }
    this.#context.event(pod.schedulerName, victim.pod, {
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      message,
    });
  }

  /** Rejects a victim that waits in Permit or PreBind; false when it does not. */
  #stopsBinding(pod: PodInfo, victim: PodInfo): boolean {
    const { waitingPods, preBindingPods } = this.#context;
    const last = this.#running.get(pod.uid);
    const isLast = last === victim.key;
    if (isLast) this.#running.delete(pod.uid); // the room is free at once, and no watch event will retry the preemptor
    if (waitingPods.preempt(victim.uid) || preBindingPods.cancel(victim.uid, `preempted by ${PLUGIN}`)) return true;
    if (isLast) this.#running.set(pod.uid, last);
    return false;
  }

  #targetPatch({ schedulerName }: PodInfo, victim: Observed<Pod>): ReturnType<typeof strategicPatch> {
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      observedGeneration: victim.metadata.generation,
      lastProbeTime: null,
      lastTransitionTime: formatTime(instantOfMillis(this.#context.clock.now())),
      reason: 'PreemptionByScheduler',
      message: `${schedulerName}: preempting to accommodate a higher priority pod`,
    };
    return strategicPatch({ status: { conditions: [condition] } });
  }

  #clientFor({
    metadata,
  }: Observed<Pod>): ReturnType<NonNullable<PluginContext['client']>['core']['v1']['pods']['namespace']> {
    const { client } = this.#context;
    if (client === undefined) throw new Error('Cannot remove pods: there is no API server');
    return client.core.v1.pods.namespace(metadata.namespace ?? '');
  }
}

/** Whether preemption has marked the pod with a DisruptionTarget condition. */
export function isPreemptionTarget({ status }: Observed<Pod>): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  return condition?.status === 'True' && condition.reason === 'PreemptionByScheduler';
}

/** False when the object does not exist any more. */
async function ignoreMissing(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return false;
    throw error;
  }
}
