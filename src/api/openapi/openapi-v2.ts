import { bearerToken, info, openApiDocument, pathMembers, schemaMembers } from './document.ts';
import type { OpenApiDocument } from './document.ts';
import type { DocumentSources } from './document-sources.ts';
import { EndpointsV2 } from './endpoint-v2.ts';
import { documentedTypes } from './openapi-v3.ts';
import type { Endpoint } from './operation.ts';
import { knownGroupVersions } from '../discovery/index.ts';
import type { GroupVersion } from '../values/index.ts';
import { resourceEndpoints } from './resource-endpoints.ts';
import { SchemaTexts } from './schema-texts.ts';
import { coreVersionsEndpoint, groupEndpoint, groupsEndpoint } from './server-endpoints.ts';
import { openidEndpoints, resourcesEndpoint, versionEndpoint } from './server-endpoints.ts';
import type { DocumentedType, ServedResource } from './served-resource.ts';

/** Writes `/openapi/v2`: one document for the whole server. Not kept, as with `OpenApiV3`. */
export class OpenApiV2 {
  readonly #sources: DocumentSources;
  readonly #schemas: SchemaTexts;
  readonly #endpoints = new EndpointsV2();
  /** A resource's part stays the same however others come and go. */
  readonly #parts = new WeakMap<ServedResource, Part>();

  constructor(sources: DocumentSources) {
    this.#sources = sources;
    this.#schemas = new SchemaTexts(sources, 'v2');
  }

  document(resources: readonly ServedResource[]): OpenApiDocument {
    const parts = [
      this.#part(this.#serverEndpoints(resources)),
      ...resources.map((resource) => this.#resourcePart(resource)),
    ];
    const paths = new Map(parts.flatMap((part) => [...part.paths]));
    const parameters = new Map(parts.flatMap((part) => [...part.parameters]));
    const schemas = this.#schemas.reachable(parts.flatMap((part) => [...part.types]));
    return openApiDocument(
      `{"swagger":"2.0","info":${JSON.stringify(info)},"paths":{${pathMembers(paths)}},` +
        `"definitions":{${schemaMembers(schemas, knownGroupVersions)}},"parameters":{${pathMembers(parameters)}},` +
        `"securityDefinitions":${JSON.stringify({ BearerToken: bearerToken })},"security":[{"BearerToken":[]}]}`,
    );
  }

  #resourcePart(resource: ServedResource): Part {
    const known = this.#parts.get(resource);
    if (known !== undefined) return known;
    const part = this.#part(resourceEndpoints(resource, this.#sources));
    this.#parts.set(resource, part);
    return part;
  }

  #part(endpoints: readonly Endpoint[]): Part {
    const parameters = new Map<string, string>();
    const paths = endpoints.map((endpoint) => [endpoint.path, this.#endpoints.write(endpoint, parameters)] as const);
    return { paths: new Map(paths), parameters, types: documentedTypes(endpoints) };
  }

  #serverEndpoints(resources: readonly ServedResource[]): Endpoint[] {
    const sources = this.#sources;
    const groups = new Map<string, Map<string, GroupVersion>>();
    for (const { group, version, isCustom } of resources) {
      if (isCustom) continue; // they do not document their discovery
      if (!groups.has(group)) groups.set(group, new Map());
      groups.get(group)?.set(version, { group, version });
    }
    const endpoints = [
      coreVersionsEndpoint(sources),
      groupsEndpoint(sources),
      versionEndpoint(sources),
      ...openidEndpoints(),
    ];
    for (const [group, versions] of groups) {
      if (group !== '') endpoints.push(groupEndpoint(group, sources));
      for (const { version } of versions.values()) endpoints.push(resourcesEndpoint(group, version, sources));
    }
    return endpoints;
  }
}

interface Part {
  readonly paths: ReadonlyMap<string, string>;
  readonly parameters: ReadonlyMap<string, string>;
  readonly types: ReadonlySet<DocumentedType>;
}
