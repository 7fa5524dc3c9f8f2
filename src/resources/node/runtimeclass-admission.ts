import { pathSegmentNameProblems, quoteGo, sentEmpty, StatusError } from '../../api/index.ts';
import type { PodSpec } from '../../api/types/core/v1.d.ts';
import type { RuntimeClass, Scheduling } from '../../api/types/node/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import type { AdmissionParts } from '../admission/admission-parts.ts';
import { refusal } from '../admission/refusal.ts';
import { isNewPod, podOf, setPodSpec } from '../admission/written-pod.ts';
import { amount } from '../core/resource-list.ts';
import { withEntries } from '../object-meta.ts';
import { mergeTolerations } from './merge-tolerations.ts';

const NO_OVERHEAD = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

type Amounts = Readonly<Record<string, string>>;

/** Gives a new pod the overhead and scheduling of its RuntimeClass; refuses it if the class is missing or conflicts. */
export function runtimeClassAdmission({ objects }: Pick<AdmissionParts, 'objects'>): AdmissionPlugin {
  const classes = objects.of<RuntimeClass>('node.k8s.io', 'runtimeclasses');

  async function classOf(request: AdmissionAttributes, name: string | undefined): Promise<RuntimeClass | undefined> {
    if (name === undefined) return undefined;
    const problem = nameProblem(name);
    if (problem !== undefined) throw new StatusError({ code: 500, message: problem });
    const found = (await classes.get('', name)) ?? (await classes.newest('', name));
    if (found === undefined) throw refusal(request, `pod rejected: RuntimeClass ${quoteGo(name)} not found`);
    return found;
  }

  return {
    name: 'RuntimeClass',
    handles: isNewPod,
    async mutate(request) {
      const { spec: stated } = podOf(request);
      const runtimeClass = await classOf(request, stated.runtimeClassName);
      // Only here the pod still tells that it was sent an empty overhead, which upstream does not take for none.
      if (overheadOf(runtimeClass) === undefined && sentEmpty(stated, 'overhead') !== null) {
        throw refusal(request, NO_OVERHEAD);
      }
      if (runtimeClass === undefined) return;
      const spec = withScheduling(request, withOverhead(request, stated, runtimeClass), runtimeClass.scheduling);
      setPodSpec(request, spec);
    },
    async validate(request) {
      const { spec } = podOf(request);
      const fixed = overheadOf(await classOf(request, spec.runtimeClassName));
      if (fixed === undefined && spec.overhead !== undefined) throw refusal(request, NO_OVERHEAD);
      if (fixed !== undefined && !isSameAmounts(spec.overhead ?? {}, fixed)) throw refusal(request, OTHER_OVERHEAD);
    },
  };
}

/** Why a name cannot be looked up. */
function nameProblem(name: string): string | undefined {
  if (name === '') return 'resource name may not be empty';
  const problems = pathSegmentNameProblems(name);
  return problems.length === 0 ? undefined : `invalid resource name ${quoteGo(name)}: [${problems.join(' ')}]`;
}

const OTHER_OVERHEAD = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function overheadOf(runtimeClass: RuntimeClass | undefined): Amounts | undefined {
  return runtimeClass?.overhead === undefined ? undefined : (runtimeClass.overhead.podFixed ?? {});
}

function withOverhead(request: AdmissionAttributes, spec: PodSpec, runtimeClass: RuntimeClass): PodSpec {
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

function withScheduling(request: AdmissionAttributes, spec: PodSpec, scheduling: Scheduling | undefined): PodSpec {
  if (scheduling === undefined) return spec;
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const stated = spec.nodeSelector?.[key];
    if (stated === undefined || stated === value) continue;
    const conflict = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${stated}`;
    throw refusal(request, `conflict: ${conflict}`);
  }
  const nodeSelector = withEntries(spec.nodeSelector, scheduling.nodeSelector ?? {});
  const tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
  return {
    ...spec,
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  };
}
