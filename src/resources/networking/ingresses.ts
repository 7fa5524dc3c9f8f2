import {
  asJson,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  forbiddenField,
  invalidValue,
  legacyIpProblems,
  notSupported,
  parseIp,
  pathSegmentNameProblems,
  portNameProblems,
  portNumberProblems,
  required,
  sentEmpty,
  wildcardDns1123SubdomainProblems,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { TypedLocalObjectReference } from '../../api/types/core/v1.d.ts';
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressClass,
  IngressRule,
  ServiceBackendPort,
} from '../../api/types/networking/v1.d.ts';
import { changes } from '../change.ts';
import { ageColumn, column, each, nameColumn, NONE } from '../columns/column.ts';
import { loadBalancerAddresses } from '../columns/load-balancer.ts';
import { checkDomainPath } from '../domain-path-rules.ts';
import { defineKind, type Whole } from '../kind.ts';

export const ingresses = defineKind<Ingress>({
  changeSteps: ['metadataChange', 'metadata', 'object'],
  group: 'networking.k8s.io',
  plural: 'ingresses',
  columns: [
    nameColumn,
    column('Class', 'Class that serves the ingress', ({ spec }) => spec?.ingressClassName ?? NONE),
    column('Hosts', 'First hosts of the rules', hosts),
    column('Address', 'Where the load balancer listens', ({ status }) =>
      loadBalancerAddresses(each(status?.loadBalancer?.ingress)).join(','),
    ),
    column('Ports', 'Ports that are open', ({ spec }) => (each(spec?.tls).length === 0 ? '80' : '80, 443')),
    ageColumn,
  ],
  folder: 'ingress',
  raisesGeneration: changes('spec'),
  validate: (ingress) => checkIngress(ingress, { isNew: true }),
  validateUpdate: checkIngressUpdate,
  validateStatus: checkIngressStatus,
  warnings: ingressWarnings,
});

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

function checkIngress({ metadata, spec }: Whole<Ingress>, { isNew }: { readonly isNew: boolean }): FieldError[] {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  const errors: FieldError[] = [];
  if (rules.length === 0 && defaultBackend === undefined) {
    errors.push(invalidValue('spec', sentEmpty(spec, 'rules'), 'either `defaultBackend` or `rules` must be specified'));
  }
  if (defaultBackend !== undefined) errors.push(...checkBackend(defaultBackend, 'spec.defaultBackend'));
  errors.push(...rules.flatMap((rule, index) => checkRule(rule, `spec.rules[${index}]`)));
  errors.push(
    ...tls.flatMap(({ hosts = [], secretName = '' }, index) => [
      ...hosts.flatMap((host, at) => checkHost(host, `spec.tls[${index}].hosts[${at}]`)),
      ...(secretName === '' ? [] : checkSubdomain(secretName, `spec.tls[${index}].secretName`)),
    ]),
    ...(ingressClassName === undefined ? [] : checkSubdomain(ingressClassName, 'spec.ingressClassName')),
  );
  const annotation = metadata.annotations?.[CLASS_ANNOTATION];
  if (isNew && annotation !== undefined && ingressClassName !== undefined && annotation !== ingressClassName) {
    const detail = 'must match `ingressClassName` when both are specified';
    errors.push(invalidValue(`annotations.${CLASS_ANNOTATION}`, annotation, detail));
  }
  return errors;
}

function checkIngressUpdate(ingress: Whole<Ingress>): FieldError[] {
  return checkIngress(ingress, { isNew: false });
}

function checkSubdomain(name: string, field: string): FieldError[] {
  return dns1123SubdomainProblems(name).map((problem) => invalidValue(field, name, problem));
}

function checkHost(host: string, field: string): FieldError[] {
  const problems = host.includes('*') ? wildcardDns1123SubdomainProblems(host) : dns1123SubdomainProblems(host);
  return problems.map((problem) => invalidValue(field, host, problem));
}

function checkRule({ host = '', http }: IngressRule, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (host !== '') {
    if (parseIp(host) !== undefined) {
      errors.push(invalidValue(`${field}.host`, host, 'must be a DNS name, not an IP address'));
    }
    errors.push(...checkHost(host, `${field}.host`));
  }
  if (http === undefined) return errors;
  const paths = http.paths ?? [];
  if (paths.length === 0) errors.push(required(`${field}.http.paths`));
  return [...errors, ...paths.flatMap((path, index) => checkPath(path, `${field}.http.paths[${index}]`))];
}

const BAD_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_ENDINGS = ['/..', '/.'];

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

function checkPath({ path = '', pathType, backend }: HTTPIngressPath, field: string): FieldError[] {
  if (pathType === undefined || pathType === null) return [required(`${field}.pathType`, 'pathType must be specified')];
  const at = `${field}.path`;
  const errors: FieldError[] = [];
  const isStrict = pathType === 'Exact' || pathType === 'Prefix';
  if (!PATH_TYPES.includes(pathType))
    errors.push(notSupported(`${field}.pathType`, asJson(pathType ?? ''), PATH_TYPES));
  else if ((isStrict || path !== '') && !path.startsWith('/')) {
    errors.push(invalidValue(at, path, 'must be an absolute path'));
  }
  if (isStrict) {
    for (const text of BAD_SEQUENCES) {
      if (path.includes(text)) errors.push(invalidValue(at, path, `must not contain '${text}'`));
    }
    for (const text of BAD_ENDINGS) {
      if (path.endsWith(text)) errors.push(invalidValue(at, path, `cannot end with '${text}'`));
    }
  }
  return [...errors, ...checkBackend(backend ?? {}, `${field}.backend`)];
}

