import { deepEqual } from '../../../base/index.ts';
import { BOUND_BY_CONTROLLER, claimVolumesOf, isReservedFor, SELECTED_NODE } from '../../../api/meaning/index.ts';
import {
  type CSIDriver,
  CSINode,
  type CSIStorageCapacity,
  Node,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type StorageClass,
} from '../../../client/index.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Change } from '../../framework/cluster-event.ts';
import type { CycleKey } from '../../framework/cycle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import type { PluginContext } from '../../framework/plugin-context.ts';
import { unresolvable } from '../../framework/rejection.ts';
import { areBound, writeDecisions } from './bind-pod-volumes.ts';
import { isClaimOfPod } from './claim-hints.ts';
import { findPodVolumes, type PodVolumes, type StaticBinding } from './find-pod-volumes.ts';
import { type Claim, isFullyBound, type PodClaims, podClaims, VolumeLookup } from './pod-claims.ts';
import { sizeLimit } from './provisioning.ts';
import { readBindTimeoutMs } from './volume-binding-args.ts';
import { claimKey, VolumeWaits } from './volume-waits.ts';

const NAME = 'VolumeBinding';
const UNBOUND = unresolvable(NAME, 'pod has unbound immediate PersistentVolumeClaims');

/** The pod's claims, what is possible on each node, and what was decided. */
interface BindingState {
  readonly claims: PodClaims;
  readonly byNode: Map<string, PodVolumes>;
  decided?: PodVolumes;
}

const state: CycleKey<BindingState> = { name: NAME };

/**
 * Filter: nodes that can reach the pod's volumes, or for which volumes can be bound or provisioned. Reserve and
 * PreBind: binds them and waits until that is done.
 */
