import type { GroupVersionKind, Struct } from '../schema/schema.ts';
import type { DocumentSources } from './document-sources.ts';
import { operationNames } from './operation-id.ts';
import type { OperationNames } from './operation-id.ts';
import type { Endpoint, Operation, Parameter } from './operation.ts';
import type { HttpMethod, ServedResource } from './served-resource.ts';
import { builtInStyle, customStyle } from './wire-style.ts';
import type { WireStyle } from './wire-style.ts';

/** The properties that differ between operations; the rest follows from the resource. */
export interface OperationDetails {
  readonly method: HttpMethod;
  readonly verb: string;
  readonly action: string;
  /** Between verb and kind in the operationId. */
  readonly prefix?: string;
  /** After the kind in the operationId. */
  readonly suffix?: string;
  readonly description: string;
  readonly answer: Operation['answer'];
  readonly codes?: readonly number[];
  readonly parameters?: readonly Parameter[];
  readonly body?: Operation['body'];
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  readonly kind?: GroupVersionKind | undefined;
  readonly isAcrossNamespaces?: boolean;
}

/** The root path of a group and version. */
export function groupVersionPath(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Collects the operations of a resource, by path. */
export class EndpointBuilder {
  readonly style: WireStyle;
  /** The path of the collection below the group and version. */
  readonly collection: string;
  readonly #resource: ServedResource;
  readonly #sources: DocumentSources;
  readonly #root: string;
  readonly #names: OperationNames;
  readonly #nameParameter: Parameter;
  readonly #operations = new Map<string, Operation[]>();

  constructor(resource: ServedResource, sources: DocumentSources) {
    this.style = resource.isCustom ? customStyle : builtInStyle;
    this.collection = resource.namespaced ? `namespaces/{namespace}/${resource.plural}` : resource.plural;
    this.#resource = resource;
    this.#sources = sources;
    this.#root = groupVersionPath(resource.group, resource.version);
    this.#names = operationNames(this.#root);
    this.#nameParameter = pathParameter('name', `The name of the ${resource.kind}`);
  }

  /** `path` is relative to the group and version. */
  add(path: string, details: OperationDetails): void {
    const { namespaced, kind, group, version, isCustom } = this.#resource;
    const scope = namespaced && details.isAcrossNamespaces !== true ? 'Namespaced' : '';
    const full = `${this.#root}/${path}`;
    const parameters = [...(details.parameters ?? []), ...this.#pathParameters(path)];
    if (details.action !== 'connect') parameters.push(pretty);
    const operation: Operation = {
      method: details.method,
      id: this.#names.id(details.verb, (details.prefix ?? '') + scope + kind + (details.suffix ?? '')),
      tag: this.#names.tag,
      description: details.description,
      parameters,
      ...(details.body === undefined ? {} : { body: details.body }),
      consumes: details.consumes ?? this.style.consumes,
      produces: details.produces ?? this.style.produces,
      answer: details.answer,
      codes: details.codes ?? [200],
      action: details.action,
      // Custom resources use their own kind even for a scale.
      kind: (isCustom ? undefined : details.kind) ?? { group, version, kind },
    };
    const operations = this.#operations.get(full);
    if (operations === undefined) this.#operations.set(full, [operation]);
    else operations.push(operation);
  }

  /** A type of `meta/v1`. */
  meta(name: string): Struct {
    return this.#sources.meta(name);
  }

  /** The query parameters of an options type; one of `meta/v1` may be given by name. */
  options(options: Struct | string): readonly Parameter[] {
    return this.#sources.parameters(typeof options === 'string' ? this.meta(options) : options);
  }

  result(): Endpoint[] {
    return [...this.#operations].map(([path, operations]) => ({ path, operations }));
  }

  #pathParameters(path: string): Parameter[] {
    const parameters: Parameter[] = [];
    if (path.includes('{name}')) parameters.push(this.#nameParameter);
    if (path.includes('{namespace}')) parameters.push(namespaceParameter);
    if (path.endsWith('/{path}')) parameters.push(restOfPath);
    return parameters;
  }
}

const pretty: Parameter = {
  name: 'pretty',
  in: 'query',
  type: 'string',
  description:
    'Writes the answer with line breaks and indentation; without it browsers, curl and wget get it so as well',
};

const namespaceParameter = pathParameter('namespace', 'The namespace of the object');
const restOfPath = pathParameter('path', 'What follows in the path is passed on');

function pathParameter(name: string, description: string): Parameter {
  return { name, in: 'path', type: 'string', description };
}
