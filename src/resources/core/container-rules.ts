import { duplicate, forbiddenField, invalidValue, missing, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Container, ContainerPort, VolumeMount } from '../../api/types/core/v1.d.ts';
import { checkEnv, checkEnvFrom } from './env-rules.ts';
import { checkDescendingPath } from './path-rules.ts';
import { checkRequirements } from './resource-rules.ts';
import { checkContainerSecurity } from './security-context-rules.ts';

/** What the containers of a pod are checked against. */
export interface PodFacts {
  readonly volumes: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
  /** Whether users of the containers are users of the node. */
  readonly hostUsers: boolean;
}

/** Rules that hold for containers of all three kinds. */
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
