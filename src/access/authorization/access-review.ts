import { parseFieldSelector, parseLabelSelector, ValueError } from '../../api/index.ts';
import type { ResourceAttributes, SubjectAccessReviewSpec } from '../../api/types/authorization/v1.d.ts';
import type { FieldSelectorRequirement, LabelSelectorRequirement } from '../../api/types/meta/v1.d.ts';
import type { AccessRequest, RequestInfo } from '../../apiserver/index.ts';
import type { DeepReadonly } from '../../base/index.ts';

/** The spec of a SubjectAccessReview. */
export type AccessQuestion = DeepReadonly<SubjectAccessReviewSpec>;

/** The SubjectAccessReview for a request; empty members are left out, as upstream does. */
export function accessReviewSpec({ user, info }: Pick<AccessRequest, 'user' | 'info'>): AccessQuestion {
  const { name, groups, extra, uid = '' } = user;
  const asked = info.isResource
    ? { resourceAttributes: resourceAttributes(info) }
    : { nonResourceAttributes: withoutEmpty({ path: info.path, verb: info.verb }) };
  return {
    ...asked,
    ...withoutEmpty({ user: name }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
    ...withoutEmpty({ uid }),
  };
}

/** The same for v1beta1, in which `groups` is called `group`. */
export function betaSpec({ groups, ...spec }: AccessQuestion): object {
  return { ...spec, ...(groups === undefined ? {} : { group: groups }) };
}

function resourceAttributes(info: RequestInfo): ResourceAttributes {
  const { namespace, verb, group, version, resource, subresource, name } = info;
  const fields = fieldRequirements(info.fieldSelector ?? '');
  const labels = labelRequirements(info.labelSelector ?? '');
  return {
    ...withoutEmpty({ namespace, verb, group, version, resource, subresource, name }),
    ...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields } }),
    ...(labels.length === 0 ? {} : { labelSelector: { requirements: labels } }),
  };
}

/** A selector that cannot be parsed is left out: the review is then about all objects. */
function fieldRequirements(text: string): FieldSelectorRequirement[] {
  const selector = parseFieldSelector(text);
  if (selector instanceof ValueError) return [];
  return selector.requirements.map(({ field, operator, value }) => ({
    key: field,
    operator: operator === '=' ? 'In' : 'NotIn',
    values: [value],
  }));
}

const LABEL_OPERATORS: Readonly<Record<string, string>> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

function labelRequirements(text: string): LabelSelectorRequirement[] {
  const selector = parseLabelSelector(text);
  if (selector instanceof ValueError) return [];
  return selector.requirements.flatMap(({ key, operator, values }) => {
    const known = LABEL_OPERATORS[operator];
    if (known === undefined) return []; // reviews have no comparisons; asking about more objects is safe
    return [{ key, operator: known, ...(values.length === 0 ? {} : { values: [...values] }) }];
  });
}

function withoutEmpty<T extends Readonly<Record<string, string>>>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== '')) as Partial<T>;
}
