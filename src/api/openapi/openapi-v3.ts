import { type MinorVersion, minorOf } from '../../base/index.ts';
import {
  bearerToken,
  type DocumentInfo,
  jsonMembers,
  kubernetesInfo,
  Member,
  openApiDocument,
  type OpenApiDocument,
  schemaMember,
  sortedByName,
} from './document.ts';
import type { DocumentSources } from './document-sources.ts';
import { clientGroupVersions, knownGroupVersions } from '../discovery/index.ts';
import { type Endpoint, type Operation, ownParameters, type Parameter, sharedParameters } from './operation.ts';
import { jsonList, jsonObject, kubernetesMembers, responsesText } from './operation-text.ts';
import type { GroupVersion } from '../values/index.ts';
import { resourceEndpoints } from './resource-endpoints.ts';
import { SchemaTexts } from './schema-texts.ts';
import { groupEndpoint, resourcesEndpoint, serverEndpoints } from './server-endpoints.ts';
import type { DocumentedType, ServedResource } from './served-resource.ts';
import { reference } from './json-schema.ts';

/**
 * Writes the documents below `/openapi/v3`, one for each group and version and one for each path of the server itself.
 *
 * Documents are built on request and not cached: callers cache them (or their hashes) while the resources stay the same.
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
    if (resources.some(({ isCustom }) => isCustom))
      return this.#document(endpoints, {
        ...customStyle,
        groupVersions: clientGroupVersions(this.#sources.types.version),
      });
    const own = group === '' ? [CORE] : [CORE, { group, version }];
    const kubernetes = this.#sources.types.version;
    const groupVersions = minorOf(kubernetes) < LISTS_OWN_GROUP_ONLY ? knownGroupVersions(kubernetes) : own;
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
        info: JSON.stringify(style.info ?? kubernetesInfo(this.#sources.types.version)),
        paths: jsonMembers(sortedByName(paths)),
        components,
      }),
    );
  }
}

/** Documents of custom resources have another title, and no security section. */
interface DocumentStyle {
  /** Default: that of Kubernetes' own resources. */
  readonly info?: DocumentInfo;
  readonly hasSecurity: boolean;
  /** The groups that generic types, such as DeleteOptions, are listed with. */
  readonly groupVersions: readonly GroupVersion[];
}

/** Before this version, generic types are listed with every group in every document. */
const LISTS_OWN_GROUP_ONLY: MinorVersion = 36;

const CORE: GroupVersion = { group: '', version: 'v1' };
const serverStyle: DocumentStyle = { hasSecurity: true, groupVersions: [CORE] };
const customStyle: Omit<DocumentStyle, 'groupVersions'> = {
  info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
  hasSecurity: false,
};

/** The types in the requests and responses of operations. */
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

/** `/openapi/v3`: the URL of each document with its hash, so that clients can cache it. */
export function openApiV3Index(
  etags: ReadonlyMap<string, string>,
  foreign: ReadonlyMap<string, string> = new Map(),
): OpenApiDocument {
  const own = [...etags].map(([path, etag]) => [path, serverRelativeUrl(path, etag)] as const);
  const paths = [...own, ...[...foreign].filter(([path]) => !etags.has(path))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, url]) => [path, { serverRelativeURL: url }] as const);
  return openApiDocument(JSON.stringify({ paths: Object.fromEntries(paths) }));
}

/** The URL of the document at `path` below `/openapi/v3/`; changes with the document. */
export function serverRelativeUrl(path: string, etag: string): string {
  return `/openapi/v3/${path}?hash=${etag}`;
}

/** Writes paths as JSON for OpenAPI v3. */
class EndpointsV3 {
  readonly #parameters = new WeakMap<Parameter, string>();

  write({ operations }: Endpoint): string {
    const shared = sharedParameters(operations);
    const item: Record<string, string | undefined> = {};
    for (const operation of operations)
      item[operation.method] = this.#operation(operation, ownParameters(operation, shared));
    item['parameters'] = this.#list(shared);
    return jsonObject(item);
  }

  #operation(operation: Operation, parameters: readonly Parameter[]): string {
    const { tag, description, id, body, answer } = operation;
    const schema = answer === 'text' ? '{"type":"string"}' : schemaReference(answer.name);
    return jsonObject({
      tags: `[${JSON.stringify(tag)}]`,
      description: JSON.stringify(description),
      operationId: JSON.stringify(id),
      parameters: this.#list(parameters),
      requestBody:
        body === undefined
          ? undefined
          : jsonObject({
              content: content(operation.consumes, schemaReference(body.type.name)),
              required: body.isRequired ? 'true' : undefined,
            }),
      responses: responsesText(operation, `"content":${content(operation.produces, schema)}`),
      ...kubernetesMembers(operation),
    });
  }

  #list(parameters: readonly Parameter[]): string | undefined {
    return jsonList(parameters.map((parameter) => this.#parameter(parameter)));
  }

  #parameter(parameter: Parameter): string {
    let text = this.#parameters.get(parameter);
    if (text === undefined) this.#parameters.set(parameter, (text = JSON.stringify(parameterV3(parameter))));
    return text;
  }
}

function content(mediaTypes: readonly string[], schema: string): string {
  const members = [...mediaTypes].sort().map((mediaType) => `"${mediaType}":{"schema":${schema}}`);
  return `{${members.join(',')}}`;
}

function schemaReference(name: string): string {
  return `{"$ref":${JSON.stringify(reference(name, 'v3'))}}`;
}

function parameterV3(parameter: Parameter): unknown {
  return {
    name: parameter.name,
    in: parameter.in,
    description: parameter.description,
    required: parameter.in === 'path' ? true : undefined,
    schema: { type: parameter.type, uniqueItems: true },
  };
}
