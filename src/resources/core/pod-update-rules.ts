import {
  type FieldError,
  forbiddenField,
  internalForm,
  internalForms,
  invalidValue,
  quoteGo,
  required,
  sentEmpty,
  withoutSentEmpty,
} from '../../api/index.ts';
import type { Container, NodeAffinity, NodeSelectorTerm, Pod, PodSpec, Toleration } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import type { Whole } from '../kind.ts';
import { unifiedDiff } from '../unified-diff.ts';
import { checkPodParts } from './pod-rules.ts';
import { checkTolerations } from './toleration-rules.ts';

const MIRROR = 'kubernetes.io/config.mirror';
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';

const SPEC = 'core.v1.PodSpec';
const TERM = 'core.v1.NodeSelectorTerm';
const CONTAINER = 'core.v1.EphemeralContainer';

const CHANGEABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

/** The mutable fields of a pod: images, a shorter deadline, more tolerations, fewer gates. */
export function checkPodUpdate(pod: Whole<Pod>, old: Whole<Pod>): FieldError[] {
  const errors = [...checkPodParts(pod, old), ...checkAnnotationChanges(pod, old)];
  for (const list of ['containers', 'initContainers'] as const) {
    const found = checkContainerChanges(pod.spec[list] ?? [], old.spec[list] ?? [], `spec.${list}`);
    errors.push(...found.errors);
    if (found.stops) return errors;
  }
  const deadline = checkDeadline(pod.spec.activeDeadlineSeconds, old.spec.activeDeadlineSeconds);
  errors.push(...deadline.errors);
  if (deadline.stops) return errors;
  errors.push(...checkTolerationsUpdate(pod.spec.tolerations ?? [], old.spec.tolerations ?? []));
  errors.push(...checkGates(pod.spec, old.spec));
  if (deepEqual(pod.spec, old.spec)) return errors;
  return [...errors, ...checkTheRest(pod.spec, old.spec)];
}

export function checkAnnotationChanges({ metadata }: Whole<Pod>, old: Whole<Pod>): FieldError[] {
  const now = metadata.annotations ?? {};
  const was = old.metadata.annotations ?? {};
  const errors: FieldError[] = [];
  for (const name of new Set([...Object.keys(was), ...Object.keys(now)])) {
    if (now[name] === was[name]) continue;
    const verb = was[name] === undefined ? 'add' : 'remove or update';
    const field = `metadata.annotations[${name}]`;
    if (name.startsWith(APPARMOR)) errors.push(forbiddenField(field, `may not ${verb} AppArmor annotations`));
    if (name === MIRROR) errors.push(forbiddenField(field, `may not ${verb} mirror pod annotation`));
  }
  return errors;
}

interface Found {
  readonly errors: readonly FieldError[];
  /** Whether to skip further checks. */
  readonly stops: boolean;
}

function checkContainerChanges(containers: readonly Container[], old: readonly Container[], field: string): Found {
  if (containers.length !== old.length) {
    return { errors: [forbiddenField(field, 'pod updates may not add or remove containers')], stops: true };
  }
  const errors = containers.flatMap(({ image = '' }, index) => {
    const at = `${field}[${index}].image`;
    if (image === '') return [required(at)];
    return image.trim() === image ? [] : [invalidValue(at, image, 'must not have leading or trailing whitespace')];
  });
  return { errors, stops: false };
}

const DEADLINE = 'spec.activeDeadlineSeconds';
const MAX_DEADLINE = 2_147_483_647;

/** What upstream says of a deadline on updates besides the rule of its type, and then does not look further. */
export function checkDeadlineRange({ spec }: Whole<Pod>, old: Whole<Pod>): FieldError[] {
  const deadline = spec.activeDeadlineSeconds;
  if (deadline === undefined || isPossible(deadline)) return [];
  const isSame = (['containers', 'initContainers'] as const).every(
    (list) => spec[list]?.length === old.spec[list]?.length,
  );
  return isSame ? [invalidValue(DEADLINE, deadline, `must be between 0 and ${MAX_DEADLINE}, inclusive`)] : [];
}

function isPossible(deadline: number): boolean {
  return deadline >= 0 && deadline <= MAX_DEADLINE;
}

function checkDeadline(now: number | undefined, was: number | undefined): Found {
  const field = DEADLINE;
  if (now !== undefined && !isPossible(now)) return { errors: [], stops: true };
  if (now === undefined) {
    if (was === undefined) return { errors: [], stops: false };
    return {
      errors: [invalidValue(field, null, 'must not update from a positive integer to nil value')],
      stops: false,
    };
  }
  if (was !== undefined && was < now) {
    return { errors: [invalidValue(field, now, 'must be less than or equal to previous value')], stops: true };
  }
  return { errors: [], stops: false };
}

/** A toleration without its tolerationSeconds, as text. */
function withoutSeconds({ key, operator, value, effect }: Toleration): string {
  return JSON.stringify([key, operator, value, effect]);
}

