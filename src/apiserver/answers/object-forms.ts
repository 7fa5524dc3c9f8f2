import { Buffer } from 'node:buffer';
import { type ApiObject, encodeProtobuf } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import { jsonText } from '../storage/storage-codec.ts';
import { StoredObject } from '../storage/stored-object.ts';

/** An object to answer with: stored and shared by all readers, or made for this answer. */
export type ObjectSource = StoredObject | ApiObject;

export function objectOf(source: ObjectSource, resource: Resource): ApiObject {
  return source instanceof StoredObject ? source.as(resource) : source;
}

export function jsonOf(source: ObjectSource, resource: Resource): Uint8Array {
  return source instanceof StoredObject ? source.json(resource) : Buffer.from(jsonText(source, resource.type));
}

/** The same in pieces, whose bytes should not be read, except those of the first. */
export function jsonPiecesOf(source: ObjectSource, resource: Resource): readonly Uint8Array[] {
  return source instanceof StoredObject ? source.jsonPieces(resource) : [jsonOf(source, resource)];
}

/** The protobuf message without its envelope, as in lists. */
export function protobufOf(source: ObjectSource, resource: Resource): Uint8Array {
  if (!(source instanceof StoredObject)) return encodeProtobuf(source, resource.type);
  return source.form(`protobuf ${resource.version} ${resource.group}`, () =>
    encodeProtobuf(source.as(resource), resource.type),
  );
}
