import {
  bearerToken,
  jsonMembers,
  kubernetesInfo,
  Member,
  openApiDocument,
  type OpenApiDocument,
  schemaMember,
  sortedByName,
} from './document.ts';
import type { DocumentSources } from './document-sources.ts';
import { type ForeignPartV2, mergeForeignV2 } from './foreign-v2.ts';
import { documentedTypes } from './openapi-v3.ts';
import { type Endpoint, type Operation, ownParameters, type Parameter, sharedParameters } from './operation.ts';
import { knownGroupVersions } from '../discovery/index.ts';
import { resourceEndpoints } from './resource-endpoints.ts';
import { protobufV2 } from './protobuf-v2.ts';
import { type SchemaText, SchemaTexts } from './schema-texts.ts';
import { groupEndpoint, resourcesEndpoint, serverEndpoints } from './server-endpoints.ts';
import type { DocumentedType, ServedResource } from './served-resource.ts';
import { reference } from './json-schema.ts';
import type { GroupVersion } from '../values/index.ts';
import { jsonList, jsonObject, kubernetesMembers, responsesText } from './operation-text.ts';

/** The document in JSON, and on request in protobuf. */
export interface OpenApiDocumentV2 extends OpenApiDocument {
  protobuf(): Uint8Array;
}

/** Writes `/openapi/v2`: one document for the whole server. Not cached, as with `OpenApiV3`. */
export class OpenApiV2 {
  readonly #sources: DocumentSources;
  readonly #schemas: SchemaTexts;
  readonly #endpoints = new EndpointsV2();
  readonly #definitions = new WeakMap<SchemaText, Member>();
  readonly #known: readonly GroupVersion[];
  /** The parts by resource; independent of other resources. */
  readonly #parts = new WeakMap<ServedResource, Part>();

  constructor(sources: DocumentSources) {
    this.#sources = sources;
    this.#known = knownGroupVersions(sources.types.version);
    this.#schemas = new SchemaTexts(sources, 'v2');
  }

