import {
  asJson,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  invalidValue,
  labelValueProblems,
  qualifiedNameProblems,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from '../../api/types/core/v1.d.ts';
import { checkLabelSelector, checkOperator } from '../label-selector-rules.ts';
import { checkLabelKeys } from './topology-spread-rules.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function checkAffinity(affinity: Affinity | undefined, field: string): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  return [
    ...checkNodeSelector(nodeAffinity?.[REQUIRED], `${field}.nodeAffinity.${REQUIRED}`),
    ...(nodeAffinity?.[PREFERRED] ?? []).flatMap(({ weight, preference }, index) => {
      const at = `${field}.nodeAffinity.${PREFERRED}[${index}]`;
      // A preference that matches no node is harmless.
      return [
        ...checkWeight(weight, `${at}.weight`),
        ...checkTerm(preference ?? {}, `${at}.preference`, { anyValue: true }),
      ];
    }),
    ...checkPodAffinity(podAffinity, `${field}.podAffinity`),
    ...checkPodAffinity(podAntiAffinity, `${field}.podAntiAffinity`),
  ];
}

const MAX_WEIGHT = 100;

function checkWeight(weight = 0, field: string): FieldError[] {
  return weight > 0 && weight <= MAX_WEIGHT ? [] : [invalidValue(field, weight, 'must be in the range 1-100')];
}

/** The rules of node selectors, for pods, volumes and device slices. */
export function checkNodeSelector(selector: NodeSelector | undefined, field: string): FieldError[] {
  if (selector === undefined) return [];
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) {
    return [required(`${field}.nodeSelectorTerms`, 'must have at least one node selector term')];
  }
  return terms.flatMap((term, index) => checkTerm(term, `${field}.nodeSelectorTerms[${index}]`, { anyValue: false }));
}

function checkTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  field: string,
  { anyValue }: { readonly anyValue: boolean },
): FieldError[] {
  return [
    ...matchExpressions.flatMap((requirement, index) => {
      const at = `${field}.matchExpressions[${index}]`;
      const { key = '', values = [] } = requirement;
      return [
        ...checkNodeOperator(requirement, at),
        ...qualifiedNameProblems(key).map((problem) => invalidValue(`${at}.key`, key, problem)),
        ...(anyValue ? [] : checkLabelValues(values, `${at}.values`)),
      ];
    }),
    ...matchFields.flatMap((requirement, index) =>
      checkFieldRequirement(requirement, `${field}.matchFields[${index}]`),
    ),
  ];
}

function checkLabelValues(values: readonly string[], field: string): FieldError[] {
  return values.flatMap((value, index) =>
    labelValueProblems(value).map((problem) => invalidValue(`${field}[${index}]`, value, problem)),
  );
}

function checkNodeOperator({ operator, values = [] }: NodeSelectorRequirement, field: string): FieldError[] {
  if (operator !== 'Gt' && operator !== 'Lt') return checkOperator({ operator: operator ?? '', values }, field);
  if (values.length === 1) return [];
  return [required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
}

/** The only field of nodes that terms support is the name. */
function checkFieldRequirement(requirement: NodeSelectorRequirement, field: string): FieldError[] {
  const { key, operator, values = [] } = requirement;
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalidValue(`${field}.operator`, asJson(operator ?? ''), 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${field}.values`, detail));
  }
  if (key !== 'metadata.name') {
    return [...errors, invalidValue(`${field}.key`, key ?? '', 'not a valid field selector key')];
  }
  for (const [index, value] of values.entries()) {
    for (const problem of dns1123SubdomainProblems(value)) {
      errors.push(invalidValue(`${field}.values[${index}]`, value, problem));
    }
  }
  return errors;
}

function checkPodAffinity(affinity: PodAffinity | undefined, field: string): FieldError[] {
  return [
    ...(affinity?.[REQUIRED] ?? []).flatMap((term, index) => checkPodTerm(term, `${field}.${REQUIRED}[${index}]`)),
    ...(affinity?.[PREFERRED] ?? []).flatMap(({ weight, podAffinityTerm }, index) => [
      ...checkWeight(weight, `${field}.${PREFERRED}[${index}].weight`),
      ...checkPodTerm(podAffinityTerm ?? {}, `${field}.${PREFERRED}[${index}].podAffinityTerm`),
    ]),
  ];
}

function checkPodTerm(term: Partial<PodAffinityTerm>, field: string): FieldError[] {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey = '' } = term;
  return [
    ...checkLabelSelector(labelSelector, `${field}.labelSelector`),
    ...checkLabelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...namespaces.flatMap((name) =>
      dns1123LabelProblems(name).map((problem) => invalidValue(`${field}.namespace`, name, problem)),
    ),
    ...checkLabelKeys(term, field),
    ...(topologyKey === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...qualifiedNameProblems(topologyKey).map((problem) => invalidValue(`${field}.topologyKey`, topologyKey, problem)),
  ];
}
