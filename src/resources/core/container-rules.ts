import { duplicate, forbiddenField, invalidValue, missing, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Container, ContainerPort, EnvVar, Lifecycle, Probe, VolumeMount } from '../../api/types/core/v1.d.ts';
import { checkRequirements } from './resource-rules.ts';

/** What the containers of a pod are checked against. */
export interface PodNames {
  readonly volumes: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
}

/** Rules that hold for containers of all three kinds. */
export function checkContainer(container: Container, field: string, names: PodNames): FieldError[] {
  return [
    ...((container.image ?? '') === '' ? [required(`${field}.image`)] : []),
    ...checkPortNames(container.ports ?? [], `${field}.ports`),
    ...(container.env ?? []).flatMap((variable, index) => checkValueFrom(variable, `${field}.env[${index}].valueFrom`)),
    ...checkEnvFrom(container, `${field}.envFrom`),
    ...checkMounts(container, `${field}.volumeMounts`, names),
    ...checkDevices(container, `${field}.volumeDevices`, names),
    ...checkRequirements(container.resources, `${field}.resources`, names),
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

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;

function checkValueFrom({ value = '', valueFrom }: EnvVar, field: string): FieldError[] {
  if (valueFrom === undefined) return [];
  const count = SOURCES.filter((name) => valueFrom[name] !== undefined).length;
  if (count === 0) {
    const names = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [invalidValue(field, '', `must specify one of: ${names}`)];
  }
  if (value !== '') return [invalidValue(field, '', 'may not be specified when `value` is not empty')];
  return count > 1 ? [invalidValue(field, '', 'may not have more than one field specified at a time')] : [];
}

function checkEnvFrom({ envFrom = [] }: Container, field: string): FieldError[] {
  return envFrom.flatMap(({ configMapRef, secretRef }, index) => {
    const at = `${field}[${index}]`;
    if (configMapRef === undefined && secretRef === undefined) {
      return [invalidValue(at, '', 'must specify one of: `configMapRef` or `secretRef`')];
    }
    if (configMapRef !== undefined && secretRef !== undefined) {
      return [invalidValue(at, '', 'may not have more than one field specified at a time')];
    }
    return [];
  });
}

function checkMounts(container: Container, field: string, { volumes }: PodNames): FieldError[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const paths = new Set<string>();
  return volumeMounts.flatMap((mount, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (!volumes.has(mount.name)) errors.push(missing(`${at}.name`, mount.name));
    if (paths.has(mount.mountPath)) errors.push(invalidValue(`${at}.mountPath`, mount.mountPath, 'must be unique'));
    paths.add(mount.mountPath);
    if (volumeDevices.some(({ name }) => name === mount.name)) {
      errors.push(invalidValue(`${at}.name`, mount.name, 'must not already exist in volumeDevices'));
    }
    if (volumeDevices.some(({ devicePath }) => devicePath === mount.mountPath)) {
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
  const errors: FieldError[] = [];
  if ((mount.subPathExpr ?? '') !== '' && (mount.subPath ?? '') !== '') {
    const detail = 'subPathExpr and subPath are mutually exclusive';
    errors.push(invalidValue(`${at}.subPathExpr`, mount.subPathExpr, detail));
  }
  if (mount.mountPropagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
    const detail = 'Bidirectional mount propagation is available only to privileged containers';
    errors.push(forbiddenField(`${field}.mountPropagation`, detail));
  }
  return errors;
}

function checkDevices(
  { volumeDevices = [], volumeMounts = [] }: Container,
  field: string,
  { volumes }: PodNames,
): FieldError[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  return volumeDevices.flatMap(({ name, devicePath }, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (names.has(name)) errors.push(invalidValue(`${at}.name`, name, 'must be unique'));
    if (!volumes.has(name)) errors.push(missing(`${at}.name`, name));
    if (paths.has(devicePath)) errors.push(invalidValue(`${at}.devicePath`, devicePath, 'must be unique'));
    names.add(name);
    paths.add(devicePath);
    if (volumeMounts.some((mount) => mount.name === name)) {
      errors.push(invalidValue(`${at}.name`, name, 'must not already exist in volumeMounts'));
    }
    if (volumeMounts.some(({ mountPath }) => mountPath === devicePath)) {
      errors.push(invalidValue(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'));
    }
    return errors;
  });
}

/** Probes and hooks of containers that run along. */
export function checkRunning(container: Container, field: string): FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  return [
    ...(lifecycle === undefined ? [] : checkLifecycle(lifecycle, `${field}.lifecycle`)),
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

function checkLifecycle({ postStart, preStop }: Lifecycle, field: string): FieldError[] {
  return [
    ...(postStart === undefined ? [] : checkHandler(postStart, `${field}.postStart`)),
    ...(preStop === undefined ? [] : checkHandler(preStop, `${field}.preStop`)),
  ];
}

function checkProbe(
  probe: Probe | undefined,
  field: string,
  { oneSuccess }: { readonly oneSuccess: boolean },
): FieldError[] {
  if (probe === undefined) return [];
  const errors = checkHandler(probe, field);
  if (oneSuccess && probe.successThreshold !== 1) {
    errors.push(invalidValue(`${field}.successThreshold`, probe.successThreshold ?? 0, 'must be 1'));
  }
  return errors;
}

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

function checkHandler(handler: object, field: string): FieldError[] {
  const given = HANDLERS.filter((name) => (handler as Readonly<Record<string, unknown>>)[name] !== undefined);
  if (given.length === 0) return [required(field, 'must specify a handler type')];
  return given.slice(1).map((name) => forbiddenField(`${field}.${name}`, 'may not specify more than 1 handler type'));
}
