import { isTerminalPhase, qosClass } from '../../api/meaning/index.ts';
import { dns1123LabelProblems, withMeta } from '../../api/index.ts';
import type { ContainerStatus, Pod, PodStatus } from '../../api/types/core/v1.d.ts';
import { deepEqual, withMembers } from '../../base/index.ts';
import { podColumns, podRowConditions } from '../columns/pod-columns.ts';
import { arrange } from '../arrange.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind } from '../kind.ts';
import { podStream, proxied } from './connections.ts';
import { withoutGatedFields } from './gated-pod-fields.ts';
import { defaultPod, defaultPodStatus, withAppArmorProfiles } from './pod-defaults.ts';
import { boundPod, checkBinding, created } from './pod-binding.ts';
import { withCondition } from './pod-conditions.ts';
import { evictionOf } from './pod-eviction.ts';
import { withLabelKeys } from './pod-label-keys.ts';
import { withoutInitAnnotations } from './pod-spec-defaults.ts';
import { podWarnings } from './pod-warnings.ts';
import { checkPod } from './pod-rules.ts';
import { checkPodStatusUpdate } from './pod-status-rules.ts';
import { checkDeadlineRange, checkPodUpdate } from './pod-update-rules.ts';
import { ephemeralContainersView, resizeView } from './pod-views.ts';

const GATED = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
} as const;

