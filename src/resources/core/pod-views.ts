import { type ApiObject, type FieldError, forbiddenField, invalidValue, type Struct } from '../../api/index.ts';
import type { Container, Pod, ResourceRequirements } from '../../api/types/core/v1.d.ts';
import type { Strategy } from '../../apiserver/index.ts';
import { deepEqual } from '../../base/index.ts';
import { arrange } from '../arrange.ts';
import type { SubresourceMaker, Whole } from '../kind.ts';
import { setGeneration } from '../object-meta.ts';
import { keepMetadata } from '../status-metadata.ts';
import { withoutGatedFields } from './gated-pod-fields.ts';
import { qosClass } from '../../api/meaning/index.ts';
import { checkPodParts } from './pod-rules.ts';
import { checkEphemeralContainersUpdate } from './pod-update-rules.ts';

type PodSpec = Whole<Pod>['spec'];

/** Adds ephemeral containers to a running pod; nothing else changes. */
export const ephemeralContainersView: SubresourceMaker = podView(
  (sent, old) => ({ ...old, ephemeralContainers: sent.ephemeralContainers }),
  checkEphemeralContainersUpdate,
);

/** Changes the resources of a running pod: only resources and resize policies change. */
export const resizeView: SubresourceMaker = podView((sent, old) => {
  const isSameLength =
    (sent.containers ?? []).length === old.containers.length &&
    (sent.initContainers ?? []).length === (old.initContainers ?? []).length;
  if (!isSameLength) return undefined; // validation reports the problem
  return {
    ...old,
    resources: sent.resources,
    containers: resized(sent.containers, old.containers),
    initContainers:
      sent.initContainers === undefined ? undefined : resized(sent.initContainers, old.initContainers ?? []),
  };
}, checkResize);

function resized(sent: Container[], old: readonly Container[]): Container[] {
  if (sent.some((container, index) => container.name !== old[index]?.name)) return sent;
  return sent.map(({ resources, resizePolicy }, index) => ({ ...(old[index] as Container), resources, resizePolicy }));
}

/** A subresource that changes one part of the spec; `undefined` leaves the sent spec for validation to refuse. */
function podView(
  merge: (sent: PodSpec, old: PodSpec) => PodSpec | undefined,
  check: (pod: Whole<Pod>, old: Whole<Pod>) => readonly FieldError[],
): SubresourceMaker {
  return (info, own) => ({ type: 'view', verbs: info.verbs, strategy: viewStrategy(own, info.type, { merge, check }) });
}

interface PodView {
  readonly merge: (sent: PodSpec, old: PodSpec) => PodSpec | undefined;
  readonly check: (pod: Whole<Pod>, old: Whole<Pod>) => readonly FieldError[];
}

function viewStrategy(own: Strategy, type: Struct, { merge, check }: PodView): Strategy {
  return {
    ...own,
    prepareForUpdate(object: ApiObject, old: ApiObject) {
      const pod = object as unknown as Whole<Pod>;
      const was = old as unknown as Whole<Pod>;
      const spec = merge(pod.spec, was.spec);
      if (spec !== undefined) {
        pod.spec = spec;
        pod.status = was.status;
        keepMetadata(object, old, 'owned');
      }
      pod.spec = withoutGatedFields(pod.spec, was.spec);
      arrange(object, type);
      if (!deepEqual(pod.spec, was.spec)) setGeneration(object, (old.metadata.generation ?? 0) + 1);
    },
    validateUpdate: (object, old) => check(object as unknown as Whole<Pod>, old as unknown as Whole<Pod>),
    warnings: undefined,
  };
}

const MIRROR = 'kubernetes.io/config.mirror';
const RESIZABLE = new Set(['cpu', 'memory']);

/** The limits of a resize: only cpu and memory, within the same QoS class. */
function checkResize(pod: Whole<Pod>, old: Whole<Pod>): FieldError[] {
  if (old.metadata.annotations?.[MIRROR] !== undefined) return [forbiddenField('[]', 'static pods cannot be resized')];
  if (old.spec.os?.name === 'windows') return [forbiddenField('[]', 'windows pods cannot be resized')];
  const errors = checkPodParts(pod);
  if ((old.status.qosClass ?? qosClass(old.spec)) !== qosClass(pod.spec)) {
    const detail = 'Pod QOS Class may not change as a result of resizing';
    errors.push(invalidValue('spec', pod.status.qosClass ?? '', detail));
  }
  if (!isSupported(old)) errors.push(forbiddenField('spec', 'Pod running on node without support for resize'));
  const order = [...checkOrder(pod, old, 'containers'), ...checkOrder(pod, old, 'initContainers')];
  if (order.length > 0) return [...errors, ...order];
  return [...errors, ...checkList(pod, old, 'initContainers'), ...checkList(pod, old, 'containers')];
}

/** Only nodes that support resizing report the containers' resources. */
function isSupported({ status }: Whole<Pod>): boolean {
  const running = (status.containerStatuses ?? []).find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

type List = 'containers' | 'initContainers';

function checkOrder(pod: Whole<Pod>, old: Whole<Pod>, list: List): FieldError[] {
  const now = pod.spec[list] ?? [];
  const was = old.spec[list] ?? [];
  if (now.length !== was.length)
    return [forbiddenField(`spec.${list}`, `${list} may not be added or removed on resize`)];
  return was.flatMap(({ name }, index) =>
    now[index]?.name === name
      ? []
      : [forbiddenField(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`)],
  );
}

function checkList(pod: Whole<Pod>, old: Whole<Pod>, list: List): FieldError[] {
  return (old.spec[list] ?? []).flatMap((was, index) => {
    const now = pod.spec[list]?.[index] as Container;
    const field = `spec.${list}[${index}].resources`;
    const errors = checkRemoved(now.resources ?? {}, was.resources ?? {}, field);
    if (!deepEqual(withoutResizable(now), withoutResizable(was))) {
      errors.push(forbiddenField('spec', 'only cpu and memory resources are mutable'));
    }
    return errors;
  });
}

function checkRemoved(now: ResourceRequirements, was: ResourceRequirements, field: string): FieldError[] {
  const lost = (list: 'requests' | 'limits'): boolean =>
    Object.keys(was[list] ?? {}).some((name) => now[list]?.[name] === undefined);
  return [
    ...(lost('requests') ? [forbiddenField(`${field}.requests`, 'resource requests cannot be removed')] : []),
    ...(lost('limits') ? [forbiddenField(`${field}.limits`, 'resource limits cannot be removed')] : []),
  ];
}

function withoutResizable(container: Container): Container {
  const { limits, requests, ...rest } = container.resources ?? {};
  const others = (list: Readonly<Record<string, string>> | undefined): Record<string, string> =>
    Object.fromEntries(Object.entries(list ?? {}).filter(([name]) => !RESIZABLE.has(name)));
  return {
    ...container,
    resizePolicy: undefined,
    resources: { ...rest, limits: others(limits), requests: others(requests) },
  };
}