function checkTolerationsUpdate(now: readonly Toleration[], was: readonly Toleration[]): FieldError[] {
  const known = new Set(now.map(withoutSeconds));
  if (was.every((old) => known.has(withoutSeconds(old)))) return checkTolerations(now, 'spec.tolerations');
  return [forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function checkGates({ schedulingGates = [] }: PodSpec, old: PodSpec): FieldError[] {
  const known = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  const places = new Map(schedulingGates.map(({ name }, index) => [name, index]));
  return [...places].flatMap(([name, index]) => {
    if (known.has(name)) return [];
    const detail = `only deletion is allowed, but found new scheduling gate '${name ?? ''}'`;
    return [forbiddenField(`spec.schedulingGates[${index}].name`, detail)];
  });
}

/** What may change is compared as if it were the old; so upstream copies init containers, and has none for an empty list. */
const REPLACED = ['initContainers', 'schedulingGates', 'tolerations'];

/** Any other difference is refused with a diff. A pod with scheduling gates may still change its node selector. */
function checkTheRest(spec: PodSpec, old: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  let rest: PodSpec = {
    ...withoutSentEmpty(spec, REPLACED),
    containers: (spec.containers ?? []).map((item, index) => ({ ...item, image: old.containers[index]?.image })),
    initContainers: spec.initContainers?.map((item, index) => ({ ...item, image: old.initContainers?.[index]?.image })),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
  };
  const grace = old.terminationGracePeriodSeconds ?? 0;
  if (grace < 0 && spec.terminationGracePeriodSeconds === 1) rest.terminationGracePeriodSeconds = grace;
  if ((old.schedulingGates ?? []).length > 0) {
    errors.push(
      ...checkNodeSelector(spec, old),
      ...checkNodeAffinity(spec.affinity?.nodeAffinity, old.affinity?.nodeAffinity),
    );
    const { nodeAffinity: _, ...others } = spec.affinity ?? {};
    const { nodeAffinity: was, ...oldOthers } = old.affinity ?? {};
    const isAimOnly = deepEqual(others, oldOthers);
    rest = {
      ...rest,
      nodeSelector: old.nodeSelector,
      affinity: isAimOnly ? old.affinity : { ...others, ...(was === undefined ? {} : { nodeAffinity: was }) },
    };
  }
  if (deepEqual(rest, old)) return errors;
  const detail = `pod updates may not change fields other than ${CHANGEABLE.join(',')}\n${unifiedDiff(internalForm(old, SPEC), internalForm(rest, SPEC))}`;
  return [...errors, forbiddenField('spec', detail)];
}

function checkNodeSelector(spec: PodSpec, old: PodSpec): FieldError[] {
  const { nodeSelector } = spec;
  const isKept = Object.entries(old.nodeSelector ?? {}).every(([name, value]) => nodeSelector?.[name] === value);
  if (isKept) return [];
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalidValue('spec.nodeSelector', nodeSelector ?? sentEmpty(spec, 'nodeSelector'), detail)];
}

function checkNodeAffinity(now: NodeAffinity | undefined, was: NodeAffinity | undefined): FieldError[] {
  const oldTerms = was?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (oldTerms.length === 0 || deepEqual(now, was)) return [];
  const required = now?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  const field = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  if (terms.length !== oldTerms.length) {
    return [
      invalidValue(
        field,
        terms.length === 0 ? sentEmpty(required, 'nodeSelectorTerms') : internalForms(terms, TERM),
        'no additions/deletions to non-empty NodeSelectorTerms list are allowed',
      ),
    ];
  }
  return oldTerms.flatMap((term, index) =>
    onlyAdds(terms[index] as NodeSelectorTerm, term)
      ? []
      : [
          invalidValue(
            `${field}[${index}]`,
            internalForm(terms[index], TERM),
            'only additions are allowed (no mutations or deletions)',
          ),
        ],
  );
}

function onlyAdds(now: NodeSelectorTerm, was: NodeSelectorTerm): boolean {
  const { matchExpressions = [], matchFields = [] } = was;
  if (matchExpressions.length === 0 && matchFields.length === 0) return deepEqual(now, was);
  return (
    matchExpressions.every((item, index) => deepEqual(item, now.matchExpressions?.[index])) &&
    matchFields.every((item, index) => deepEqual(item, now.matchFields?.[index]))
  );
}

/** Ephemeral containers can be added, never changed. */
export function checkEphemeralContainersUpdate(pod: Whole<Pod>, old: Whole<Pod>): FieldError[] {
  if (old.metadata.annotations?.[MIRROR] !== undefined) {
    return [forbiddenField('[]', 'static pods do not support ephemeral containers')];
  }
  const field = 'spec.ephemeralContainers';
  const now = new Map((pod.spec.ephemeralContainers ?? []).map((container) => [container.name, container]));
  const changes = (old.spec.ephemeralContainers ?? []).flatMap((container) => {
    const name = quoteGo(container.name);
    const kept = now.get(container.name);
    if (kept === undefined)
      return [forbiddenField(field, `existing ephemeral containers ${name} may not be removed\n`)];
    if (deepEqual(kept, container)) return [];
    const detail = `existing ephemeral containers ${name} may not be changed\n${unifiedDiff(internalForm(container, CONTAINER), internalForm(kept, CONTAINER))}`;
    return [forbiddenField(field, detail)];
  });
  return [...checkPodParts(pod, old), ...checkAnnotationChanges(pod, old), ...changes];
}
