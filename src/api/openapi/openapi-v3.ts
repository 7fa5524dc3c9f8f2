import { bearerToken, info, jsonMembers, Member, openApiDocument, schemaMember, sortedByName } from './document.ts';
import type { OpenApiDocument } from './document.ts';
import type { DocumentSources } from './document-sources.ts';
import { EndpointsV3 } from './endpoint-v3.ts';
import { clientGroupVersions } from '../discovery/index.ts';
import type { Endpoint } from './operation.ts';
import { jsonObject } from './operation-text.ts';
import type { GroupVersion } from '../values/index.ts';
import { resourceEndpoints } from './resource-endpoints.ts';
import { SchemaTexts } from './schema-texts.ts';
import { groupEndpoint, resourcesEndpoint, serverEndpoints } from './server-endpoints.ts';
import type { DocumentedType, ServedResource } from './served-resource.ts';

/**
 * Writes the documents below `/openapi/v3`, one for each group and version and one for each path of the server itself.
 *
 * Documents are built when asked for and are not kept: keep them (or their hashes) as long as the resources are the same.
 */
export class OpenApiV3 {
  readonly #sources: DocumentSources;
  readonly #schemas: SchemaTexts;
  readonly #endpoints = new EndpointsV3();

  constructor(sources: DocumentSources) {
    this.#sources = sources;
    this.#schemas = new SchemaTexts(sources, 'v3');
  }

  /** `/openapi/v3/apis/G/V`: all `resources` are of this group and version, and all are custom or none is. */
  groupVersion({ group, version }: GroupVersion, resources: readonly ServedResource[]): OpenApiDocument {
    const endpoints = resources.flatMap((resource) => resourceEndpoints(resource, this.#sources));
    if (resources.some(({ isCustom }) => isCustom)) return this.#document(endpoints, customStyle);
    const groupVersions = group === '' ? [CORE] : [CORE, { group, version }];
    return this.#document([resourcesEndpoint(group, version, this.#sources), ...endpoints], {
      ...serverStyle,
      groupVersions,
    });
  }

  /** `/openapi/v3/apis/G` */
  group(group: string): OpenApiDocument {
    return this.#document([groupEndpoint(group, this.#sources)]);
  }

  /** The documents of the server's own paths by their place below `/openapi/v3/`, such as `version`. */
  server(): ReadonlyMap<string, () => OpenApiDocument> {
    const endpoints = serverEndpoints(this.#sources);
    return new Map(endpoints.map((endpoint) => [endpoint.path.slice(1, -1), () => this.#document([endpoint])]));
  }

  #document(endpoints: readonly Endpoint[], style: DocumentStyle = serverStyle): OpenApiDocument {
    const paths = endpoints.map((endpoint) => new Member(endpoint.path, this.#endpoints.write(endpoint)));
    const schemas = this.#schemas
      .reachable(documentedTypes(endpoints))
      .map((text) => schemaMember(text, style.groupVersions));
    const components = jsonObject({
      schemas: schemas.length === 0 ? undefined : jsonMembers(schemas),
      securitySchemes: style.hasSecurity ? JSON.stringify({ BearerToken: bearerToken }) : undefined,
    });
    return openApiDocument(
      jsonObject({
        openapi: '"3.0.0"',
        info: JSON.stringify(style.info),
        paths: jsonMembers(sortedByName(paths)),
        components,
      }),
    );
  }
}

/** Documents of custom resources carry another title, and do not say how to authenticate. */
interface DocumentStyle {
  readonly info: { readonly title: string; readonly version: string };
  readonly hasSecurity: boolean;
  /** The groups that generic types, such as DeleteOptions, are said to belong to. */
  readonly groupVersions: readonly GroupVersion[];
}

const CORE: GroupVersion = { group: '', version: 'v1' };
const serverStyle: DocumentStyle = { info, hasSecurity: true, groupVersions: [CORE] };
const customStyle: DocumentStyle = {
  info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
  hasSecurity: false,
  groupVersions: clientGroupVersions,
};

/** The types that operations read and answer with. */
export function documentedTypes(endpoints: readonly Endpoint[]): Set<DocumentedType> {
  const types = new Set<DocumentedType>();
  for (const { operations } of endpoints) {
    for (const { answer, body } of operations) {
      if (answer !== 'text') types.add(answer);
      if (body !== undefined) types.add(body.type);
    }
  }
  return types;
}

/** `/openapi/v3`: where each document is, and its hash, so that clients can keep what they have. */
export function openApiV3Index(etags: ReadonlyMap<string, string>): OpenApiDocument {
  const paths = [...etags]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, etag]) => [path, { serverRelativeURL: serverRelativeUrl(path, etag) }] as const);
  return openApiDocument(JSON.stringify({ paths: Object.fromEntries(paths) }));
}

/** The address of the document at `path` below `/openapi/v3/`; it changes when the document does. */
export function serverRelativeUrl(path: string, etag: string): string {
  return `/openapi/v3/${path}?hash=${etag}`;
}
