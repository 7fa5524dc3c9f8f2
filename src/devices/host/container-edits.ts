import type { ContainerEdits } from '../../node/index.ts';
import type { Allocation } from './device-allocations.ts';

const PLAIN_MOUNT = { recursiveReadOnly: false, propagation: 'PROPAGATION_PRIVATE', selinuxRelabel: false } as const;

/** The answers of all plugins whose devices a container has, in one. Of two settings for the same place the first one counts. */
export function editsOf(allocations: Iterable<Allocation>): ContainerEdits {
  const envs = new Map<string, string>();
  const mounts = new Map<string, ContainerEdits['mounts'][number]>();
  const devices = new Map<string, ContainerEdits['devices'][number]>();
  const annotations = new Map<string, string>();
  const cdiDevices = new Set<string>();
  for (const { answer } of allocations) {
    for (const [key, value] of answer.envs ?? []) if (!envs.has(key)) envs.set(key, value);
    for (const [key, value] of answer.annotations ?? []) if (!annotations.has(key)) annotations.set(key, value);
    for (const { containerPath = '', hostPath = '', readOnly = false } of answer.mounts ?? [])
      if (!mounts.has(containerPath))
        mounts.set(containerPath, { ...PLAIN_MOUNT, containerPath, hostPath, readonly: readOnly });
    for (const { containerPath = '', hostPath = '', permissions = '' } of answer.devices ?? [])
      if (!devices.has(containerPath)) devices.set(containerPath, { containerPath, hostPath, permissions });
    for (const { name = '' } of answer.cdiDevices ?? []) cdiDevices.add(name);
  }
  return {
    envs: [...envs].map(([key, value]) => ({ key, value })),
    mounts: [...mounts.values()],
    devices: [...devices.values()],
    cdiDevices: [...cdiDevices],
    annotations: Object.fromEntries(annotations),
  };
}
