import {
  dns1123SubdomainProblems,
  duplicate,
  forbiddenField,
  invalidValue,
  missing,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  Container,
  ContainerPort,
  EnvVar,
  LifecycleHandler,
  Probe,
  VolumeMount,
} from '../../api/types/core/v1.d.ts';
import { checkFieldRef, checkResourceFieldRef, FIELDS_OF_ENV } from './downward-rules.ts';
import { checkDescendingPath } from './path-rules.ts';
import { checkRequirements } from './resource-rules.ts';
import { checkContainerSecurity } from './security-context-rules.ts';

/** The facts about a pod that its containers are checked against. */
export interface PodFacts {
  readonly volumes: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
  /** Whether the containers' users are users of the node. */
  readonly hostUsers: boolean;
}

/** The rules of all three kinds of containers. */
export function checkContainer(container: Container, field: string, names: PodFacts): FieldError[] {
  return [
    ...((container.image ?? '') === '' ? [required(`${field}.image`)] : []),
    ...checkPortNames(container.ports ?? [], `${field}.ports`),
    ...checkEnv(container.env ?? [], `${field}.env`),
    ...checkEnvFrom(container, `${field}.envFrom`),
    ...checkMounts(container, `${field}.volumeMounts`, names),
    ...checkDevices(container, `${field}.volumeDevices`, names),
    ...checkRequirements(container.resources, `${field}.resources`, names),
    ...checkContainerSecurity(container.securityContext, `${field}.securityContext`, names),
  ];
}

function checkPortNames(ports: readonly ContainerPort[], field: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = '', containerPort = 0 }, index) => {
    const isTaken = name !== '' && names.has(name);
    names.add(name);
    return [
      ...(isTaken ? [duplicate(`${field}[${index}].name`, name)] : []),
      ...(containerPort === 0 ? [required(`${field}[${index}].containerPort`)] : []),
    ];
  });
}

function checkMounts(container: Container, field: string, { volumes }: PodFacts): FieldError[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const paths = new Set<string>();
  const deviceNames = new Set(volumeDevices.map(({ name }) => name));
  const devicePaths = new Set(volumeDevices.map(({ devicePath }) => devicePath));
  return volumeMounts.flatMap((mount, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (!volumes.has(mount.name)) errors.push(missing(`${at}.name`, mount.name));
    if (paths.has(mount.mountPath)) errors.push(invalidValue(`${at}.mountPath`, mount.mountPath, 'must be unique'));
    paths.add(mount.mountPath);
    if (deviceNames.has(mount.name)) {
      errors.push(invalidValue(`${at}.name`, mount.name, 'must not already exist in volumeDevices'));
    }
    if (devicePaths.has(mount.mountPath)) {
      errors.push(
        invalidValue(`${at}.mountPath`, mount.mountPath, 'must not already exist as a path in volumeDevices'),
      );
    }
    return [...errors, ...checkMountOptions(mount, container, { at, field })];
  });
}

function checkMountOptions(
  mount: VolumeMount,
  container: Container,
  { at, field }: { readonly at: string; readonly field: string },
): FieldError[] {
  const errors = checkDescendingPath(mount.subPath ?? '', `${field}.subPath`);
  if ((mount.subPathExpr ?? '') !== '' && (mount.subPath ?? '') !== '') {
    const detail = 'subPathExpr and subPath are mutually exclusive';
    errors.push(invalidValue(`${at}.subPathExpr`, mount.subPathExpr, detail));
  }
  errors.push(...checkDescendingPath(mount.subPathExpr ?? '', `${field}.subPathExpr`));
  if (mount.mountPropagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
    const detail = 'Bidirectional mount propagation is available only to privileged containers';
    errors.push(forbiddenField(`${field}.mountPropagation`, detail));
  }
  return errors;
}