export function volumeBinding(context: PluginContext): Plugin {
  const bindTimeoutMs = readBindTimeoutMs(context.args);
  const lookup = new VolumeLookup(context);
  const listers = { lookup, nodes: context.objects(Node), pods: context.objects(Pod) };
  context.objects(CSINode); // registers the watch whose events retry pods
  const waits = new VolumeWaits(context);
  forgetWhatChanged(context, lookup);
  return {
    name: NAME,
    events: [
      { resource: 'StorageClass', actions: ['Add', 'Update'], isWorthRetry: isTopologyChanged },
      { resource: 'PersistentVolumeClaim', actions: ['Add', 'Update'], isWorthRetry: isClaimOfPod },
      { resource: 'PersistentVolume', actions: ['Add', 'Update'] },
      { resource: 'Node', actions: ['Add', 'UpdateNodeLabel'] },
      { resource: 'CSINode', actions: ['Add', 'Update'], isWorthRetry: areMigrationsChanged },
      { resource: 'CSIDriver', actions: ['Update'], isWorthRetry: isCapacityIgnoredNow },
      { resource: 'CSIStorageCapacity', actions: ['Add', 'Update'], isWorthRetry: isLimitRaised },
    ],
    preFilter(cycle) {
      const { pod } = cycle.pod;
      if (claimVolumesOf(pod).length === 0) return 'skip';
      const claims = podClaims(pod, lookup);
      if (typeof claims === 'string') return unresolvable(NAME, claims);
      if (claims.immediate.length > 0) return UNBOUND;
      cycle.write(state, { claims, byNode: new Map() });
      return undefined;
    },
    filter(cycle, { name, node }) {
      const { claims, byNode } = cycle.read(state);
      if (node === undefined) return undefined;
      const found = findPodVolumes(claims, node, lookup);
      if (!('bindings' in found)) return unresolvable(NAME, ...found);
      byNode.set(name, found);
      return undefined;
    },
    reserve(cycle, nodeName) {
      if (!cycle.has(state)) return undefined;
      const binding = cycle.read(state);
      const found = binding.byNode.get(nodeName);
      if (found === undefined || areAllBound(cycle.pod, lookup)) return undefined;
      binding.decided = assume(found, nodeName, lookup);
      return undefined;
    },
    unreserve(cycle) {
      const decided = cycle.has(state) ? cycle.read(state).decided : undefined;
      if (decided !== undefined) takeBack(decided, lookup);
    },
    willPreBind: (cycle) => cycle.has(state) && cycle.read(state).decided !== undefined,
    async preBind(cycle, nodeName, { rest }) {
      const decided = cycle.has(state) ? cycle.read(state).decided : undefined;
      if (decided === undefined) return;
      await writeDecisions(decided, lookup);
      const podKey = cycle.pod.key;
      const claims = [...decided.bindings.map(({ claim }) => claim), ...decided.provisions];
      const isOver = (): boolean => areBound(decided, { podKey, nodeName }, listers);
      const keys = [...claims.map(claimKey), `Pod ${podKey}`];
      await rest((signal) => waits.until({ keys, timeoutMs: bindTimeoutMs, signal, isOver })).catch(
        (cause: unknown) => {
          throw new Error(`binding volumes: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
        },
      );
    },
  };
}

function forgetWhatChanged({ onChange }: PluginContext, { claims, volumes }: VolumeLookup): void {
  const claimChanged = (claim: Claim): void => claims.expire(claim);
  const volumeChanged = (volume: Observed<PersistentVolume>): void => volumes.expire(volume);
  onChange(PersistentVolumeClaim, { update: claimChanged, delete: claimChanged });
  onChange(PersistentVolume, { update: volumeChanged, delete: volumeChanged });
}

function areAllBound({ pod }: PodInfo, { claims }: VolumeLookup): boolean {
  return claimVolumesOf(pod).every(({ claim: name }) => {
    const claim = claims.get(`${pod.metadata.namespace}/${name}`);
    return claim !== undefined && isFullyBound(claim);
  });
}

/** Assumes the decisions for a node, so that other pods see the volumes as taken. All or nothing. */
function assume({ bindings, provisions }: PodVolumes, nodeName: string, lookup: VolumeLookup): PodVolumes {
  const decided = {
    bindings: bindings.map(({ volume, claim }): StaticBinding => ({ volume: reservedVolume(volume, claim), claim })),
    provisions: provisions.map((claim) => withAnnotation(claim, SELECTED_NODE, nodeName)),
  };
  try {
    for (const { volume } of decided.bindings) lookup.volumes.assume(volume);
    for (const claim of decided.provisions) lookup.claims.assume(claim);
  } catch (error) {
    takeBack(decided, lookup);
    throw error;
  }
  return decided;
}

function takeBack({ bindings, provisions }: PodVolumes, { volumes, claims }: VolumeLookup): void {
  for (const { volume } of bindings) volumes.restore(volume);
  for (const claim of provisions) claims.restore(claim);
}

function reservedVolume(volume: Observed<PersistentVolume>, claim: Claim): Observed<PersistentVolume> {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  if (isReservedFor(volume, claim) && volume.spec?.claimRef?.uid === uid) return volume;
  const claimRef = { kind: 'PersistentVolumeClaim', namespace, name, uid, apiVersion: 'v1', resourceVersion };
  const marked = isReservedFor(volume, claim) ? volume : withAnnotation(volume, BOUND_BY_CONTROLLER, 'yes');
  return { ...marked, spec: { ...volume.spec, claimRef } };
}

function withAnnotation<T extends Claim | Observed<PersistentVolume>>(object: T, name: string, value: string): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [name]: value } } };
}

function isTopologyChanged(_: PodInfo, { old, now }: Change<StorageClass>): boolean {
  return old === undefined || !deepEqual(old.allowedTopologies ?? [], now?.allowedTopologies ?? []);
}

const MIGRATED_PLUGINS = 'storage.alpha.kubernetes.io/migrated-plugins';

function areMigrationsChanged(_: PodInfo, { old, now }: Change<CSINode>): boolean {
  const migrated = (node: Observed<CSINode> | undefined): string =>
    node?.metadata.annotations?.[MIGRATED_PLUGINS] ?? '';
  return old === undefined || migrated(old) !== migrated(now);
}

function isCapacityIgnoredNow({ pod }: PodInfo, { old, now }: Change<CSIDriver>): boolean {
  const isOurs = (pod.spec?.volumes ?? []).some(({ csi }) => csi !== undefined && csi.driver === now?.metadata.name);
  return isOurs && old?.spec.storageCapacity === true && now?.spec.storageCapacity !== true;
}

function isLimitRaised(_: PodInfo, { old, now }: Change<CSIStorageCapacity>): boolean {
  if (old === undefined || now === undefined) return true;
  const [before, after] = [sizeLimit(old), sizeLimit(now)];
  return after !== undefined && (before === undefined || after.compare(before) > 0);
}
