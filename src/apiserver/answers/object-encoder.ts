import { Buffer } from 'node:buffer';
import { wrapProtobuf } from '../../api/index.ts';
import { apiVersionOf } from '../storage/stored-object.ts';
import type { EncodedAnswer, ObjectAnswer } from './answer.ts';
import { encodeDocument } from './document.ts';
import { indentJson } from './indent-json.ts';
import type { MetadataForms } from './metadata-forms.ts';
import { jsonOf, objectOf, protobufOf } from './object-forms.ts';
import type { Representation } from './representation.ts';

const LINE_FEED = Buffer.from('\n');

/** Writes one object. */
export function encodeObject(
  { object, resource }: ObjectAnswer,
  { format, isPretty }: Representation,
): EncodedAnswer['body'] {
  if (format === 'protobuf') {
    return wrapProtobuf(protobufOf(object, resource), { apiVersion: apiVersionOf(resource), kind: resource.kind });
  }
  if (format === 'yaml') return encodeDocument(objectOf(object, resource), { format, isPretty });
  const json = jsonOf(object, resource);
  return isPretty ? indentJson(json) : Buffer.concat([json, LINE_FEED]);
}

/** Writes the metadata of one object, as a PartialObjectMetadata of the given version. */
export function encodePartialObject(
  { object, resource }: ObjectAnswer,
  { format, isPretty }: Representation,
  { apiVersion, forms }: { readonly apiVersion: string; readonly forms: MetadataForms },
): Uint8Array {
  if (format === 'protobuf') {
    return wrapProtobuf(forms.protobuf(object, resource), { apiVersion, kind: 'PartialObjectMetadata' });
  }
  return encodeDocument(forms.partial(object, resource, apiVersion), { format, isPretty });
}
