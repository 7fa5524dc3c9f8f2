import { isReservedForPod } from '../../api/meaning/index.ts';
import { deepEqual } from '../../base/index.ts';
import { type Node, type Observed, Pod, ResourceClaim } from '../../client/index.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import { AllocatedDevices } from '../devices/allocated-devices.ts';
import { Allocator, allocatorListers, type AllocatorParts, InvalidPoolsError } from '../devices/allocator.ts';
import { bindClaims, type BindingParts, needsPreparation, prepared } from '../devices/bind-claims.ts';
import { isOverdue, readinessOf } from '../devices/binding-conditions.ts';
import { type Claim, nameOf } from '../devices/claim.ts';
import { ClaimWriter } from '../devices/claim-writer.ts';
import { claimOnNode, extendedClaim, isWritten } from '../devices/extended-resources.ts';
import { podClaims, referencesClaim } from '../devices/pod-claims.ts';
import {
  type ClaimUse,
  newPodState,
  type NodeChoice,
  type PodState,
  preferenceOf,
  withoutDevices,
} from '../devices/pod-state.ts';
import { reaches } from '../devices/pools.ts';
import { SearchTimeout } from '../devices/search.ts';
import { DeviceSelection } from '../devices/selection.ts';
import { withShareIds } from '../devices/share-id.ts';
import type { Change, EventInterest } from '../framework/cluster-event.ts';
import type { Cycle, CycleKey } from '../framework/cycle.ts';
import {
  type Plugin,
  type PostFilterAnswer,
  type PreBindOptions,
  type PreFilterAnswer,
  type StepOptions,
} from '../framework/plugin.ts';
import type { PluginContext } from '../framework/plugin-context.ts';
import { type Rejection, unresolvable, unschedulable } from '../framework/rejection.ts';
import { readDynamicResourcesArgs } from './dynamic-resources-args.ts';
import { normalizeScores } from './normalize-scores.ts';

const NAME = 'DynamicResources';
/** Maximum number of devices tried on one node. Takes about a second, during which no other pod is scheduled. */
const MAX_STEPS = 500_000;
const NOTHING_TO_FREE = unschedulable(NAME, 'no new claims to deallocate');
/** kube-scheduler's answer when the pod was rejected before this plugin's PreFilter ran. */
const NOT_PREPARED = unresolvable(NAME, 'not found');
const NOT_ON_NODE = unresolvable(NAME, 'resourceclaim not available on the node');
const NOT_ALL = unresolvable(NAME, 'cannot allocate all claims');
const stateKey: CycleKey<PodState> = { name: NAME };

/**
 * Allocates devices for the claims of pods (Filter), prefers nodes with devices of earlier subrequests (Score), and
 * writes the allocations before a pod is bound (PreBind). PostFilter deallocates a claim whose devices the pod cannot
 * reach.
 */
export function dynamicResources(context: PluginContext): Plugin {
  return new DynamicResources(context);
}

class DynamicResources implements Plugin {
  readonly name = NAME;
  readonly events: readonly EventInterest[];
  readonly #context: PluginContext;
  readonly #allocation: AllocatorParts;
  readonly #binding: BindingParts;

