import {
  duplicate,
  type FieldError,
  forbiddenField,
  holdsSentEmpty,
  invalidValue,
  missing,
  required,
  sentEmpty,
} from '../../api/index.ts';
import { isSidecar } from '../../api/meaning/index.ts';
import type { Container, EphemeralContainer, PodSpec } from '../../api/types/core/v1.d.ts';
import { checkContainer, checkRestartPolicy, type PodFacts } from './container-rules.ts';
import { checkRunning, type RunningFacts } from './probe-rules.ts';

/** What containers of a pod depend on. */
export type ContainerFacts = PodFacts & RunningFacts;

export function checkContainers({ containers }: PodSpec, field: string, facts: ContainerFacts): FieldError[] {
  if (containers === undefined || containers === null || containers.length === 0) return [required(field)];
  const names = new Set<string>();
  const errors = containers.flatMap((container, index) => {
    const at = `${field}[${index}]`;
    return [
      ...checkContainer(container, at, facts),
      ...checkUnique(container, at, names),
      ...checkRunning(container, at, facts),
      ...checkRestartPolicy(container, at),
    ];
  });
  return [...errors, ...checkUniqueHostPorts(containers, field)];
}

function checkUnique({ name = '' }: { readonly name?: string }, field: string, names: Set<string>): FieldError[] {
  const isTaken = names.has(name);
  names.add(name);
  return isTaken ? [duplicate(`${field}.name`, name)] : [];
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

export function checkInitContainers(spec: PodSpec, field: string, facts: ContainerFacts): FieldError[] {
  const { initContainers = [], containers } = spec;
  const names = new Set((containers ?? []).map(({ name }) => name ?? ''));
  return initContainers.flatMap((container, index) => {
    const at = `${field}[${index}]`;
    return [
      ...checkContainer(container, at, facts),
      ...checkInitRestartPolicy(container, at),
      ...((container.name ?? '') === '' && !names.has('') ? [] : checkUnique(container, at, names)),
      ...checkUniqueHostPorts([container], field),
      ...(isSidecar(container) ? checkRunning(container, at, facts) : checkStarting(container, at)),
    ];
  });
}

/** Rules without a policy are not looked at. */
function checkInitRestartPolicy(container: Container, field: string): FieldError[] {
  const errors = checkRestartPolicy(container, field);
  return container.restartPolicy === undefined ? errors.slice(0, 1) : errors;
}

/** An init container that ends before the others start has no probes and hooks, and is not restarted when resized. */
function checkStarting(container: Container, field: string): FieldError[] {
  const restart = 'RestartContainer';
  const detail = `must not be set to '${restart}' for non-sidecar initContainers`;
  return [
    ...FOR_SIDECARS.filter((name) => container[name] !== undefined).map((name) =>
      forbiddenField(`${field}.${name}`, 'may not be set for init containers without restartPolicy=Always'),
    ),
    ...(container.resizePolicy ?? []).flatMap(({ restartPolicy }, index) =>
      restartPolicy === restart ? [invalidValue(`${field}.resizePolicy[${index}].restartPolicy`, restart, detail)] : [],
    ),
  ];
}

/** What ephemeral containers may not have, in the order of upstream's type. */
const NOT_FOR_DEBUGGING = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

export function checkEphemeralContainers(spec: PodSpec, field: string, facts: ContainerFacts): FieldError[] {
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name ?? ''));
  const names = new Set(others);
  return (spec.ephemeralContainers ?? []).flatMap((container, index) => {
    const at = `${field}[${index}]`;
    const { image = '', targetContainerName: target = '' } = container;
    return [
      ...checkContainer(container as Container, at, facts),
      ...(image === image.trim()
        ? []
        : [invalidValue(`${at}.image`, image, 'must not have leading or trailing whitespace')]),
      ...checkUnique(container, at, names),
      ...(target !== '' && !others.has(target) ? [missing(`${at}.targetContainerName`, target)] : []),
      ...checkDebugging(container, at),
    ];
  });
}

function checkDebugging(container: EphemeralContainer, field: string): FieldError[] {
  const cannot = 'cannot be set for an Ephemeral Container';
  const isSet = (name: (typeof NOT_FOR_DEBUGGING)[number]): boolean => {
    const value: object | string | undefined = container[name];
    if (value === undefined || holdsSentEmpty(value)) return value !== undefined || sentEmpty(container, name) !== null;
    return name !== 'resources' || Object.keys(value).length > 0;
  };
  return [
    ...NOT_FOR_DEBUGGING.filter(isSet).map((name) => forbiddenField(`${field}.${name}`, cannot)),
    ...(container.volumeMounts ?? []).flatMap((mount, index) =>
      (['subPath', 'subPathExpr'] as const)
        .filter((name) => (mount[name] ?? '') !== '')
        .map((name) => forbiddenField(`${field}.volumeMounts[${index}].${name}`, cannot)),
    ),
  ];
}
