import { invalidValue, required } from '../../api/index.ts';
import type { FieldError, ObjectMeta } from '../../api/index.ts';
import type { NonResourceAttributes, ResourceAttributes } from '../../api/types/authorization/v1.d.ts';
import type { FieldSelectorRequirement } from '../../api/types/meta/v1.d.ts';
import { checkOperator, checkRequirement } from '../label-selector-rules.ts';

interface Asked {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

const RESOURCE = 'spec.resourceAttributes';
const OTHER = 'spec.nonResourceAttributes';

/** A review asks about exactly one thing. */
export function checkQuestion({ resourceAttributes, nonResourceAttributes }: Asked): FieldError[] {
  const errors: FieldError[] = [];
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    errors.push(
      invalidValue(OTHER, nonResourceAttributes, 'cannot be specified in combination with resourceAttributes'),
    );
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(invalidValue(RESOURCE, null, detail));
  }
  return errors;
}

/** Somebody must be asked about. */
export function checkSubject(spec: { readonly user?: string; readonly groups?: readonly string[] }): FieldError[] {
  if ((spec.user ?? '') !== '' || (spec.groups ?? []).length > 0) return [];
  return [invalidValue('spec.user', '', 'at least one of user or group must be specified')];
}

export function checkSelectors(attributes: ResourceAttributes | undefined): FieldError[] {
  const { fieldSelector, labelSelector } = attributes ?? {};
  return [
    ...(fieldSelector === undefined
      ? []
      : checkSelector(fieldSelector, `${RESOURCE}.fieldSelector`, checkFieldRequirement)),
    ...(labelSelector === undefined
      ? []
      : checkSelector(labelSelector, `${RESOURCE}.labelSelector`, (item, field) =>
          checkRequirement(item, field, lenient),
        )),
  ];
}

interface SelectorAttributes<Requirement> {
  readonly rawSelector?: string;
  readonly requirements?: readonly Requirement[];
}

function checkSelector<Requirement>(
  { rawSelector = '', requirements = [] }: SelectorAttributes<Requirement>,
  field: string,
  check: (requirement: Requirement, field: string) => FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0) {
    const detail = 'may not specified at the same time as requirements';
    errors.push(invalidValue(`${field}.rawSelector`, rawSelector, detail));
  }
  if (rawSelector === '' && requirements.length === 0) {
    errors.push(
      required(`${field}.requirements`, `when ${field} is specified, requirements or rawSelector is required`),
    );
  }
  return [...errors, ...requirements.flatMap((item, index) => check(item, `${field}.requirements[${index}]`))];
}

/** Newer clients may know operators that we do not; what cannot be judged is then judged without it. */
const lenient = { allowsUnknownOperator: true };

function checkFieldRequirement({ key, operator, values = [] }: FieldSelectorRequirement, field: string): FieldError[] {
  const errors = key === '' ? [required(`${field}.key`, 'must be specified')] : [];
  return [...errors, ...checkOperator({ operator, values }, field, lenient)];
}

/** Reviews are not stored, so they have no names; a local one has a namespace. */
export function checkNoMetadata(metadata: ObjectMeta, options: { readonly allowsNamespace: boolean }): FieldError[] {
  const { managedFields: _, namespace, ...rest } = metadata;
  const checked = options.allowsNamespace || namespace === undefined ? rest : { ...rest, namespace };
  if (Object.keys(checked).length === 0) return [];
  const detail = options.allowsNamespace ? 'must be empty except for namespace' : 'must be empty';
  return [invalidValue('metadata', metadata, detail)];
}
