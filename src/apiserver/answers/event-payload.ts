import { Buffer } from 'node:buffer';
import { encodeJson, includeObject, type Query, wrapProtobuf } from '../../api/index.ts';
import { type Clock, unreachable } from '../../base/index.ts';
import type { Resource } from '../resource.ts';
import { apiVersionOf } from '../storage/stored-object.ts';
import type { MetadataForms } from './metadata-forms.ts';
import { jsonOf, objectOf, type ObjectSource, protobufOf } from './object-forms.ts';
import type { Conversion, Format, Representation } from './representation.ts';
import { tableOf } from './table.ts';

/** How the objects of a watch's events are encoded. */
export interface Payload {
  /** Identifies everything that the bytes depend on, so that watches can share them; undefined when they depend on this watch. */
  readonly sharedAs: string | undefined;
  encode(source: ObjectSource, options: { readonly endsInitialEvents: boolean }): Uint8Array;
}

export interface PayloadContext {
  readonly resource: Resource;
  readonly forms: MetadataForms;
  readonly clock: Clock;
  readonly query: Query;
}

export function payloadFor({ format, conversion }: Representation, context: PayloadContext): Payload {
  if (conversion === undefined) return plainPayload(format, context);
  switch (conversion.kind) {
    case 'PartialObjectMetadata':
      return partialPayload(format, conversion.apiVersion, context);
    case 'Table':
      return tablePayload(conversion, context);
    case 'PartialObjectMetadataList':
      return { sharedAs: undefined, encode: refuse };
    default:
      return unreachable(conversion.kind);
  }
}

function plainPayload(format: Format, { resource }: PayloadContext): Payload {
  const sharedAs = `${format} ${apiVersionOf(resource)}`;
  if (format !== 'protobuf') return { sharedAs, encode: (source) => jsonOf(source, resource) };
  const typeMeta = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  return { sharedAs, encode: (source) => wrapProtobuf(protobufOf(source, resource), typeMeta) };
}

function partialPayload(format: Format, apiVersion: string, { resource, forms }: PayloadContext): Payload {
  const kind = 'PartialObjectMetadata';
  const sharedAs = `${format} ${apiVersionOf(resource)} ${kind} ${apiVersion}`;
  if (format === 'protobuf') {
    return { sharedAs, encode: (source) => wrapProtobuf(forms.protobuf(source, resource), { apiVersion, kind }) };
  }
  const head = Buffer.from(`{"kind":"${kind}","apiVersion":${JSON.stringify(apiVersion)},"metadata":`);
  return { sharedAs, encode: (source) => Buffer.concat([head, forms.json(source, resource), CLOSE]) };
}

const CLOSE = Buffer.from('}');

/** Only the first table of a watch has the column definitions. */
function tablePayload({ apiVersion }: Conversion, { resource, forms, clock, query }: PayloadContext): Payload {
  const asked = includeObject(query);
  let isFirst = true;
  return {
    sharedAs: undefined,
    encode(source, { endsInitialEvents }) {
      const include = asked === 'None' && endsInitialEvents ? 'Metadata' : asked; // the annotation must be sent
      const { resourceVersion = '' } = objectOf(source, resource).metadata;
      const table = tableOf([source], { resourceVersion }, { resource, forms, apiVersion, include, now: clock.now() });
      const columnDefinitions = isFirst ? table.columnDefinitions : null;
      isFirst = false;
      return Buffer.from(encodeJson({ ...table, columnDefinitions }));
    },
  };
}

/** An event is never a list; Kubernetes notices at the first event, and ends the watch. */
function refuse(): never {
  throw new NotConvertible();
}

/** The requested form is not possible for a watch. */
export class NotConvertible extends Error {
  override readonly name = 'NotConvertible';
}
