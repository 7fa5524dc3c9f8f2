import type { EndpointBuilder } from './endpoint-builder.ts';
import { addReadAndWrite, creation } from './object-operations.ts';
import { capitalized } from './operation-id.ts';
import type { ServedResource, ServedSubresource } from './served-resource.ts';

/** The paths of one subresource. */
export function addSubresource(
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
