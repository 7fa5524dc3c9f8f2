import { type FieldError, forbiddenField, invalidValue, sentEmpty } from '../../api/index.ts';
import { containerLimits, containerRequests } from '../../api/meaning/index.ts';
import type { PodSpec } from '../../api/types/core/v1.d.ts';
import { amount } from './resource-list.ts';
import { checkPodRequirements } from './resource-rules.ts';

/** The resources of a pod as a whole, which have to be enough for its containers. */
export function checkPodResources(
  spec: PodSpec,
  field: string,
  pod: { readonly claims: ReadonlySet<string> },
): FieldError[] {
  const { resources, os } = spec;
  if (resources === undefined) return [];
  if (os?.name === 'windows') return [forbiddenField(field, 'may not be set for a windows pod')];
  const isClaiming = resources.claims !== undefined || sentEmpty(resources, 'claims') !== null;
  return [
    ...(isClaiming ? [forbiddenField(`${field}.claims`, 'claims may not be set for Resources at pod-level')] : []),
    ...checkPodRequirements(resources, field, pod),
    ...checkSums(spec, field),
    ...checkSingleLimits(spec, field),
  ];
}

function checkSums(spec: PodSpec, field: string): FieldError[] {
  const { requests = {}, limits = {} } = spec.resources ?? {};
  const errors: FieldError[] = [];
  for (const [name, sum] of containerRequests({ spec })) {
    const text = requests[name];
    if (text === undefined || sum.compare(amount(text)) <= 0) continue;
    const detail = `must be greater than or equal to aggregate container requests of ${sum.toString()}`;
    errors.push(invalidValue(`${field}.requests[${name}]`, text, detail));
  }
  for (const [name, sum] of containerLimits({ spec })) {
    const text = limits[name];
    if (!name.startsWith('hugepages-') || text === undefined || sum.compare(amount(text)) <= 0) continue;
    const detail = `must be greater than or equal to aggregate container limits of ${sum.toString()}`;
    errors.push(invalidValue(`${field}.limits[${name}]`, text, detail));
  }
  return errors;
}

function checkSingleLimits({ containers, resources }: PodSpec, field: string): FieldError[] {
  return (containers ?? []).flatMap((container, index) =>
    Object.entries(container.resources?.limits ?? {}).flatMap(([name, text]) => {
      const limit = resources?.limits?.[name];
      if (limit === undefined || amount(text).compare(amount(limit)) <= 0) return [];
      const at = `${field}.containers[${index}][${name}].limits`;
      return [invalidValue(at, text, `must be less than or equal to pod limits of ${limit}`)];
    }),
  );
}
