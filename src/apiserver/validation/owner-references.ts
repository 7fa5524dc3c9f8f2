import { invalidValue } from '../../api/index.ts';
import type { FieldError, ObjectMeta } from '../../api/index.ts';

type OwnerReference = NonNullable<ObjectMeta['ownerReferences']>[number];

const FIELD = 'metadata.ownerReferences';

/** Owner references must say who the owner is, and only one may claim to be the controller. */
export function checkOwnerReferences(references: readonly OwnerReference[]): FieldError[] {
  const errors: FieldError[] = [];
  let controller = '';
  for (const reference of references) {
    errors.push(...checkOne(reference));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === '') {
      controller = name;
      continue;
    }
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
    errors.push(invalidValue(FIELD, references, detail));
  }
  return errors;
}

function checkOne(reference: OwnerReference): FieldError[] {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  const errors: FieldError[] = [];
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  if (version === '') errors.push(invalidValue(`${FIELD}.apiVersion`, apiVersion, 'version must not be empty'));
  for (const [member, value] of Object.entries({ kind, name, uid })) {
    if (value === '') errors.push(invalidValue(`${FIELD}.${member}`, value, 'must not be empty'));
  }
  if (apiVersion === 'v1' && kind === 'Event') {
    errors.push(invalidValue(FIELD, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}
