import type { KubernetesObject } from '../../protocol.ts';
import type { Connection } from '../cluster/connection.ts';
import { pathOf, type ResourceKind } from '../cluster/resource-kind.ts';
import { kubectl } from '../parts/kubectl-command.ts';

/** How an object is written: `replace` as `kubectl replace`, `apply` as `kubectl apply --server-side`. */
export type Way = 'create' | 'replace' | 'apply';

export const FIELD_MANAGER = 'keelson-dashboard';

export interface WriteRequest {
  readonly object: KubernetesObject;
  readonly way: Way;
  readonly namespace?: string | undefined;
  readonly isDryRun: boolean;
  readonly isForced: boolean;
}

export interface Written {
  readonly object: KubernetesObject;
  readonly warnings: readonly string[];
}

const WARNING = /\d{3} \S+ "((?:[^"\\]|\\.)*)"/g;

export async function write(
  connection: Connection,
  kind: ResourceKind,
  { object, way, namespace, isDryRun, isForced }: WriteRequest,
): Promise<Written> {
  const name = object.metadata?.name;
  const target = object.metadata?.namespace ?? namespace;
  if (way !== 'create' && (name === undefined || name === '')) throw new Error('The object has no metadata.name');
  const parameters = new URLSearchParams({ fieldManager: FIELD_MANAGER, fieldValidation: 'Warn' });
  if (isDryRun) parameters.set('dryRun', 'All');
  if (isForced) parameters.set('force', 'true');
  const path = `${pathOf(kind, { namespace: target, name: way === 'create' ? undefined : name })}?${parameters}`;
  const response = await connection.cluster(path, {
    method: way === 'create' ? 'POST' : way === 'apply' ? 'PATCH' : 'PUT',
    contentType: way === 'apply' ? 'application/apply-patch+yaml' : 'application/json',
    body: JSON.stringify(way === 'apply' ? withoutServerFields(object) : object),
  });
  const header = response.headers.get('Warning') ?? '';
  return {
    object: (await response.json()) as KubernetesObject,
    warnings: [...header.matchAll(WARNING)].map((match) => (match[1] ?? '').replaceAll(/\\(.)/g, '$1')),
  };
}

/** The fields of the text that are applied: all but those that only the server writes. */
function withoutServerFields(object: KubernetesObject): KubernetesObject {
  const { status: _, metadata, ...rest } = object;
  const {
    managedFields: _a,
    resourceVersion: _b,
    uid: _c,
    creationTimestamp: _d,
    generation: _e,
    ...kept
  } = metadata ?? {};
  return { ...rest, metadata: kept };
}

/** The same with kubectl, for a text that is in the file `object.yaml`. */
export function commandOf(
  way: Way,
  { isForced = false, isDryRun = false }: { isForced?: boolean; isDryRun?: boolean } = {},
): string {
  const dryRun = isDryRun && '--dry-run=server';
  if (way !== 'apply') return kubectl(way, '-f', 'object.yaml', dryRun);
  return kubectl(
    'apply',
    '--server-side',
    `--field-manager=${FIELD_MANAGER}`,
    isForced && '--force-conflicts',
    '-f',
    'object.yaml',
    dryRun,
  );
}
