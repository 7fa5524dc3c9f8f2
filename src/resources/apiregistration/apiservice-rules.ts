import { dns1035LabelProblems, invalidValue, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { APIService } from '../../api/types/apiregistration/v1.d.ts';
import { decodedLength } from '../core/configmap-rules.ts';
import type { Whole } from '../kind.ts';

/** An APIService is named after the version that it serves. */
export function checkApiService({ metadata, spec }: Whole<APIService>): FieldError[] {
  const { group = '', version = '', service, caBundle, insecureSkipTLSVerify = false } = spec;
  const errors: FieldError[] = [];
  const name = `${version}.${group}`;
  if (metadata.name !== name) {
    const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`;
    errors.push(invalidValue('metadata.name', metadata.name, detail));
  }
  if (group === '' && version !== 'v1') {
    errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
  }
  for (const problem of dns1035LabelProblems(version)) errors.push(invalidValue('spec.version', version, problem));
  const field = 'spec.insecureSkipTLSVerify';
  if (service !== undefined) {
    if ((service.namespace ?? '') === '') errors.push(required('spec.service.namespace'));
    if ((service.name ?? '') === '') errors.push(required('spec.service.name'));
    if (insecureSkipTLSVerify && caBundle !== undefined) {
      errors.push(invalidValue(field, true, 'may not be true if caBundle is present'));
    }
    return errors;
  }
  if (caBundle !== undefined) {
    const detail = 'local APIServices may not have a caBundle';
    errors.push(invalidValue('spec.caBundle', `${decodedLength(caBundle)} bytes`, detail));
  }
  if (insecureSkipTLSVerify) {
    errors.push(invalidValue(field, true, 'local APIServices may not have insecureSkipTLSVerify'));
  }
  return errors;
}