function checkBackend({ service, resource }: IngressBackend, field: string): FieldError[] {
  if (service !== undefined && resource !== undefined) {
    return [invalidValue(field, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) return checkResourceBackend(resource, `${field}.resource`);
  if (service === undefined) return [invalidValue(field, '', 'resource or service backend is required')];
  const { name = '' } = service;
  const errors =
    name === ''
      ? [required(`${field}.service.name`)]
      : dns1123LabelProblems(name).map((problem) => invalidValue(`${field}.service.name`, name, problem));
  return [...errors, ...checkBackendPort(service.port ?? {}, field)];
}

function checkBackendPort({ name = '', number = 0 }: ServiceBackendPort, field: string): FieldError[] {
  if (name !== '' && number !== 0) return [invalidValue(field, '', 'cannot set both port name & port number')];
  if (name === '' && number === 0) return [required(field, 'port name or number is required')];
  if (name !== '') {
    return portNameProblems(name).map((problem) => invalidValue(`${field}.service.port.name`, name, problem));
  }
  return portNumberProblems(number).map((problem) => invalidValue(`${field}.service.port.number`, number, problem));
}

function checkResourceBackend(
  { apiGroup, kind = '', name = '' }: TypedLocalObjectReference,
  field: string,
): FieldError[] {
  const segment = (value: string, at: string): FieldError[] =>
    value === '' ? [required(at)] : pathSegmentNameProblems(value).map((problem) => invalidValue(at, value, problem));
  return [
    ...(apiGroup === undefined || apiGroup === null ? [] : checkSubdomain(apiGroup, `${field}.apiGroup`)),
    ...segment(kind, `${field}.kind`),
    ...segment(name, `${field}.name`),
  ];
}

/** Addresses that were there before may stay, although they would be refused today. */
function checkIngressStatus({ status }: Whole<Ingress>, old: Whole<Ingress>): FieldError[] {
  const known = new Set((old.status.loadBalancer?.ingress ?? []).map(({ ip }) => ip));
  return (status.loadBalancer?.ingress ?? []).flatMap(({ ip = '', hostname = '' }, index) => {
    const field = `status.loadBalancer.ingress[${index}]`;
    const isIp = hostname !== '' && parseIp(hostname) !== undefined;
    return [
      ...(ip === '' || known.has(ip)
        ? []
        : legacyIpProblems(ip).map((problem) => invalidValue(`${field}.ip`, ip, problem))),
      ...(hostname === '' ? [] : checkSubdomain(hostname, `${field}.hostname`)),
      ...(isIp ? [invalidValue(`${field}.hostname`, hostname, 'must be a DNS name, not an IP address')] : []),
    ];
  });
}

function ingressWarnings({ metadata, spec }: Whole<Ingress>, old: Whole<Ingress> | undefined): string[] {
  const isOld = old !== undefined || metadata.annotations?.[CLASS_ANNOTATION] === undefined;
  if (isOld || spec.ingressClassName !== undefined) return [];
  return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`];
}

export const ingressClasses = defineKind<IngressClass>({
  changeSteps: ['metadataChange', 'change', 'metadata', 'object'],
  group: 'networking.k8s.io',
  plural: 'ingressclasses',
  columns: [
    {
      ...nameColumn,
      value: ({ metadata }) =>
        `${metadata?.name ?? ''}${metadata?.annotations?.[DEFAULT_CLASS] === 'true' ? ' (default)' : ''}`,
    },
    column('Controller', 'Who serves ingresses of the class', ({ spec }) => spec?.controller ?? ''),
    column('Parameters', 'Object with more settings', parameters),
    ageColumn,
  ],
  raisesGeneration: changes('spec'),
  ownRulesFor: ['spec.parameters.namespace'],
  validate: checkIngressClass,
});

/** The controller is a domain and a path; parameters have a namespace only if their scope is Namespace. */
function checkIngressClass({ spec }: Whole<IngressClass>): FieldError[] {
  return [...checkDomainPath(spec.controller ?? '', 'spec.controller'), ...checkParameters(spec)];
}

function checkParameters({ parameters }: Whole<IngressClass>['spec']): FieldError[] {
  const { scope, namespace } = parameters ?? {};
  const field = 'spec.parameters.namespace';
  if (scope === 'Namespace') {
    if (namespace === undefined) return [required(field, "`parameters.scope` is set to 'Namespace'")];
    return dns1123LabelProblems(namespace).map((problem) => invalidValue(field, namespace, problem));
  }
  if (scope !== 'Cluster' || namespace === undefined) return [];
  return [forbiddenField(field, "`parameters.scope` is set to 'Cluster'")];
}

const MAX_HOSTS = 3;

/** Rules without a host are not shown, but counted after the third host. */
function hosts({ spec }: Ingress): string {
  const rules = each(spec?.rules);
  const shown: string[] = [];
  let hasMore = false;
  for (const { host = '' } of rules) {
    hasMore ||= shown.length === MAX_HOSTS;
    if (!hasMore && host !== '') shown.push(host);
  }
  if (shown.length === 0) return '*';
  return hasMore ? `${shown.join(',')} + ${rules.length - MAX_HOSTS} more...` : shown.join(',');
}

const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class';

function parameters({ spec }: IngressClass): string {
  if (spec?.parameters === undefined) return NONE;
  const { kind, apiGroup, name } = spec.parameters;
  return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`;
}
