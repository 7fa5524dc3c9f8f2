import { DEFAULT_KUBERNETES_VERSION, type KubernetesVersion } from '../../../base/index.ts';
import { ADDED_VERSIONS } from '../../discovery/index.ts';
import { documentedResource } from '../../../apiserver/testing/described-resources.ts';
import { TestApi } from '../../../resources/testing/test-api.ts';
import type { OpenApiDocument } from '../document.ts';
import { DocumentSources } from '../document-sources.ts';
import { loadDescriptions } from '../descriptions.ts';
import type { ServedResource } from '../served-resource.ts';

/** Everything in a version of Kubernetes, whether or not it is enabled by default. */
export async function everything(
  kubernetesVersion: KubernetesVersion = DEFAULT_KUBERNETES_VERSION,
): Promise<{ sources: DocumentSources; resources: ServedResource[] }> {
  await using api = new TestApi({ kubernetesVersion });
  const sources = new DocumentSources(api.types, await loadDescriptions());
  const known = api.resources.filter(({ group, version }) => !ADDED_VERSIONS.includes(`${group}/${version}`));
  return { sources, resources: known.map((resource) => documentedResource(resource, sources)) };
}

export function byGroupVersion(
  resources: readonly ServedResource[],
): Map<string, [ServedResource, ...ServedResource[]]> {
  const found = new Map<string, [ServedResource, ...ServedResource[]]>();
  for (const resource of resources) {
    const path = resource.group === '' ? `api/${resource.version}` : `apis/${resource.group}/${resource.version}`;
    const known = found.get(path);
    if (known === undefined) found.set(path, [resource]);
    else known.push(resource);
  }
  return found;
}

export interface ParsedDocument {
  readonly [key: string]: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  readonly definitions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export function parsed({ body }: OpenApiDocument): ParsedDocument {
  return JSON.parse(Buffer.from(body).toString()) as ParsedDocument;
}
