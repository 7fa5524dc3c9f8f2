import type { PlainObject } from '../json/index.ts';
import { isPlainObject } from '../json/plain-object.ts';
import type { GroupVersionKind } from '../schema/schema.ts';
import { badRequest } from '../status.ts';
import { kindLabel, type OwnedKind } from './owned-kind.ts';

/** How messages name an object: `default/web; apps/v1, Kind=Deployment`. */
export function objectLabel(object: PlainObject, { kind }: OwnedKind): string {
  const metadata = isPlainObject(object['metadata']) ? object['metadata'] : {};
  return `${textOf(metadata['namespace'])}/${textOf(metadata['name'])}; ${kindLabel(kind)}`;
}

/** A configuration must say of what kind and version it is. */
export function checkKind(config: PlainObject, { kind }: OwnedKind): void {
  const sent = sentKind(config);
  if (sent.kind === kind.kind && sent.version === kind.version && sent.group === kind.group) return;
  throw badRequest(`invalid object type: ${kindLabel(sent)}`);
}

function sentKind(config: PlainObject): GroupVersionKind {
  const apiVersion = textOf(config['apiVersion']);
  const parts = apiVersion.split('/');
  const kind = textOf(config['kind']);
  if (parts.length > 2) return { group: '', version: '', kind: '' };
  return parts.length === 2
    ? { group: parts[0] ?? '', version: parts[1] ?? '', kind }
    : { group: '', version: apiVersion, kind };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
