import type { DocumentSources } from './document-sources.ts';
import { EndpointBuilder, type OperationDetails } from './endpoint-builder.ts';
import { addReadAndWrite, creation } from './object-operations.ts';
import type { Endpoint } from './operation.ts';
import type { ServedResource, ServedSubresource } from './served-resource.ts';
import { capitalized } from './operation-id.ts';

/** Every path of a resource and its subresources, with its operations. */
export function resourceEndpoints(resource: ServedResource, sources: DocumentSources): Endpoint[] {
  const builder = new EndpointBuilder(resource, sources);
  addCollection(builder, resource);
  addObject(builder, resource);
  addWatches(builder, resource);
  for (const subresource of resource.subresources) addSubresource(builder, resource, subresource);
  return builder.result();
}

function addCollection(builder: EndpointBuilder, resource: ServedResource): void {
  const { kind, verbs, isCustom, type, namespaced, plural } = resource;
  if (verbs.includes('list')) {
    builder.add(builder.collection, listing(builder, resource));
    if (namespaced) {
      const everywhere = { suffix: 'ForAllNamespaces', isAcrossNamespaces: true };
      builder.add(plural, { ...listing(builder, resource), ...everywhere });
    }
  }
  if (verbs.includes('create')) {
    const description = `create ${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;
    builder.add(builder.collection, { ...creation(builder, type), description });
  }
  if (verbs.includes('deletecollection')) {
    const listOptions = builder.options('ListOptions');
    builder.add(builder.collection, {
      method: 'delete',
      verb: 'delete',
      action: 'deletecollection',
      prefix: 'Collection',
      description: `delete many objects of kind ${kind}`,
      answer: builder.meta('Status'),
      ...(isCustom
        ? { parameters: listOptions }
        : {
            parameters: [
              ...builder.options('DeleteOptions'),
              ...listOptions.filter(({ name }) => name !== 'watch' && name !== 'allowWatchBookmarks'),
            ],
            body: { type: builder.meta('DeleteOptions'), isRequired: false },
          }),
    });
  }
}

function listing(builder: EndpointBuilder, { kind, listType, plural, verbs }: ServedResource): OperationDetails {
  if (listType === undefined) throw new Error(`Cannot document "${plural}": it can be listed but has no list type`);
  return {
    method: 'get',
    verb: 'list',
    action: 'list',
    description: `${verbs.includes('watch') ? 'list or watch' : 'list'} objects of kind ${kind}`,
    answer: listType,
    parameters: builder.options('ListOptions'),
    produces: [...builder.style.produces, ...builder.style.streams],
  };
}

function addObject(builder: EndpointBuilder, resource: ServedResource): void {
  const { kind, verbs, type, deleteReturnsObject } = resource;
  const path = `${builder.collection}/{name}`;
  addReadAndWrite(builder, path, { verbs, type, subject: kind, suffix: '', isCustom: resource.isCustom });
  if (verbs.includes('delete')) {
    builder.add(path, {
      method: 'delete',
      verb: 'delete',
      action: 'delete',
      description: `delete the specified ${kind}`,
      answer: deleteReturnsObject ? type : builder.meta('Status'),
      codes: [200, 202],
      parameters: builder.options('DeleteOptions'),
      body: { type: builder.meta('DeleteOptions'), isRequired: false },
    });
  }
}

/** The deprecated paths below `/watch`, replaced by lists with `watch=true` and still served. */
function addWatches(builder: EndpointBuilder, { kind, verbs, isCustom, namespaced, plural }: ServedResource): void {
  if (isCustom || !verbs.includes('watch')) return;
  const watch = {
    method: 'get',
    verb: 'watch',
    answer: builder.meta('WatchEvent'),
    parameters: builder.options('ListOptions'),
    produces: [...builder.style.produces, ...builder.style.streams],
  } as const;
  const advice = 'Deprecated in favor of a list with `watch=true`';
  const ofList = { ...watch, action: 'watchlist', description: `watch a list of ${kind}. ${advice}` };
  builder.add(`watch/${builder.collection}`, { ...ofList, suffix: 'List' });
  if (namespaced) {
    builder.add(`watch/${plural}`, { ...ofList, suffix: 'ListForAllNamespaces', isAcrossNamespaces: true });
  }
  builder.add(`watch/${builder.collection}/{name}`, {
    ...watch,
    action: 'watch',
    description: `watch one ${kind}. ${advice} and a fieldSelector for the name`,
  });
}

/** The paths of one subresource. */
function addSubresource(
  builder: EndpointBuilder,
  { kind, isCustom }: ServedResource,
  subresource: ServedSubresource,
): void {
  const { name, style, type, verbs } = subresource;
  const path = `${builder.collection}/{name}/${name}`;
  const suffix = capitalized(name);
  switch (style.kind) {
    case 'object':
      addReadAndWrite(builder, path, { verbs, type, subject: `${kind}'s ${name}`, suffix, isCustom });
      if (verbs.includes('create')) {
        const description = `create ${name} of the specified ${kind}`;
        builder.add(path, { ...creation(builder, type), suffix, description, kind: type.kind });
      }
      break;
    case 'text':
      builder.add(path, {
        method: 'get',
        verb: 'read',
        action: 'get',
        suffix,
        description: `read ${name} of the specified ${kind}`,
        answer: 'text',
        produces: ['text/plain', ...builder.style.produces],
        parameters: builder.options(style.options),
        kind: type.kind,
      });
      break;
    case 'connect':
      addConnections(builder, path, { ...subresource, style, suffix, of: kind });
      if (style.takesPath) {
        addConnections(builder, `${path}/{path}`, { ...subresource, style, suffix: `${suffix}WithPath`, of: kind });
      }
      break;
  }
}

interface Connection extends ServedSubresource {
  readonly style: Extract<ServedSubresource['style'], { kind: 'connect' }>;
  readonly suffix: string;
  /** The kind of the resource. */
  readonly of: string;
}

function addConnections(builder: EndpointBuilder, path: string, connection: Connection): void {
  for (const method of connection.style.methods) {
    builder.add(path, {
      method,
      verb: 'connect',
      prefix: capitalized(method),
      action: 'connect',
      suffix: connection.suffix,
      description: `pass ${method.toUpperCase()} requests on to ${connection.name} of ${connection.of}`,
      answer: 'text',
      consumes: ['*/*'],
      produces: ['*/*'],
      parameters: builder.options(connection.style.options),
      kind: connection.type.kind,
    });
  }
}