export function pods(environment: KindEnvironment): Kind {
  const podType = environment.types.struct('io.k8s.api.core.v1.Pod');
  return defineKind<Pod>({
    changeSteps: ['metadataChange', 'metadata', 'object', 'change'],
    group: '',
    plural: 'pods',
    columns: podColumns,
    rowConditions: podRowConditions,
    returnsDeletedObject: true,
    resetFields: { '': ['status'], status: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'] },
    raisesGeneration: (pod, old) => !deepEqual(pod.spec, old.spec),
    applyDefaults: defaultPod,
    applyStatusDefaults(pod) {
      pod.metadata = withoutInitAnnotations(pod.metadata);
      defaultPodStatus(pod);
    },

    statusOnCreate: 'kept', // of it, upstream keeps the class

    prepareForCreate(pod, context) {
      const { qosClass: stated = '' } = pod.status;
      const { labels, annotations } = pod.metadata;
      const spec = withLabelKeys(withoutGatedFields(pod.spec, undefined), labels);
      pod.spec = withAppArmorProfiles(spec, annotations, context);
      const status: PodStatus = { phase: 'Pending', qosClass: stated || qosClass(pod.spec) };
      pod.status = (pod.spec.schedulingGates ?? []).length === 0 ? status : withCondition(status, GATED, context.now);
    },

    prepareForUpdate(pod, old) {
      pod.spec = withoutGatedFields(pod.spec, old.spec);
    },

    prepareForStatusUpdate(pod, old) {
      pod.metadata = withMeta(pod.metadata, {
        ownerReferences: old.metadata.ownerReferences,
        deletionTimestamp: undefined,
      });
      const qosClass = pod.status.qosClass ?? old.status.qosClass;
      // Off by default: the claims of a node's allocatable resources.
      const hadClaims = (old.status.nodeAllocatableResourceClaimStatuses ?? []).length > 0;
      const claims = hadClaims ? pod.status.nodeAllocatableResourceClaimStatuses : undefined;
      const kept = withMembers(pod.status, { qosClass, nodeAllocatableResourceClaimStatuses: claims });
      pod.status = withObservedGenerations(withoutVolumeStatus(kept), old.status);
    },

    validate: checkPod,
    validateUpdate: checkPodUpdate,
    validateChange: checkDeadlineRange,
    validateStatus: checkPodStatusUpdate,

    warnings(pod, old) {
      if (old !== undefined) return []; // most of a pod does not change
      const warnings = podWarnings(pod.spec, pod.metadata, '');
      const problems = dns1123LabelProblems(pod.metadata.name ?? '');
      if (problems.length === 0) return warnings;
      const surprise = "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; ";
      return [`${surprise}a DNS label is recommended: [${problems.join(' ')}]`, ...warnings];
    },

    /** A pod without a node, or a finished one, needs no grace period. */
    gracePeriod({ spec, status }, requested) {
      if ((spec.nodeName ?? '') === '' || isTerminalPhase(status.phase)) return 0;
      const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 0;
      return seconds < 0 ? 1 : seconds;
    },

    selectable: {
      'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
      'spec.host': ({ spec }) => spec.nodeName ?? '', // its name before v1
      'spec.restartPolicy': ({ spec }) => spec.restartPolicy ?? '',
      'spec.schedulerName': ({ spec }) => spec.schedulerName ?? '',
      'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName ?? '',
      'spec.hostNetwork': ({ spec }) => String(spec.hostNetwork ?? false),
      'status.phase': ({ status }) => status.phase ?? '',
      'status.podIP': ({ status }) => status.podIPs?.[0]?.ip ?? status.podIP ?? '',
      'status.podIPs': () => '', // accepted, but matches no value
      'status.nominatedNodeName': ({ status }) => status.nominatedNodeName ?? '',
    },

    subresources: {
      ephemeralcontainers: ephemeralContainersView,
      resize: resizeView,
      binding: (info) => ({
        type: 'action',
        verbs: info.verbs,
        kind: { group: '', version: 'v1', kind: 'Binding' },
        struct: info.type,
        async run({ name, body, context, objects, admit }) {
          checkBinding(body, name);
          await admit(body);
          await objects.update((object) => {
            const bound = boundPod(object, body, context);
            arrange(bound, podType);
            return bound;
          });
          return created();
        },
      }),
      eviction: (info) => ({
        type: 'action',
        verbs: info.verbs,
        kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
        struct: info.type,
        run: evictionOf(environment),
      }),
      exec: podStream(environment, 'exec'),
      attach: podStream(environment, 'attach'),
      portforward: podStream(environment, 'portforward'),
      log: podStream(environment, 'log'),
      proxy: proxied(environment, 'podproxy'),
    },
  });
}

/** Keeps the observed generations if a writer that does not know them leaves them out. */
function withObservedGenerations(status: PodStatus, old: PodStatus): PodStatus {
  const before = new Map<string, number[]>();
  for (const { type, observedGeneration = 0 } of old.conditions ?? []) {
    before.set(type, [...(before.get(type) ?? []), observedGeneration]);
  }
  const conditions = status.conditions?.map((condition) => {
    const was = before.get(condition.type)?.shift() ?? 0;
    if ((condition.observedGeneration ?? 0) !== 0 || was === 0) return condition;
    return withMembers(condition, { observedGeneration: was });
  });
  const isUnknown = (status.observedGeneration ?? 0) === 0;
  const observedGeneration = isUnknown ? old.observedGeneration : status.observedGeneration;
  return withMembers(status, { observedGeneration, conditions });
}

const CONTAINER_LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

/** Drops what volumes report of images: the gate of that is off. */
function withoutVolumeStatus(status: PodStatus): PodStatus {
  if (!CONTAINER_LISTS.some((list) => status[list]?.some(({ volumeMounts }) => volumeMounts !== undefined)))
    return status;
  const strip = (list: readonly ContainerStatus[] | undefined): ContainerStatus[] | undefined =>
    list?.map((container) => {
      if (container.volumeMounts?.some(({ volumeStatus }) => volumeStatus !== undefined) !== true) return container;
      return { ...container, volumeMounts: container.volumeMounts.map(({ volumeStatus: _, ...mount }) => mount) };
    });
  return withMembers(status, {
    containerStatuses: strip(status.containerStatuses),
    initContainerStatuses: strip(status.initContainerStatuses),
    ephemeralContainerStatuses: strip(status.ephemeralContainerStatuses),
  });
}
