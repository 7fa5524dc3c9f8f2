import { messageOf } from '../../base/index.ts';
import type { Client } from '../client.ts';
import type { KubernetesObject } from '../kind.ts';
import type { Manifest } from './read-manifests.ts';

/** How objects of manifests are completed. */
export interface LoadOptions {
  /** The namespace of objects that name none; default `default`. */
  readonly namespace?: string;
}

export interface ApplyManifestsOptions extends LoadOptions {
  readonly client: Client;
  readonly fieldManager: string;
  /** Waits until the server serves new kinds. */
  readonly settle: () => Promise<void>;
  readonly signal?: AbortSignal;
}

/**
 * Applies objects: definitions of kinds and namespaces first, then the others in order. A rejected object is tried
 * again after the others, on which it may depend; the error lists all that still fail.
 */
export async function applyManifests(
  manifests: readonly Manifest[],
  parts: ApplyManifestsOptions,
): Promise<readonly KubernetesObject[]> {
  const applied = new Map<Manifest, KubernetesObject>();
  const first = manifests.filter(isGround);
  await applyAll(first, applied, parts);
  await parts.settle();
  for (const manifest of first) await checkServed(manifest, parts.client);
  await applyAll(
    manifests.filter((manifest) => !isGround(manifest)),
    applied,
    parts,
  );
  return manifests.flatMap((manifest) => applied.get(manifest) ?? []);
}

function isDefinition({ object }: Manifest): boolean {
  return object.kind === 'CustomResourceDefinition' && object.apiVersion.startsWith('apiextensions.k8s.io/');
}

/** True for objects that others need first: namespaces, and definitions of kinds. */
export function isGround(manifest: Manifest): boolean {
  const { object } = manifest;
  return isDefinition(manifest) || (object.kind === 'Namespace' && object.apiVersion === 'v1');
}

async function applyAll(
  manifests: readonly Manifest[],
  applied: Map<Manifest, KubernetesObject>,
  parts: ApplyManifestsOptions,
): Promise<void> {
  let left = manifests;
  while (left.length > 0) {
    const refused: { readonly manifest: Manifest; readonly error: unknown }[] = [];
    for (const manifest of left) {
      try {
        applied.set(manifest, await apply(manifest, parts));
      } catch (error) {
        refused.push({ manifest, error });
      }
    }
    if (refused.length === left.length) throw refusal(refused);
    if (refused.length > 0) await parts.settle();
    left = refused.map(({ manifest }) => manifest);
  }
}

async function apply({ object }: Manifest, options: ApplyManifestsOptions): Promise<KubernetesObject> {
  const { client, fieldManager, namespace = 'default', signal } = options;
  const { apiVersion, kind, metadata = {} } = object;
  if (metadata.name === undefined || metadata.name === '')
    throw new Error(metadata.generateName === undefined ? 'it has no name' : 'it has a generateName, not a name');
  const served = await client.apis.find(apiVersion, kind, { signal });
  if (served === undefined) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`);
  const objects = client.kindIn<KubernetesObject>(served, metadata.namespace ?? namespace);
  return objects.apply(object, { fieldManager, force: true, signal });
}

function refusal(refused: readonly { readonly manifest: Manifest; readonly error: unknown }[]): Error {
  const lines = refused.map(({ manifest: { place, object }, error }) => {
    const name = object.metadata?.name ?? '';
    return `${place} (${object.kind} ${JSON.stringify(name)}): ${messageOf(error)}`;
  });
  const text = lines.length === 1 ? lines[0] : `\n  ${lines.join('\n  ')}`;
  return new Error(`Cannot load ${text}`, { cause: refused[0]?.error });
}

/** A definition whose names are taken is stored but never served. */
async function checkServed(manifest: Manifest, client: Client): Promise<void> {
  if (!isDefinition(manifest)) return;
  const { metadata } = manifest.object;
  const { status } = await client.apiextensions.v1.customresourcedefinitions.get(metadata?.name ?? '');
  const established = status?.conditions?.find(({ type }) => type === 'Established');
  if (established?.status === 'True') return;
  const refused = status?.conditions?.find(({ type, status: is }) => type === 'NamesAccepted' && is === 'False');
  throw new Error(
    `Cannot load ${manifest.place}: its kind is not served: ${refused?.message ?? established?.message ?? ''}`,
  );
}
