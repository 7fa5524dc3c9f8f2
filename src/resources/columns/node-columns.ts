import { compareUtf8 } from '../../base/index.ts';
import type { Node } from '../../api/types/core/v1.d.ts';
import type { RuntimeClass } from '../../api/types/node/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn, NONE, orElse, UNKNOWN, wide } from './column.ts';

export const nodeColumns: readonly Column[] = [
  nameColumn,
  column<Node>('Status', 'Whether the node is ready and takes pods', nodeStatus),
  column<Node>('Roles', 'What the node is for', roles),
  ageColumn,
  column<Node>('Version', 'Version of the kubelet', ({ status }) => status?.nodeInfo?.kubeletVersion ?? ''),
  wide<Node>('Internal-IP', 'Address inside of the cluster', (node) => addressOf(node, 'InternalIP')),
  wide<Node>('External-IP', 'Address outside of the cluster', (node) => addressOf(node, 'ExternalIP')),
  wide<Node>('OS-Image', 'Operating system', ({ status }) => orElse(status?.nodeInfo?.osImage, UNKNOWN)),
  wide<Node>('Kernel-Version', 'Version of the kernel, and for which processor', kernel),
  wide<Node>('Container-Runtime', 'Container runtime and its version', ({ status }) =>
    orElse(status?.nodeInfo?.containerRuntimeVersion, UNKNOWN),
  ),
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
  column<RuntimeClass>('Handler', 'Configuration of the container runtime', ({ handler }) => handler),
  ageColumn,
];