function checkDevices(
  { volumeDevices = [], volumeMounts = [] }: Container,
  field: string,
  { volumes }: PodFacts,
): FieldError[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mountNames = new Set(volumeMounts.map((mount) => mount.name));
  const mountPaths = new Set(volumeMounts.map(({ mountPath }) => mountPath));
  return volumeDevices.flatMap(({ name, devicePath }, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (names.has(name)) errors.push(invalidValue(`${at}.name`, name, 'must be unique'));
    if (!volumes.has(name)) errors.push(missing(`${at}.name`, name));
    if (paths.has(devicePath)) errors.push(invalidValue(`${at}.devicePath`, devicePath, 'must be unique'));
    names.add(name);
    paths.add(devicePath);
    if (mountNames.has(name)) {
      errors.push(invalidValue(`${at}.name`, name, 'must not already exist in volumeMounts'));
    }
    if (mountPaths.has(devicePath)) {
      errors.push(invalidValue(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'));
    }
    return errors;
  });
}

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;

/** The sources of environment variables. */
function checkEnv(variables: readonly EnvVar[], field: string): FieldError[] {
  return variables.flatMap((variable, index) => checkValueFrom(variable, `${field}[${index}].valueFrom`));
}

function checkValueFrom({ value = '', valueFrom }: EnvVar, field: string): FieldError[] {
  if (valueFrom === undefined) return [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  const errors = [
    ...(fieldRef === undefined ? [] : checkFieldRef(fieldRef, `${field}.fieldRef`, FIELDS_OF_ENV)),
    ...(resourceFieldRef === undefined
      ? []
      : checkResourceFieldRef(resourceFieldRef, `${field}.resourceFieldRef`, { namesContainer: false })),
    ...(configMapKeyRef === undefined ? [] : checkGiven(configMapKeyRef.name, `${field}.configMapKeyRef.name`)),
    ...(secretKeyRef === undefined ? [] : checkGiven(secretKeyRef.name, `${field}.secretKeyRef.name`)),
  ];
  const count = SOURCES.filter((name) => valueFrom[name] !== undefined).length;
  if (count === 0) {
    const names = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [...errors, invalidValue(field, '', `must specify one of: ${names}`)];
  }
  if (value !== '') return [...errors, invalidValue(field, '', 'may not be specified when `value` is not empty')];
  if (count === 1) return errors;
  return [...errors, invalidValue(field, '', 'may not have more than one field specified at a time')];
}

/** A missing name is an error here; the type checks its form. */
function checkGiven(name: string | undefined, field: string): FieldError[] {
  if ((name ?? '') !== '') return [];
  return dns1123SubdomainProblems('').map((problem) => invalidValue(field, '', problem));
}

function checkEnvFrom({ envFrom = [] }: Container, field: string): FieldError[] {
  return envFrom.flatMap(({ configMapRef, secretRef }, index) => {
    const at = `${field}[${index}]`;
    const errors = [
      ...(configMapRef === undefined ? [] : checkGiven(configMapRef.name, `${at}.configMapRef.name`)),
      ...(secretRef === undefined ? [] : checkGiven(secretRef.name, `${at}.secretRef.name`)),
    ];
    if (configMapRef === undefined && secretRef === undefined) {
      errors.push(invalidValue(field, '', 'must specify one of: `configMapRef` or `secretRef`'));
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'));
    }
    return errors;
  });
}

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

type Handler = LifecycleHandler & Pick<Probe, 'grpc'>;

/** Probes and hooks of a long-running container; `grace` is the pod's grace period. */
export function checkRunning(container: Container, field: string, grace: number): FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const { postStart, preStop } = lifecycle ?? {};
  return [
    ...(postStart === undefined ? [] : checkHandler(postStart, `${field}.lifecycle.postStart`, grace)),
    ...(preStop === undefined ? [] : checkHandler(preStop, `${field}.lifecycle.preStop`, grace)),
    ...checkProbe(livenessProbe, `${field}.livenessProbe`, { oneSuccess: true }),
    ...checkProbe(readinessProbe, `${field}.readinessProbe`, { oneSuccess: false }),
    ...(readinessProbe?.terminationGracePeriodSeconds === undefined
      ? []
      : [
          invalidValue(
            `${field}.readinessProbe.terminationGracePeriodSeconds`,
            readinessProbe.terminationGracePeriodSeconds,
            'must not be set for readinessProbes',
          ),
        ]),
    ...checkProbe(startupProbe, `${field}.startupProbe`, { oneSuccess: true }),
  ];
}

function checkProbe(
  probe: Probe | undefined,
  field: string,
  { oneSuccess }: { readonly oneSuccess: boolean },
): FieldError[] {
  if (probe === undefined) return [];
  const errors = checkHandler(probe, field, undefined);
  if (oneSuccess && probe.successThreshold !== 1) {
    errors.push(invalidValue(`${field}.successThreshold`, probe.successThreshold ?? 0, 'must be 1'));
  }
  return errors;
}

function checkHandler(handler: Handler, field: string, grace: number | undefined): FieldError[] {
  const given = HANDLERS.filter((name) => handler[name] !== undefined);
  if (given.length === 0) return [required(field, 'must specify a handler type')];
  const errors: FieldError[] = [];
  if (given[0] === 'exec' && (handler.exec?.command ?? []).length === 0) errors.push(required(`${field}.exec.command`));
  const seconds = handler.sleep?.seconds ?? 0;
  if (given[0] === 'sleep' && grace !== undefined && (seconds < 0 || seconds > grace)) {
    const detail = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
    errors.push(invalidValue(`${field}.sleep`, seconds, detail));
  }
  const more = given
    .slice(1)
    .map((name) => forbiddenField(`${field}.${name}`, 'may not specify more than 1 handler type'));
  return [...errors, ...more];
}
