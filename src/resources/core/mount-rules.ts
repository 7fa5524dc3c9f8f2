import {
  asJson,
  type FieldError,
  forbiddenField,
  invalidValue,
  missing,
  notSupported,
  required,
} from '../../api/index.ts';
import type { Container, Volume, VolumeMount } from '../../api/types/core/v1.d.ts';
import { checkDescendingPath } from './path-rules.ts';

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE = ['Disabled', 'Enabled', 'IfPossible'];

/** The mounts of a container; `volumes` are those of the pod that can be mounted. */
export function checkMounts(container: Container, field: string, volumes: ReadonlyMap<string, Volume>): FieldError[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const paths = new Set<string>();
  const devices = new Map(volumeDevices.map(({ name, devicePath }) => [name ?? '', devicePath ?? '']));
  const devicePaths = new Set(devices.values());
  return volumeMounts.flatMap((mount, index) => {
    const { name = '', mountPath = '' } = mount;
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${at}.name`));
    if (!volumes.has(name)) errors.push(missing(`${at}.name`, name));
    if (mountPath === '') errors.push(required(`${at}.mountPath`));
    if (paths.has(mountPath)) errors.push(invalidValue(`${at}.mountPath`, mountPath, 'must be unique'));
    paths.add(mountPath);
    if (devices.has(name)) errors.push(invalidValue(`${at}.name`, name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(mountPath)) {
      errors.push(invalidValue(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'));
    }
    return [...errors, ...checkMountOptions(mount, container, { at, field })];
  });
}

/** Upstream reports problems of most options at the list. */
function checkMountOptions(
  mount: VolumeMount,
  container: Container,
  { at, field }: { readonly at: string; readonly field: string },
): FieldError[] {
  const { subPath = '', subPathExpr = '', mountPropagation: propagation } = mount;
  const errors = checkDescendingPath(subPath, `${field}.subPath`);
  if (subPathExpr !== '' && subPath !== '') {
    errors.push(invalidValue(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
  }
  errors.push(...checkDescendingPath(subPathExpr, `${field}.subPathExpr`));
  if (propagation !== undefined) {
    const path = `${field}.mountPropagation`;
    if (!PROPAGATIONS.includes(propagation)) errors.push(notSupported(path, asJson(propagation ?? ''), PROPAGATIONS));
    if (propagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
      const detail = 'Bidirectional mount propagation is available only to privileged containers';
      errors.push(forbiddenField(path, detail));
    }
  }
  return [...errors, ...checkRecursive(mount, `${field}.recursiveReadOnly`)];
}

function checkRecursive({ recursiveReadOnly, readOnly, mountPropagation }: VolumeMount, field: string): FieldError[] {
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return [];
  if (!RECURSIVE.includes(recursiveReadOnly)) {
    return [notSupported(field, asJson(recursiveReadOnly ?? ''), RECURSIVE)];
  }
  const only = (when: string): FieldError => forbiddenField(field, `may only be specified when ${when}`);
  return [
    ...(readOnly === true ? [] : [only('readOnly is true')]),
    ...((mountPropagation ?? 'None') === 'None' ? [] : [only('mountPropagation is None or not specified')]),
  ];
}

/** The raw devices of a container. */
export function checkDevices(container: Container, field: string, volumes: ReadonlyMap<string, Volume>): FieldError[] {
  const { volumeDevices = [], volumeMounts = [] } = container;
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounts = new Map(volumeMounts.map(({ name, mountPath }) => [name ?? '', mountPath ?? '']));
  const mountPaths = new Set(mounts.values());
  return volumeDevices.flatMap(({ name = '', devicePath = '' }, index) => {
    const at = `${field}[${index}]`;
    const volume = volumes.get(name);
    const invalid = (member: string, value: string, detail: string): FieldError =>
      invalidValue(`${at}.${member}`, value, detail);
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${at}.name`));
    if (names.has(name)) errors.push(invalid('name', name, 'must be unique'));
    if (volume === undefined) errors.push(missing(`${at}.name`, name));
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(invalid('name', name, detail));
    }
    if (devicePath === '') errors.push(required(`${at}.devicePath`));
    if (paths.has(devicePath)) errors.push(invalid('devicePath', devicePath, 'must be unique'));
    if (devicePath.split('/').includes('..')) {
      errors.push(invalid('devicePath', devicePath, "can not contain backsteps ('..')"));
    } else paths.add(devicePath);
    if (mounts.has(name)) errors.push(invalid('name', name, 'must not already exist in volumeMounts'));
    if (mountPaths.has(devicePath)) {
      errors.push(invalid('devicePath', devicePath, 'must not already exist as a path in volumeMounts'));
    }
    if (name !== '') names.add(name);
    return errors;
  });
}
