import {
  dns1123SubdomainWithUnderscoreProblems,
  duplicate,
  forbiddenField,
  invalidValue,
  labelValueProblems,
  legacyIpProblems,
  missing,
  notSupported,
  qualifiedNameProblems,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import { isSidecar } from '../../api/meaning/index.ts';
import type { Container, PodSpec, Toleration } from '../../api/types/core/v1.d.ts';
import { checkLabels } from '../../apiserver/index.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';
import { checkAffinity } from './affinity-rules.ts';
import { checkContainer, checkRunning, type PodFacts } from './container-rules.ts';
import { checkRequirements } from './resource-rules.ts';
import { checkPodSecurity } from './security-context-rules.ts';
import { checkVolumes } from './volume-rules.ts';

export interface PodSpecOptions {
  /** Set for a Pod itself, undefined for a template. */
  readonly podName?: string;
  readonly isPod: boolean;
}

/** The rules of a PodSpec beyond its type. */
export function checkPodSpec(spec: PodSpec, field: string, options: PodSpecOptions): FieldError[] {
  const names: PodFacts = {
    volumes: new Set((spec.volumes ?? []).map(({ name }) => name)),
    claims: new Set((spec.resourceClaims ?? []).map(({ name }) => name)),
    hostUsers: spec.hostUsers ?? true,
  };
  return [
    ...checkVolumes(spec.volumes ?? [], `${field}.volumes`, options),
    ...checkContainers(spec, `${field}.containers`, names),
    ...checkInitContainers(spec, `${field}.initContainers`, names),
    ...checkEphemeralContainers(spec, `${field}.ephemeralContainers`, names),
    ...checkHostPorts(spec, `${field}.containers`, options),
    ...checkLabels(spec.nodeSelector, `${field}.nodeSelector`),
    ...checkPodSecurity(spec, `${field}.securityContext`),
    ...checkAffinity(spec.affinity, `${field}.affinity`),
    ...checkDnsConfig(spec, `${field}.dnsConfig`),
    ...checkSchedulingGates(spec, `${field}.schedulingGates`),
    ...checkSpreadConstraints(spec, `${field}.topologySpreadConstraints`),
    ...checkTolerations(spec.tolerations ?? [], `${field}.tolerations`),
    ...(spec.overhead === undefined ? [] : checkRequirements({ limits: spec.overhead }, `${field}.overhead`, names)),
  ];
}

function checkContainers(spec: PodSpec, field: string, names: PodFacts): FieldError[] {
  const { containers, terminationGracePeriodSeconds: grace = 0 } = spec;
  if (containers === undefined || containers === null || containers.length === 0) return [required(field)];
  const known = new Set<string>();
  const errors = containers.flatMap((container, index) => {
    const at = `${field}[${index}]`;
    const isTaken = known.has(container.name);
    known.add(container.name);
    return [
      ...checkContainer(container, at, names),
      ...(isTaken ? [duplicate(`${at}.name`, container.name)] : []),
      ...checkRunning(container, at, grace),
    ];
  });
  return [...errors, ...checkUniqueHostPorts(containers, field)];
}

function checkUniqueHostPorts(containers: readonly Container[], field: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ protocol = '', hostIP = '', hostPort = 0 }, at) => {
      if (hostPort === 0) return [];
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) return [duplicate(`${field}[${index}].ports[${at}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}

const FOR_SIDECARS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

function checkInitContainers(spec: PodSpec, field: string, names: PodFacts): FieldError[] {
  const { initContainers = [], containers, terminationGracePeriodSeconds: grace = 0 } = spec;
  const known = new Set((containers ?? []).map(({ name }) => name));
  return initContainers.flatMap((container, index) => {
    const at = `${field}[${index}]`;
    const isTaken = known.has(container.name);
    known.add(container.name);
    return [
      ...checkContainer(container, at, names),
      ...(isTaken ? [duplicate(`${at}.name`, container.name)] : []),
      ...checkUniqueHostPorts([container], field),
      ...(isSidecar(container)
        ? checkRunning(container, at, grace)
        : FOR_SIDECARS.filter((name) => container[name] !== undefined).map((name) =>
            forbiddenField(`${at}.${name}`, 'may not be set for init containers without restartPolicy=Always'),
          )),
    ];
  });
}

const NOT_FOR_DEBUGGING = [
  'lifecycle',
  'livenessProbe',
  'ports',
  'readinessProbe',
  'resizePolicy',
  'startupProbe',
] as const;

function checkEphemeralContainers(spec: PodSpec, field: string, names: PodFacts): FieldError[] {
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const known = new Set(others);
  return (spec.ephemeralContainers ?? []).flatMap((container, index) => {
    const at = `${field}[${index}]`;
    const isTaken = known.has(container.name);
    known.add(container.name);
    const target = container.targetContainerName ?? '';
    const isSized = Object.keys(container.resources ?? {}).length > 0;
    const refused = [
      ...NOT_FOR_DEBUGGING.filter((name) => container[name] !== undefined),
      ...(isSized ? ['resources'] : []),
    ];
    return [
      ...checkContainer(container, at, names),
      ...(isTaken ? [duplicate(`${at}.name`, container.name)] : []),
      ...(target !== '' && !others.has(target) ? [missing(`${at}.targetContainerName`, target)] : []),
      ...refused.map((name) => forbiddenField(`${at}.${name}`, 'cannot be set for an Ephemeral Container')),
    ];
  });
}

/** With host networking, a container port must be the host port. */
function checkHostPorts({ hostNetwork, containers }: PodSpec, field: string, { isPod }: PodSpecOptions): FieldError[] {
  if (hostNetwork !== true) return [];
  return (containers ?? []).flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort = 0, containerPort }, at) => {
      if ((hostPort === 0 && !isPod) || hostPort === containerPort) return [];
      const detail = 'must match `containerPort` when `hostNetwork` is true';
      return [invalidValue(`${field}[${index}].ports[${at}].hostPort`, hostPort, detail)];
    }),
  );
}

function checkSchedulingGates({ schedulingGates = [] }: PodSpec, field: string): FieldError[] {
  const seen = new Set<string>();
  return schedulingGates.flatMap(({ name }, index) => {
    const at = `${field}[${index}]`;
    const isTaken = seen.has(name);
    seen.add(name);
    const errors = qualifiedNameProblems(name).map((problem) => invalidValue(at, name, problem));
    return isTaken ? [...errors, duplicate(at, name)] : errors;
  });
}

/** Of two equal constraints, the first is reported. */
function checkSpreadConstraints({ topologySpreadConstraints = [] }: PodSpec, field: string): FieldError[] {
  const keys = topologySpreadConstraints.map(
    ({ topologyKey, whenUnsatisfiable }) => `{${topologyKey}, ${whenUnsatisfiable}}`,
  );
  const last = new Map(keys.map((key, index) => [key, index]));
  return topologySpreadConstraints.flatMap(({ topologyKey, whenUnsatisfiable, minDomains, labelSelector }, index) => {
    const at = `${field}[${index}]`;
    const key = keys[index] ?? '';
    const errors: FieldError[] = [];
    if ((topologyKey ?? '') === '') errors.push(required(`${at}.topologyKey`, 'can not be empty'));
    if (last.get(key) !== index) errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, key));
    if (minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule') {
      const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
      errors.push(invalidValue(`${at}.minDomains`, minDomains, detail));
    }
    return [...errors, ...checkLabelSelector(labelSelector, `${at}.labelSelector`)];
  });
}

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;

/** Name servers and search paths, within the limits of resolvers. */
function checkDnsConfig({ dnsConfig, dnsPolicy }: PodSpec, field: string): FieldError[] {
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined) return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (nameservers.length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [required(`${field}.nameservers`, detail)];
    }
  }
  return [
    ...checkNameservers(nameservers, `${field}.nameservers`),
    ...checkSearches(searches, `${field}.searches`),
    ...options.flatMap(({ name = '' }, index) =>
      name === '' ? [required(`${field}.options[${index}]`, 'must not be empty')] : [],
    ),
  ];
}

function checkNameservers(servers: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (servers.length > MAX_NAMESERVERS) {
    errors.push(invalidValue(field, servers, `must not have more than ${MAX_NAMESERVERS} nameservers`));
  }
  for (const [index, server] of servers.entries()) {
    for (const problem of legacyIpProblems(server)) errors.push(invalidValue(`${field}[${index}]`, server, problem));
  }
  return errors;
}

function checkSearches(searches: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (searches.length > MAX_SEARCHES) {
    errors.push(invalidValue(field, searches, `must not have more than ${MAX_SEARCHES} search paths`));
  }
  if (searches.join(' ').length > MAX_SEARCH_CHARACTERS) {
    const detail = `must not have more than ${MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list`;
    errors.push(invalidValue(field, searches, detail));
  }
  for (const [index, search] of searches.entries()) {
    if (search === '.') continue;
    const name = search.replace(/\.$/, '');
    for (const problem of dns1123SubdomainWithUnderscoreProblems(name)) {
      errors.push(invalidValue(`${field}[${index}]`, name, problem));
    }
  }
  return errors;
}

/** Whether the fields of a toleration fit together. */
export function checkTolerations(tolerations: readonly Toleration[], field: string): FieldError[] {
  return tolerations.flatMap((toleration, index) => checkToleration(toleration, `${field}[${index}]`));
}

function checkToleration(toleration: Toleration, field: string): FieldError[] {
  const { key = '', operator = '', effect = '', tolerationSeconds } = toleration;
  const errors: FieldError[] = [];
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidValue(`${field}.operator`, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.push(invalidValue(`${field}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  return [...errors, ...checkOperator(toleration, field)];
}

/** Errors about the value, too, are reported at the operator. */
function checkOperator({ operator, value = '' }: Toleration, field: string): FieldError[] {
  const at = `${field}.operator`;
  switch (operator) {
    case undefined:
    case 'Equal': {
      const problems = labelValueProblems(value);
      return problems.length === 0 ? [] : [invalidValue(at, value, problems.join(';'))];
    }
    case 'Exists':
      return value === '' ? [] : [invalidValue(at, value, "value must be empty when `operator` is 'Exists'")];
    case 'Lt':
    case 'Gt':
      return [notSupported(at, operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [notSupported(at, operator, ['Equal', 'Exists'])];
  }
}
