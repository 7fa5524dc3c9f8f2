import type { GroupVersionKind, Struct } from '../schema/schema.ts';
import type { DocumentSources } from './document-sources.ts';
import { capitalized, operationNames } from './operation-id.ts';
import type { OperationNames } from './operation-id.ts';
import type { Endpoint, Operation, Parameter } from './operation.ts';
import type { HttpMethod, ServedResource, ServedSubresource } from './served-resource.ts';
import { builtInStyle, customStyle } from './wire-style.ts';
import type { WireStyle } from './wire-style.ts';

/** Every path of a resource and its subresources, with what can be done there. */
export function resourceEndpoints(resource: ServedResource, sources: DocumentSources): Endpoint[] {
  const endpoints = new ResourceEndpoints(resource, sources);
  endpoints.addCollection();
  endpoints.addObject();
  endpoints.addWatches();
  for (const subresource of resource.subresources) endpoints.addSubresource(subresource);
  return endpoints.result();
}

/** Where the paths of a group and version start. */
export function groupVersionPath(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** What differs from one operation to the next; the rest follows from the resource. */
interface Details {
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
  readonly kind?: GroupVersionKind;
  readonly isAcrossNamespaces?: boolean;
}

class ResourceEndpoints {
  readonly #resource: ServedResource;
  readonly #sources: DocumentSources;
  readonly #style: WireStyle;
  readonly #root: string;
  readonly #names: OperationNames;
  readonly #collection: string;
  readonly #nameParameter: Parameter;
  readonly #operations = new Map<string, Operation[]>();

  constructor(resource: ServedResource, sources: DocumentSources) {
    this.#resource = resource;
    this.#sources = sources;
    this.#style = resource.isCustom ? customStyle : builtInStyle;
    this.#root = groupVersionPath(resource.group, resource.version);
    this.#names = operationNames(this.#root);
    this.#nameParameter = pathParameter('name', `The name of the ${resource.kind}`);
    this.#collection = resource.namespaced ? `namespaces/{namespace}/${resource.plural}` : resource.plural;
  }

  result(): Endpoint[] {
    return [...this.#operations].map(([path, operations]) => ({ path, operations }));
  }

  addCollection(): void {
    const { kind, verbs, isCustom, type, namespaced, plural } = this.#resource;
    if (verbs.includes('list')) {
      this.#addList(this.#collection, false);
      if (namespaced) this.#addList(plural, true);
    }
    if (verbs.includes('create')) {
      this.#add(this.#collection, { ...this.#creation(type), description: `create ${article(kind)} ${kind}` });
    }
    if (verbs.includes('deletecollection')) {
      this.#add(this.#collection, {
        method: 'delete',
        verb: 'delete',
        action: 'deletecollection',
        prefix: 'Collection',
        description: `delete many objects of kind ${kind}`,
        answer: this.#meta('Status'),
        parameters: isCustom
          ? this.#options('ListOptions')
          : [
              ...this.#options('DeleteOptions'),
              ...this.#options('ListOptions').filter(({ name }) => name !== 'watch' && name !== 'allowWatchBookmarks'),
            ],
        ...(isCustom ? {} : { body: { type: this.#meta('DeleteOptions'), isRequired: false } }),
      });
    }
  }

  addObject(): void {
    const { kind, verbs, type, deleteReturnsObject } = this.#resource;
    const path = `${this.#collection}/{name}`;
    this.#addReadAndWrite(path, verbs, { type, subject: kind, suffix: '' });
    if (verbs.includes('delete')) {
      this.#add(path, {
        method: 'delete',
        verb: 'delete',
        action: 'delete',
        description: `delete ${article(kind)} ${kind}`,
        answer: deleteReturnsObject ? type : this.#meta('Status'),
        codes: [200, 202],
        parameters: this.#options('DeleteOptions'),
        body: { type: this.#meta('DeleteOptions'), isRequired: false },
      });
    }
  }

  /** The old paths below `/watch`, which a list with `watch=true` has replaced; they are still served. */
  addWatches(): void {
    const { kind, verbs, isCustom, namespaced, plural } = this.#resource;
    if (isCustom || !verbs.includes('watch')) return;
    const watch = {
      method: 'get',
      verb: 'watch',
      answer: this.#meta('WatchEvent'),
      parameters: this.#options('ListOptions'),
      produces: [...this.#style.produces, ...this.#style.streams],
    } as const;
    const advice = 'Deprecated in favor of a list with `watch=true`';
    const ofList = { ...watch, action: 'watchlist', description: `watch a list of ${kind}. ${advice}` };
    this.#add(`watch/${this.#collection}`, { ...ofList, suffix: 'List' });
    if (namespaced) this.#add(`watch/${plural}`, { ...ofList, suffix: 'ListForAllNamespaces', isAcrossNamespaces: true });
    this.#add(`watch/${this.#collection}/{name}`, {
      ...watch,
      action: 'watch',
      description: `watch one ${kind}. ${advice} and a fieldSelector for the name`,
    });
  }

  addSubresource(subresource: ServedSubresource): void {
    const { name, style, type, verbs } = subresource;
    const { kind } = this.#resource;
    const path = `${this.#collection}/{name}/${name}`;
    const suffix = capitalized(name);
    const subject = `${name} of ${kind}`;
    switch (style.kind) {
      case 'object':
        this.#addReadAndWrite(path, verbs, { type, subject: `${kind}'s ${name}`, suffix });
        if (verbs.includes('create')) {
          this.#add(path, { ...this.#creation(type), suffix, description: `create ${subject}`, kind: type.kind });
        }
        break;
      case 'text':
        this.#add(path, {
          ...this.#reading(subject),
          suffix,
          answer: 'text',
          produces: ['text/plain', ...this.#style.produces],
          parameters: this.#sources.parameters(style.options),
          kind: type.kind,
        });
        break;
      case 'connect':
        this.#addConnections(path, subresource, suffix);
        if (style.takesPath) this.#addConnections(`${path}/{path}`, subresource, `${suffix}WithPath`);
        break;
    }
  }

  #addList(path: string, isAcrossNamespaces: boolean): void {
    const { kind, listType, verbs } = this.#resource;
    if (listType === undefined) throw new Error(`Resource "${this.#resource.plural}" can be listed but has no list type`);
    this.#add(path, {
      method: 'get',
      verb: 'list',
      action: 'list',
      suffix: isAcrossNamespaces ? 'ForAllNamespaces' : '',
      description: `${verbs.includes('watch') ? 'list or watch' : 'list'} objects of kind ${kind}`,
      answer: listType,
      parameters: this.#options('ListOptions'),
      produces: [...this.#style.produces, ...this.#style.streams],
      isAcrossNamespaces,
    });
  }

  #addReadAndWrite(
    path: string,
    verbs: readonly string[],
    { type, subject, suffix }: { type: ServedResource['type']; subject: string; suffix: string },
  ): void {
    const { isCustom } = this.#resource;
    const common = { suffix, answer: type, kind: type.kind };
    if (verbs.includes('get')) {
      this.#add(path, {
        ...this.#reading(subject),
        ...common,
        parameters: isCustom ? this.#options('GetOptions') : [],
      });
    }
    if (verbs.includes('update')) {
      this.#add(path, {
        ...common,
        method: 'put',
        verb: 'replace',
        action: 'put',
        description: `replace the specified ${subject}`,
        codes: [200, 201],
        parameters: this.#options('UpdateOptions'),
        body: { type, isRequired: true },
      });
    }
    if (verbs.includes('patch')) {
      this.#add(path, {
        ...common,
        method: 'patch',
        verb: 'patch',
        action: 'patch',
        description: `change parts of the specified ${subject}`,
        codes: isCustom ? [200] : [200, 201],
        parameters: this.#options('PatchOptions'),
        body: { type: this.#meta('Patch'), isRequired: true },
        consumes: this.#style.patches,
      });
    }
  }

  #addConnections(path: string, subresource: ServedSubresource, suffix: string): void {
    const { style, name, type } = subresource;
    if (style.kind !== 'connect') return;
    for (const method of style.methods) {
      this.#add(path, {
        method,
        verb: 'connect',
        prefix: capitalized(method),
        action: 'connect',
        suffix,
        description: `pass ${method.toUpperCase()} requests on to ${name} of ${this.#resource.kind}`,
        answer: 'text',
        consumes: ['*/*'],
        produces: ['*/*'],
        parameters: this.#sources.parameters(style.options),
        kind: type.kind,
      });
    }
  }

  #reading(subject: string): Pick<Details, 'method' | 'verb' | 'action' | 'description'> {
    return { method: 'get', verb: 'read', action: 'get', description: `read the specified ${subject}` };
  }

  #creation(type: ServedResource['type']): Omit<Details, 'description'> {
    return {
      method: 'post',
      verb: 'create',
      action: 'post',
      answer: type,
      codes: [200, 201, 202],
      parameters: this.#options('CreateOptions'),
      body: { type, isRequired: true },
    };
  }

  #add(path: string, details: Details): void {
    const { namespaced, kind, group, version, isCustom } = this.#resource;
    const scope = namespaced && details.isAcrossNamespaces !== true ? 'Namespaced' : '';
    const full = `${this.#root}/${path}`;
    const id = this.#names.id(details.verb, (details.prefix ?? '') + scope + kind + (details.suffix ?? ''));
    const parameters = [...(details.parameters ?? []), ...this.#pathParameters(path)];
    if (details.action !== 'connect') parameters.push(pretty);
    const operation: Operation = {
      method: details.method,
      id,
      tag: this.#names.tag,
      description: details.description,
      parameters,
      ...(details.body === undefined ? {} : { body: details.body }),
      consumes: details.consumes ?? this.#style.consumes,
      produces: details.produces ?? this.#style.produces,
      answer: details.answer,
      codes: details.codes ?? [200],
      action: details.action,
      // Custom resources say their own kind even of a scale.
      kind: (isCustom ? undefined : details.kind) ?? { group, version, kind },
    };
    const operations = this.#operations.get(full);
    if (operations === undefined) this.#operations.set(full, [operation]);
    else operations.push(operation);
  }

  #pathParameters(path: string): Parameter[] {
    const parameters: Parameter[] = [];
    if (path.includes('{name}')) parameters.push(this.#nameParameter);
    if (path.includes('{namespace}')) parameters.push(namespaceParameter);
    if (path.endsWith('/{path}')) parameters.push(restOfPath);
    return parameters;
  }

  #meta(name: string): Struct {
    return this.#sources.meta(name);
  }

  #options(name: string): readonly Parameter[] {
    return this.#sources.parameters(this.#meta(name));
  }
}

const pretty: Parameter = {
  name: 'pretty',
  in: 'query',
  type: 'string',
  description: 'Writes the answer with line breaks and indentation; without it browsers, curl and wget get it so as well',
};

const namespaceParameter = pathParameter('namespace', 'The namespace of the object');
const restOfPath = pathParameter('path', 'What follows in the path is passed on');

function pathParameter(name: string, description: string): Parameter {
  return { name, in: 'path', type: 'string', description };
}

function article(kind: string): 'a' | 'an' {
  return /^[AEIOU]/.test(kind) ? 'an' : 'a';
}
