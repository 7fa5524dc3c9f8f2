import { Buffer } from 'node:buffer';
import { encodeJson } from '../../api/index.ts';
import type { ListAnswer } from './answer.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { isJsonPrefix } from './json-bytes.ts';
import { customListMetadata, listMetadata, listTypeMeta } from './list-metadata.ts';
import type { MetadataForms } from './metadata-forms.ts';
import { jsonOf, objectOf } from './object-forms.ts';
import type { ObjectSource } from './object-forms.ts';
import { typeMetaPrefix } from './type-meta-prefix.ts';

const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** A list and a line feed, put together from the JSON that each of its objects has already. */
export function jsonList(answer: ListAnswer): readonly Uint8Array[] {
  return answer.resource.capabilities.objects === 'unstructured' ? customJsonList(answer) : builtInJsonList(answer);
}

function customJsonList({ resource, items, metadata }: ListAnswer): readonly Uint8Array[] {
  const { kind, apiVersion } = listTypeMeta(resource);
  const writer = new ChunkWriter();
  writer.text(`{"apiVersion":${encodeJson(apiVersion)},"items":[`);
  for (let index = 0; index < items.length; index++) {
    if (index > 0) writer.byte(COMMA);
    writer.bytes(jsonOf(items[index] as ObjectSource, resource));
  }
  writer.text(`],"kind":${encodeJson(kind)},"metadata":${encodeJson(customListMetadata(metadata))}}\n`);
  return writer.finish();
}

/** Items do not repeat kind and apiVersion, which are the first thing in their JSON: it is left off. */
function builtInJsonList({ resource, items, metadata }: ListAnswer): readonly Uint8Array[] {
  const prefix = typeMetaPrefix(resource);
  const writer = new ChunkWriter();
  const head = encodeJson({ ...listTypeMeta(resource), metadata: listMetadata(metadata) });
  writer.text(`${head.slice(0, -1)},"items":[`);
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as ObjectSource;
    const json = jsonOf(item, resource);
    if (index > 0) writer.byte(COMMA);
    if (isJsonPrefix(json, prefix)) {
      writer.byte(OPEN);
      writer.bytes(json.subarray(prefix.length));
    } else {
      writer.text(encodeJson(withoutTypeMeta(objectOf(item, resource)))); // stored by somebody else, in another order
    }
  }
  writer.text(']}\n');
  return writer.finish();
}

/** A PartialObjectMetadataList of the given version. */
export function partialJsonList(answer: ListAnswer, apiVersion: string, forms: MetadataForms): readonly Uint8Array[] {
  const { resource, items } = answer;
  const head = encodeJson({
    kind: 'PartialObjectMetadataList',
    apiVersion,
    metadata: listMetadata(answer.metadata),
  });
  const writer = new ChunkWriter();
  writer.text(`${head.slice(0, -1)},"items":[`);
  const itemStart = Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":${encodeJson(apiVersion)},"metadata":`);
  for (let index = 0; index < items.length; index++) {
    if (index > 0) writer.byte(COMMA);
    writer.bytes(itemStart);
    writer.bytes(forms.json(items[index] as ObjectSource, resource));
    writer.byte(CLOSE);
  }
  writer.text(']}\n');
  return writer.finish();
}

export function withoutTypeMeta(object: Readonly<Record<string, unknown>>): unknown {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}
