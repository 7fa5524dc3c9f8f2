import { bearerToken, info, jsonMembers, Member, openApiDocument, schemaMember, sortedByName } from './document.ts';
import type { OpenApiDocument } from './document.ts';
import type { DocumentSources } from './document-sources.ts';
import { EndpointsV2, type SharedParameters } from './endpoint-v2.ts';
import { documentedTypes } from './openapi-v3.ts';
import type { Endpoint } from './operation.ts';
import { knownGroupVersions } from '../discovery/index.ts';
import { resourceEndpoints } from './resource-endpoints.ts';
import { protobufV2 } from './protobuf-v2.ts';
import { type SchemaText, SchemaTexts } from './schema-texts.ts';
import { groupEndpoint, resourcesEndpoint, serverEndpoints } from './server-endpoints.ts';
import type { DocumentedType, ServedResource } from './served-resource.ts';

/** The document in JSON, and a way to have it in protobuf. */
export interface OpenApiDocumentV2 extends OpenApiDocument {
  protobuf(): Uint8Array;
}

/** Writes `/openapi/v2`: one document for the whole server. Not kept, as with `OpenApiV3`. */
export class OpenApiV2 {
  readonly #sources: DocumentSources;
  readonly #schemas: SchemaTexts;
  readonly #endpoints = new EndpointsV2();
  readonly #definitions = new WeakMap<SchemaText, Member>();
  /** A resource's part stays the same however others come and go. */
  readonly #parts = new WeakMap<ServedResource, Part>();

  constructor(sources: DocumentSources) {
    this.#sources = sources;
    this.#schemas = new SchemaTexts(sources, 'v2');
  }

  document(resources: readonly ServedResource[]): OpenApiDocumentV2 {
    const parts = [
      this.#part(this.#serverEndpoints(resources)),
      ...resources.map((resource) => this.#resourcePart(resource)),
    ];
    const paths = sortedByName(parts.flatMap((part) => part.paths));
    const parameters = sortedByName(new Map(parts.flatMap((part) => [...part.parameters])).values());
    const schemas = this.#schemas.reachable(parts.flatMap((part) => [...part.types]));
    const definitions = schemas.map((text) => this.#definition(text));
    const security = { securityDefinitions: { BearerToken: bearerToken }, security: [{ BearerToken: [] }] };
    const whole = openApiDocument(
      `{"swagger":"2.0","info":${JSON.stringify(info)},"paths":${jsonMembers(paths)},` +
        `"definitions":${jsonMembers(definitions)},"parameters":${jsonMembers(parameters)},` +
        JSON.stringify(security).slice(1),
    );
    return {
      ...whole,
      protobuf: () => protobufV2({ swagger: '2.0', info, paths, definitions, parameters, ...security }),
    };
  }

  #definition(text: SchemaText): Member {
    let definition = this.#definitions.get(text);
    if (definition === undefined) this.#definitions.set(text, (definition = schemaMember(text, knownGroupVersions)));
    return definition;
  }

  #resourcePart(resource: ServedResource): Part {
    const known = this.#parts.get(resource);
    if (known !== undefined) return known;
    const part = this.#part(resourceEndpoints(resource, this.#sources));
    this.#parts.set(resource, part);
    return part;
  }

  #part(endpoints: readonly Endpoint[]): Part {
    const parameters: SharedParameters = new Map();
    const paths = endpoints.map((endpoint) => new Member(endpoint.path, this.#endpoints.write(endpoint, parameters)));
    return { paths, parameters, types: documentedTypes(endpoints) };
  }

  #serverEndpoints(resources: readonly ServedResource[]): Endpoint[] {
    const sources = this.#sources;
    const documented = resources.filter(({ isCustom }) => !isCustom); // the others do not document their discovery
    const groups = new Set(documented.map(({ group }) => group).filter((group) => group !== ''));
    const versions = new Map(documented.map(({ group, version }) => [`${group}/${version}`, { group, version }]));
    return [
      ...serverEndpoints(sources),
      ...[...groups].map((group) => groupEndpoint(group, sources)),
      ...[...versions.values()].map(({ group, version }) => resourcesEndpoint(group, version, sources)),
    ];
  }
}

interface Part {
  readonly paths: readonly Member[];
  readonly parameters: ReadonlyMap<string, Member>;
  readonly types: ReadonlySet<DocumentedType>;
}
