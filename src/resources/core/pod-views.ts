import type { Container, Pod } from '../../api/types/core/v1.d.ts';
import type { ApiObject, FieldError, Struct } from '../../api/index.ts';
import type { Strategy } from '../../apiserver/index.ts';
import { deepEqual } from '../../base/index.ts';
import { arrange } from '../arrange.ts';
import type { SubresourceMaker, Whole } from '../kind.ts';
import { setGeneration } from '../object-meta.ts';
import { keepMetadata } from '../status-metadata.ts';
import { withoutGatedFields } from './gated-pod-fields.ts';
import { checkEphemeralContainersUpdate } from './pod-update-rules.ts';
import { checkResize } from './pod-resize-rules.ts';

type PodSpec = Whole<Pod>['spec'];

/** Adding containers for debugging to a pod that runs: nothing else changes. */
export const ephemeralContainersView: SubresourceMaker = podView(
  (sent, old) => ({ ...old, ephemeralContainers: sent.ephemeralContainers }),
  checkEphemeralContainersUpdate,
);

/** Changing how much a running pod may use: only resources and resize policies change. */
export const resizeView: SubresourceMaker = podView((sent, old) => {
  const isSameLength =
    (sent.containers ?? []).length === old.containers.length &&
    (sent.initContainers ?? []).length === (old.initContainers ?? []).length;
  if (!isSameLength) return undefined; // validation says what is wrong with that
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

/** A view that lets through one part of the spec; `undefined` leaves what was sent for validation to refuse. */
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