  constructor(context: PluginContext) {
    const { clock, objects } = context;
    const { filterTimeoutMs, bindingTimeoutMs } = readDynamicResourcesArgs(context.args);
    const claims = objects(ResourceClaim);
    this.#context = context;
    this.#allocation = {
      ...allocatorListers(context),
      known: new WeakMap(),
      candidates: new WeakMap(),
      selection: new DeviceSelection(),
      limits: { clock, timeoutMs: filterTimeoutMs, maxSteps: MAX_STEPS },
    };
    this.#binding = {
      clock,
      claims,
      pods: objects(Pod),
      writer: new ClaimWriter(claims, clock),
      inFlight: context.allocationsInFlight,
      timeoutMs: bindingTimeoutMs,
    };
    this.events = [
      { resource: 'Node', actions: ['Add', 'UpdateNodeLabel', 'UpdateNodeAllocatable'] },
      {
        resource: 'ResourceClaim',
        actions: ['Add', 'Update'],
        isWorthRetry: (pod, change: Change<ResourceClaim>) => this.#isClaimOfInterest(pod, change),
      },
      {
        resource: 'Pod',
        actions: ['UpdatePodGeneratedResourceClaim'],
        isWorthRetry: (pod, { now }: Change<Pod>) => now?.metadata.uid === pod.uid && !this.#isWaiting(now),
      },
      { resource: 'DeviceClass', actions: ['Add', 'Update'] },
      { resource: 'ResourceSlice', actions: ['Add', 'Update'] },
    ];
  }

  preEnqueue({ pod }: PodInfo): Rejection | undefined {
    const found = podClaims(pod, this.#binding.claims);
    return typeof found === 'string' ? unresolvable(NAME, found) : undefined;
  }

  preFilter(cycle: Cycle): PreFilterAnswer {
    cycle.write(stateKey, newPodState());
    const own = podClaims(cycle.pod.pod, this.#binding.claims);
    if (typeof own === 'string') return unresolvable(NAME, own);
    const { classes } = this.#allocation;
    const extended = extendedClaim(cycle.pod, { classes, claims: this.#binding.claims });
    const uses = [...own, ...(extended === undefined ? [] : [extended])].map((claim): ClaimUse => {
      return { claim, isExtended: claim === extended, uid: claim.metadata.uid };
    });
    if (uses.length === 0) return 'skip';
    const unallocated = withoutDevices({ uses });
    for (const use of unallocated) {
      const problem = this.#whyNotAllocatable(use);
      if (problem !== undefined) return unresolvable(NAME, problem);
    }
    cycle.write(stateKey, newPodState(uses, unallocated.length === 0 ? undefined : this.#allocator()));
    return undefined;
  }

  filter(cycle: Cycle, nodeInfo: NodeInfo): Rejection | undefined {
    const state = cycle.read(stateKey);
    const { node } = nodeInfo;
    if (node === undefined || state.uses.length === 0) return undefined;
    const use = state.uses.find(({ isExtended }) => isExtended);
    const { classes } = this.#allocation;
    const extended = use === undefined ? undefined : claimOnNode(use.claim, cycle.pod, { node: nodeInfo, classes });
    if (typeof extended === 'string') return unresolvable(NAME, extended);
    const needed = state.uses.filter(({ isExtended }) => !isExtended || extended !== undefined);
    if (needed.length === 0) return undefined;
    const unavailable = needed.filter(({ claim }) => !this.#isAvailable(claim, node));
    if (state.allocator !== undefined) {
      const wanted = withoutDevices({ uses: needed }).map(({ claim, isExtended }) =>
        isExtended && extended !== undefined ? extended.claim : claim,
      );
      const found = allocateOn(state.allocator, node, wanted);
      if ('code' in found) return found;
      if (unavailable.length === 0) state.choices.set(nodeInfo.name, { allocations: found, extended });
    }
    for (const each of unavailable) state.unavailable.add(each);
    return unavailable.length > 0 ? NOT_ON_NODE : undefined;
  }

  postFilter(cycle: Cycle, { signal }: StepOptions): PostFilterAnswer | Promise<PostFilterAnswer> {
    if (!cycle.has(stateKey)) return NOT_PREPARED;
    const state = cycle.read(stateKey);
    if (state.uses.length === 0) return NOTHING_TO_FREE;
    const isFree = ({ claim, isExtended }: ClaimUse): boolean =>
      !isExtended && (claim.status?.reservedFor ?? []).every(({ uid }) => uid === cycle.pod.uid);
    const freed = [...state.unavailable].find(isFree);
    const { writer } = this.#binding;
    if (freed !== undefined)
      return said(writer.deallocate(freed.claim, { signal }), 'deallocation of ResourceClaim completed');
    const stale = state.uses.find(({ claim, isExtended }) => isExtended && isWritten(claim));
    if (stale !== undefined) return said(writer.delete(stale.claim, { signal }), 'deletion of ResourceClaim completed');
    return unschedulable(NAME, 'still not schedulable');
  }

  preScore(cycle: Cycle): 'skip' | undefined {
    return cycle.read(stateKey).uses.length === 0 ? 'skip' : undefined;
  }

  score(cycle: Cycle, { name }: NodeInfo): number {
    const state = cycle.read(stateKey);
    const choice = state.choices.get(name);
    return choice === undefined ? 0 : preferenceOf(state, choice);
  }

  normalizeScore(_: Cycle, scores: Float64Array): void {
    normalizeScores(scores);
  }

  reserve(cycle: Cycle, nodeName: string): undefined {
    const state = cycle.read(stateKey);
    const choice = state.choices.get(nodeName);
    const waiting = withoutDevices(state).filter(({ isExtended }) => !isExtended || choice?.extended !== undefined);
    if (waiting.length === 0) return;
    if (choice === undefined) throw new Error('claim allocation not found for node');
    for (const [at, use] of waiting.entries()) {
      use.allocation = withShareIds(choice.allocations[at] ?? {}, use.claim);
      this.#binding.inFlight.set(use.uid, use.allocation);
    }
  }

  unreserve(cycle: Cycle): void {
    if (!cycle.has(stateKey)) return;
    const { inFlight, writer } = this.#binding;
    const { uid } = cycle.pod;
    for (const { claim, isExtended, uid: claimUid } of cycle.read(stateKey).uses) {
      inFlight.delete(claimUid);
      if (isExtended ? !isWritten(claim) : !isReservedForPod(claim, uid)) continue;
      this.#context.runInBackground(async (options) => {
        // after a failure the pod's next attempt releases the claim, or the resource claim controller when the pod is
        // deleted
        await (isExtended ? writer.delete(claim, options) : writer.unreserve(claim, uid, options)).catch(
          () => undefined,
        );
      });
    }
  }

  willPreBind(cycle: Cycle): boolean {
    return cycle.has(stateKey) && cycle.read(stateKey).uses.length > 0;
  }

  async preBind(cycle: Cycle, nodeName: string, { signal, rest }: PreBindOptions): Promise<void> {
    const state = cycle.has(stateKey) ? cycle.read(stateKey) : newPodState();
    if (state.uses.length === 0) return;
    const { pod, schedulerName } = cycle.pod;
    await bindClaims(pod, state, { parts: this.#binding, nodeName, signal });
    if (!needsPreparation(state)) return;
    this.#context.event(schedulerName, pod, {
      type: 'Normal',
      reason: 'BindingConditionsPending',
      action: 'Scheduling',
      message: `waiting for binding conditions for device on node ${nodeName}`,
    });
    await rest((until) => prepared(state, this.#binding, { signal: until }));
  }

  #allocator(): Allocator {
    const { claims, inFlight } = this.#binding;
    return new Allocator(this.#allocation, new AllocatedDevices(claims.list(), inFlight.values()));
  }

  /** Whether the node can use the claim's devices, and no driver has failed to prepare them. */
  #isAvailable(claim: Claim, node: Observed<Node>): boolean {
    const { allocation } = claim.status ?? {};
    if (allocation === undefined) return true;
    if (allocation.nodeSelector !== undefined && !reaches(allocation, node)) return false;
    const { type } = readinessOf(claim);
    const { clock, timeoutMs } = this.#binding;
    return type === 'ready' || (type === 'waiting' && !isOverdue(claim, { nowMs: clock.now(), timeoutMs }));
  }

  #whyNotAllocatable({ claim, isExtended, uid }: ClaimUse): string | undefined {
    if (this.#binding.inFlight.has(uid)) return `resource claim ${nameOf(claim)} is in the process of being allocated`;
    if (isExtended) return undefined;
    for (const { name, exactly, firstAvailable = [] } of claim.spec.devices?.requests ?? []) {
      const ways = exactly === undefined ? firstAvailable : [exactly];
      for (const way of ways) {
        const { deviceClassName } = way;
        const request = 'name' in way ? `${name}/${way.name}` : name;
        if (this.#allocation.classes.get(deviceClassName) === undefined)
          return `request ${request}: device class ${deviceClassName} does not exist`;
      }
    }
    return undefined;
  }

  #isWaiting(pod: Observed<Pod>): boolean {
    return typeof podClaims(pod, this.#binding.claims) === 'string';
  }

  /** Another claim released devices, or a claim of the pod changed. */
  #isClaimOfInterest({ pod }: PodInfo, { old, now }: Change<ResourceClaim>): boolean {
    const isFreed = old?.status?.allocation !== undefined && now?.status?.allocation === undefined;
    if (!isFreed && !(now !== undefined && referencesClaim(pod, now))) return false; // checked first because it is by far the most frequent case
    const found = podClaims(pod, this.#binding.claims);
    if (typeof found === 'string') return false;
    if (isFreed) return true;
    if (!found.some(({ metadata }) => metadata.uid === now?.metadata.uid)) return false;
    return old === undefined || !deepEqual(old.status, now?.status);
  }
}

/** Allocates devices on the node, or returns the rejection. */
function allocateOn(
  allocator: Allocator,
  node: Observed<Node>,
  claims: readonly Claim[],
): NodeChoice['allocations'] | Rejection {
  try {
    return allocator.allocate(node, claims) ?? NOT_ALL;
  } catch (error) {
    if (error instanceof InvalidPoolsError) return unresolvable(NAME, error.message);
    if (!(error instanceof SearchTimeout)) throw error;
    throw new Error(`node ${node.metadata.name}: timed out trying to allocate devices`, { cause: error });
  }
}

async function said(writing: Promise<void>, message: string): Promise<PostFilterAnswer> {
  await writing;
  return unschedulable(NAME, message);
}