  /** Writes a resource's part in advance, so that a large document can be made in slices. */
  prepare(resource: ServedResource): void {
    const { types } = this.#resourcePart(resource);
    for (const text of this.#schemas.reachable(types)) this.#definition(text);
  }

  /** The document of these resources, merged with those of other servers. */
  document(resources: readonly ServedResource[], foreign: readonly ForeignPartV2[] = []): OpenApiDocumentV2 {
    const parts = [
      this.#part(this.#serverEndpoints(resources)),
      ...resources.map((resource) => this.#resourcePart(resource)),
    ];
    const schemas = this.#schemas.reachable(parts.flatMap((part) => [...part.types]));
    const own = {
      paths: sortedByName(parts.flatMap((part) => part.paths)),
      parameters: sortedByName(new Map(parts.flatMap((part) => [...part.parameters])).values()),
      definitions: schemas.map((text) => this.#definition(text)),
    };
    const { paths, parameters, definitions } = mergeForeignV2(own, foreign);
    const info = kubernetesInfo(this.#sources.types.version);
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
    if (definition === undefined) this.#definitions.set(text, (definition = schemaMember(text, this.#known)));
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

/** The parameters that paths refer to, by name. */
type SharedParameters = Map<string, Member>;

/** Writes paths as JSON for OpenAPI v2. Parameters that many paths have are written once and referenced. */
class EndpointsV2 {
  readonly #parameters = new WeakMap<Parameter, WrittenParameter>();
  readonly #bodies = {
    required: new WeakMap<object, WrittenParameter>(),
    optional: new WeakMap<object, WrittenParameter>(),
  };

  /** One path; adds the parameters that it refers to to `collected`. */
  write({ operations }: Endpoint, collected: SharedParameters): string {
    const shared = sharedParameters(operations);
    const write = (parameter: Parameter): string => use(this.#parameter(parameter), collected);
    const item: Record<string, string | undefined> = {};
    for (const operation of operations) {
      const parameters = ownParameters(operation, shared).map(write);
      if (operation.body !== undefined) parameters.unshift(use(this.#body(operation.body), collected));
      item[operation.method] = operationV2(operation, jsonList(parameters));
    }
    item['parameters'] = jsonList(shared.map(write));
    return jsonObject(item);
  }

  #parameter(parameter: Parameter): WrittenParameter {
    let written = this.#parameters.get(parameter);
    if (written === undefined) this.#parameters.set(parameter, (written = writtenParameter(parameterV2(parameter))));
    return written;
  }

  #body(body: NonNullable<Operation['body']>): WrittenParameter {
    const bodies = this.#bodies[body.isRequired ? 'required' : 'optional'];
    let written = bodies.get(body.type);
    if (written === undefined) bodies.set(body.type, (written = writtenParameter(bodyParameter(body))));
    return written;
  }
}

interface WrittenParameter {
  readonly text: string;
  /** Set if it is written separately and referenced. */
  readonly shared: Member | undefined;
}

function writtenParameter(parameter: Readonly<Record<string, unknown>>): WrittenParameter {
  const text = JSON.stringify(parameter);
  const name = sharedName(parameter, text);
  return { text, shared: name === undefined ? undefined : new Member(name, text) };
}

function use({ text, shared }: WrittenParameter, collected: SharedParameters): string {
  if (shared === undefined) return text;
  collected.set(shared.name, shared);
  return `{"$ref":"#/parameters/${shared.name}"}`;
}

function operationV2(operation: Operation, parameters: string | undefined): string {
  const { description, consumes, produces, tag, id, answer } = operation;
  const schema = answer === 'text' ? '{"type":"string"}' : JSON.stringify({ $ref: reference(answer.name, 'v2') });
  return jsonObject({
    description: JSON.stringify(description),
    consumes: consumes.length === 0 ? undefined : JSON.stringify(consumes),
    produces: JSON.stringify(produces),
    schemes: '["https"]',
    tags: `[${JSON.stringify(tag)}]`,
    operationId: JSON.stringify(id),
    parameters,
    responses: responsesText(operation, `"schema":${schema}`),
    ...kubernetesMembers(operation),
  });
}

function bodyParameter(body: NonNullable<Operation['body']>): Readonly<Record<string, unknown>> {
  return {
    name: 'body',
    in: 'body',
    ...(body.isRequired ? { required: true } : {}),
    schema: { $ref: reference(body.type.name, 'v2') },
  };
}

function parameterV2(parameter: Parameter): Readonly<Record<string, unknown>> {
  return {
    uniqueItems: true,
    type: parameter.type,
    description: parameter.description,
    name: parameter.name,
    in: parameter.in,
    ...(parameter.in === 'path' ? { required: true } : {}),
  };
}

/**
 * The name under which OpenAPI v2 documents share a parameter, or undefined if it stays inline: bodies with their own kind,
 * names (whose description has the kind), and two that old kubectl versions expect inline.
 *
 * Example: `pretty` becomes `pretty-tJGM1-ng`; the end is a hash of `text`, the parameter as JSON.
 */
export function sharedName(parameter: Readonly<Record<string, unknown>>, text: string): string | undefined {
  const name = parameter['name'];
  const schema = parameter['schema'] as { readonly $ref?: string } | undefined;
  if (parameter['in'] === 'body') {
    if (schema?.$ref?.startsWith('#/definitions/io.k8s.apimachinery') !== true) return undefined;
  } else if (name === 'name' || name === 'fieldValidation' || name === 'dryRun') {
    return undefined;
  }
  return `${String(name)}-${shortHash(text)}`;
}

/**
 * The first six bytes of the 64-bit FNV-1 hash, in URL-safe base64.
 *
 * The hash is kept in two halves of 32 bits, because JavaScript multiplies exactly only up to 2^53; the prime is 2^40 +
 * 435.
 */
function shortHash(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of Buffer.from(text)) {
    const product = low * 435;
    high = (high * 435 + Math.floor(product / 2 ** 32) + low * 2 ** 8) % 2 ** 32;
    low = ((product >>> 0) ^ byte) >>> 0;
  }
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(high, 0);
  bytes.writeUInt32BE(low, 4);
  return bytes.subarray(0, 6).toString('base64url');
}
