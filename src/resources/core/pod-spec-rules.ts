import { duplicate, forbiddenField, invalidValue, missing, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Container, PodSpec } from '../../api/types/core/v1.d.ts';
import { checkLabels } from '../../apiserver/index.ts';
import { checkContainer, checkRunning, type PodNames } from './container-rules.ts';
import { checkVolumes } from './volume-rules.ts';

export interface PodSpecOptions {
  /** Set for a Pod itself, absent for a template. */
  readonly podName?: string;
  readonly isPod: boolean;
}

/** Rules of a PodSpec beyond what its type says. */
export function checkPodSpec(spec: PodSpec, field: string, options: PodSpecOptions): FieldError[] {
  const names: PodNames = {
    volumes: new Set((spec.volumes ?? []).map(({ name }) => name)),
    claims: new Set((spec.resourceClaims ?? []).map(({ name }) => name)),
  };
  return [
    ...checkVolumes(spec.volumes ?? [], `${field}.volumes`, options.podName),
    ...checkContainers(spec, `${field}.containers`, names),
    ...checkInitContainers(spec, `${field}.initContainers`, names),
    ...checkEphemeralContainers(spec, `${field}.ephemeralContainers`, names),
    ...checkHostPorts(spec, `${field}.containers`, options),
    ...checkLabels(spec.nodeSelector, `${field}.nodeSelector`),
    ...checkSpreadConstraints(spec, `${field}.topologySpreadConstraints`),
    ...checkHostNamespaces(spec, field),
  ];
}

function checkContainers({ containers }: PodSpec, field: string, names: PodNames): FieldError[] {
  if (containers === undefined || containers === null || containers.length === 0) return [required(field)];
  const known = new Set<string>();
  const errors = containers.flatMap((container, index) => {
    const at = `${field}[${index}]`;
    const isTaken = known.has(container.name);
    known.add(container.name);
    return [
      ...checkContainer(container, at, names),
      ...(isTaken ? [duplicate(`${at}.name`, container.name)] : []),
      ...checkRunning(container, at),
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

function checkInitContainers(
  { initContainers = [], containers }: PodSpec,
  field: string,
  names: PodNames,
): FieldError[] {
  const known = new Set((containers ?? []).map(({ name }) => name));
  return initContainers.flatMap((container, index) => {
    const at = `${field}[${index}]`;
    const isTaken = known.has(container.name);
    known.add(container.name);
    const isSidecar = container.restartPolicy === 'Always';
    return [
      ...checkContainer(container, at, names),
      ...(isTaken ? [duplicate(`${at}.name`, container.name)] : []),
      ...checkUniqueHostPorts([container], field),
      ...(isSidecar
        ? checkRunning(container, at)
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

function checkEphemeralContainers(spec: PodSpec, field: string, names: PodNames): FieldError[] {
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

/** On the node's network, a port of the container is a port of the node. */
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

function checkSpreadConstraints({ topologySpreadConstraints = [] }: PodSpec, field: string): FieldError[] {
  const seen = new Set<string>();
  return topologySpreadConstraints.flatMap(({ topologyKey, whenUnsatisfiable, minDomains }, index) => {
    const at = `${field}[${index}]`;
    const key = `{${topologyKey}, ${whenUnsatisfiable}}`;
    const errors: FieldError[] = [];
    if (minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule') {
      const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
      errors.push(invalidValue(`${at}.minDomains`, minDomains, detail));
    }
    if (seen.has(key)) errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, key));
    seen.add(key);
    return errors;
  });
}

function checkHostNamespaces(spec: PodSpec, field: string): FieldError[] {
  if (spec.hostPID === true && spec.shareProcessNamespace === true) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    return [invalidValue(`${field}.shareProcessNamespace`, true, detail)];
  }
  return [];
}
