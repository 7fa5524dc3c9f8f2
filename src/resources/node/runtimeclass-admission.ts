import type { Pod, PodSpec } from '../../api/types/core/v1.d.ts';
import type { RuntimeClass, Scheduling } from '../../api/types/node/v1.d.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../../apiserver/index.ts';
import type { AdmissionParts } from '../admission/admission-parts.ts';
import { refusal } from '../admission/refusal.ts';
import { amount } from '../core/resource-list.ts';
import type { Whole } from '../kind.ts';
import { mergeTolerations } from './merge-tolerations.ts';

type Amounts = Readonly<Record<string, string>>;

/** A new pod that names a RuntimeClass gets its overhead and scheduling; one whose class is missing or says otherwise is refused. */
export function runtimeClassAdmission({ objects }: Pick<AdmissionParts, 'objects'>): AdmissionPlugin {
  const classes = objects.of<RuntimeClass>('node.k8s.io', 'runtimeclasses');

  async function classOf(request: AdmissionRequest, name: string | undefined): Promise<RuntimeClass | undefined> {
    if (name === undefined) return undefined;
    const found = (await classes.get('', name)) ?? (await classes.newest('', name));
    if (found === undefined) throw refusal(request, `pod rejected: RuntimeClass "${name}" not found`);
    return found;
  }

  return {
    name: 'RuntimeClass',
    async mutate(request) {
      if (!isNewPod(request)) return;
      const { spec: stated } = request.object as unknown as Whole<Pod>;
      const runtimeClass = await classOf(request, stated.runtimeClassName);
      if (runtimeClass === undefined) return;
      const spec = withScheduling(request, withOverhead(request, stated, runtimeClass), runtimeClass.scheduling);
      request.object = { ...request.object, spec } as unknown as AdmissionRequest['object'];
    },
    async validate(request) {
      if (!isNewPod(request)) return;
      const { spec } = request.object as unknown as Whole<Pod>;
      const fixed = overheadOf(await classOf(request, spec.runtimeClassName));
      if (fixed === undefined && spec.overhead !== undefined)
        throw refusal(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
      if (fixed !== undefined && !isSameAmounts(spec.overhead ?? {}, fixed)) throw refusal(request, OTHER_OVERHEAD);
    },
  };
}

const OTHER_OVERHEAD = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function isNewPod({ operation, resource, subresource }: AdmissionRequest): boolean {
  return operation === 'CREATE' && resource.group === '' && resource.plural === 'pods' && subresource === '';
}

function overheadOf(runtimeClass: RuntimeClass | undefined): Amounts | undefined {
  return runtimeClass?.overhead === undefined ? undefined : (runtimeClass.overhead.podFixed ?? {});
}

function withOverhead(request: AdmissionRequest, spec: PodSpec, runtimeClass: RuntimeClass): PodSpec {
  const fixed = overheadOf(runtimeClass);
  if (fixed === undefined) return spec;
  const stated = spec.overhead ?? {};
  if (Object.keys(stated).length > 0 && !isSameAmounts(stated, fixed)) throw refusal(request, OTHER_OVERHEAD);
  return { ...spec, overhead: fixed };
}

function isSameAmounts(left: Amounts, right: Amounts): boolean {
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => right[name] !== undefined && amount(left[name] ?? '').compare(amount(right[name])) === 0)
  );
}

function withScheduling(request: AdmissionRequest, spec: PodSpec, scheduling: Scheduling | undefined): PodSpec {
  if (scheduling === undefined) return spec;
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const stated = spec.nodeSelector?.[key];
    if (stated === undefined || stated === value) continue;
    const conflict = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${stated}`;
    throw refusal(request, `conflict: ${conflict}`);
  }
  const nodeSelector = { ...spec.nodeSelector, ...scheduling.nodeSelector };
  const tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
  return {
    ...spec,
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  };
}
