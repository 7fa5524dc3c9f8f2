import {
  asJson,
  checkObjectMeta,
  dns1035LabelProblems,
  formatTime,
  instantOfMillis,
  invalidValue,
  notSupported,
  quoteGo,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { APIService } from '../../api/types/apiregistration/v1.d.ts';
import { ageColumn, column, each, nameColumn } from '../columns/column.ts';
import { decodedLength } from '../core/configmaps.ts';
import { defineKind, type Whole } from '../kind.ts';
import { pathSegmentName } from '../name-rules.ts';

export const apiServices = defineKind<APIService>({
  group: 'apiregistration.k8s.io',
  plural: 'apiservices',
  allowsAnyFinalizer: true,
  columns: [
    nameColumn,
    column('Service', 'Service that serves the API, if another does', ({ spec }) => serviceOf(spec?.service)),
    column('Available', 'Whether the API can be used, or why not', availability),
    ageColumn,
  ],
  folder: 'apiregistration.k8s.io/apiservices',
  metadataRules: 'general', // its own come with the name that its spec asks for
  checkName: pathSegmentName,
  requiresResourceVersion: true,
  statusMetadata: 'owners',
  ownRulesFor: ['spec.version'],

  /** Services that this server answers itself are available at once; others are probed. */
  prepareForCreate(service, { now }) {
    if (service.spec.service !== undefined) return;
    const condition = {
      type: 'Available',
      status: 'True',
      lastTransitionTime: formatTime(instantOfMillis(now)),
      reason: 'Local',
      message: 'Local APIServices are always available',
    } as const;
    service.status = { conditions: [condition] };
  },

  validate: checkApiService,

  validateStatus: ({ status }) =>
    each(status?.conditions).flatMap((condition, index) =>
      CONDITION_STATUSES.includes(condition.status)
        ? []
        : [notSupported(`status.conditions[${index}].status`, asJson(condition.status ?? ''), CONDITION_STATUSES)],
    ),
});

const CONDITION_STATUSES: readonly string[] = ['True', 'False', 'Unknown'];

/** An APIService must be named after its version and group. */
function checkApiService({ metadata, spec }: Whole<APIService>): FieldError[] {
  const { group = '', version = '', service, caBundle, insecureSkipTLSVerify = false } = spec;
  const name = `${version}.${group}`;
  const other = [`must be \`spec.version+"."+spec.group\`: ${quoteGo(name)}`];
  const checkName = (stated: string): readonly string[] => {
    const problems = pathSegmentName(stated, { prefix: false });
    return problems.length > 0 || stated === name ? problems : other;
  };
  const errors = checkObjectMeta(metadata, { namespaced: false, checkName });
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

function serviceOf(service: NonNullable<APIService['spec']>['service']): string {
  return service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`;
}

function availability({ status }: APIService): string {
  const condition = each(status?.conditions).find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  const { status: state, reason = '' } = condition;
  return state === 'True' || reason === '' ? state : `${state} (${reason})`;
}
