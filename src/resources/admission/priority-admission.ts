import type { PodSpec } from '../../api/types/core/v1.d.ts';
import type { PriorityClass } from '../../api/types/scheduling/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionTarget } from '../../apiserver/index.ts';
import type { Whole } from '../kind.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { refusal } from './refusal.ts';
import { whenThere } from './when-there.ts';
import { isPodWrite, podOf, setPodSpec } from './written-pod.ts';
import { withMembers } from '../../base/index.ts';

const CLASSES = { group: 'scheduling.k8s.io', plural: 'priorityclasses' };

interface Established {
  readonly className: string | undefined;
  readonly priority: number;
  readonly preemptionPolicy: PodSpec['preemptionPolicy'];
}

/** Used if there is no default class. */
const USUAL: Established = { className: undefined, priority: 0, preemptionPolicy: 'PreemptLowerPriority' };

type FoundClass = Whole<PriorityClass> | undefined;

function established(request: AdmissionAttributes, name: string, found: FoundClass): Established {
  if (found === undefined && name === '') return USUAL;
  if (found === undefined) throw refusal(request, `no PriorityClass with name ${name} was found`);
  const { metadata, value = 0, preemptionPolicy } = found;
  return { className: metadata.name, priority: value, preemptionPolicy };
}

/** Gives pods the priority of their class, and allows only one default class. */
export function priorityAdmission(parts: Pick<AdmissionParts, 'objects'>): AdmissionPlugin {
  const classes = parts.objects.of<Whole<PriorityClass>>(CLASSES.group, CLASSES.plural);

  function defaultClass(): FoundClass | Promise<FoundClass> {
    return whenThere(classes.list(), (all) => {
      let found: FoundClass;
      for (const each of all) {
        if (each.globalDefault !== true) continue;
        if (found === undefined || (found.value ?? 0) > (each.value ?? 0)) found = each; // two may be created at the same time
      }
      return found;
    });
  }

  function givePriority(request: AdmissionAttributes): void | Promise<void> {
    const name = podOf(request).spec.priorityClassName ?? '';
    const found = name === '' ? defaultClass() : classes.get('', name);
    return whenThere(found, (each) => setPriority(request, established(request, name, each)));
  }

  function setPriority(request: AdmissionAttributes, { className, priority, preemptionPolicy }: Established): void {
    const { spec } = podOf(request);
    if (spec.priority !== undefined && spec.priority !== priority)
      throw refusal(request, stated('integer value of priority', spec.priority, priority));
    if (
      preemptionPolicy !== undefined &&
      spec.preemptionPolicy !== undefined &&
      spec.preemptionPolicy !== preemptionPolicy
    )
      throw refusal(request, stated('string value of PreemptionPolicy', spec.preemptionPolicy, preemptionPolicy));
    const policy = preemptionPolicy === undefined ? { priority } : { priority, preemptionPolicy };
    setPodSpec(
      request,
      withMembers(spec, className === undefined ? policy : { priorityClassName: className, ...policy }),
    );
  }

  return {
    name: 'Priority',
    handles: (target) => isPodWrite(target) || isClassWrite(target),
    mutate(request) {
      if (!isPodWrite(request)) return;
      return request.operation === 'CREATE' ? givePriority(request) : keepPriority(request);
    },
    validate(request) {
      if (!isClassWrite(request)) return;
      const { metadata, globalDefault } = request.object as unknown as Whole<PriorityClass>;
      if (globalDefault !== true) return;
      return whenThere(defaultClass(), (found) => {
        const other = found?.metadata.name;
        if (other === undefined || (request.operation === 'UPDATE' && other === metadata.name)) return;
        throw refusal(request, `PriorityClass ${other} is already marked as default. Only one default can exist`);
      });
    },
  };
}

function stated(what: string, value: string | number, computed: string | number): string {
  return `the ${what} (${value}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
}

/** Keeps the computed priority if an update leaves it out. */
function keepPriority(request: AdmissionAttributes): void {
  const { spec } = podOf(request);
  const was = podOf({ object: request.old }).spec;
  const { priority = was.priority, preemptionPolicy = was.preemptionPolicy } = spec;
  if (priority === spec.priority && preemptionPolicy === spec.preemptionPolicy) return;
  setPodSpec(request, { ...spec, priority, preemptionPolicy });
}

function isClassWrite({ operation, resource, subresource }: AdmissionTarget): boolean {
  const isWrite = operation === 'CREATE' || operation === 'UPDATE';
  return isWrite && resource.group === CLASSES.group && resource.plural === CLASSES.plural && subresource === '';
}
