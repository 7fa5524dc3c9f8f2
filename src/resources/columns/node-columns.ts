import { compareUtf8 } from '../../base/index.ts';
import type { Node } from '../../api/types/core/v1.d.ts';
import type { RuntimeClass } from '../../api/types/node/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn, NONE, orElse, UNKNOWN } from './column.ts';

export const nodeColumns: readonly Column[] = [
  nameColumn,
  column<Node>('Status', nodeStatus, { description: 'Whether the node is ready and takes pods' }),
  column<Node>('Roles', roles, { description: 'What the node is for' }),
  ageColumn,
  column<Node>('Version', ({ status }) => status?.nodeInfo?.kubeletVersion ?? '', {
    description: 'Version of the kubelet',
  }),
  column<Node>('Internal-IP', (node) => addressOf(node, 'InternalIP'), {
    isWide: true,
    description: 'Address inside of the cluster',
  }),
  column<Node>('External-IP', (node) => addressOf(node, 'ExternalIP'), {
    isWide: true,
    description: 'Address outside of the cluster',
  }),
  column<Node>('OS-Image', ({ status }) => orElse(status?.nodeInfo?.osImage, UNKNOWN), {
    isWide: true,
    description: 'Operating system',
  }),
  column<Node>('Kernel-Version', kernel, {
    isWide: true,
    description: 'Version of the kernel, and for which processor',
  }),
  column<Node>('Container-Runtime', ({ status }) => orElse(status?.nodeInfo?.containerRuntimeVersion, UNKNOWN), {
    isWide: true,
    description: 'Container runtime and its version',
  }),
];

function nodeStatus({ spec, status }: Node): string {
  const ready = each(status?.conditions).findLast(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

function roles({ metadata }: Node): string {
  const found = new Set<string>();
  for (const [label, value] of Object.entries(metadata?.labels ?? {})) {
    if (label.startsWith(ROLE_PREFIX)) found.add(label.slice(ROLE_PREFIX.length));
    else if (label === ROLE_LABEL) found.add(value);
  }
  found.delete('');
  return orElse([...found].sort(compareUtf8).join(','), NONE);
}

function addressOf({ status }: Node, wanted: string): string {
  return each(status?.addresses).find(({ type }) => type === wanted)?.address ?? NONE;
}

function kernel({ status }: Node): string {
  const { kernelVersion, architecture = '' } = status?.nodeInfo ?? {};
  const version = orElse(kernelVersion, UNKNOWN);
  return architecture === '' ? version : `${version} (${architecture})`;
}

export const runtimeClassColumns: readonly Column[] = [
  nameColumn,
  column<RuntimeClass>('Handler', ({ handler }) => handler, { description: 'Configuration of the container runtime' }),
  ageColumn,
];
