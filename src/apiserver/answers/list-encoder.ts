import { Buffer } from 'node:buffer';
import { encodeJson, encodeProtobuf, ENVELOPE_MAGIC, type Struct, type TypeTable } from '../../api/index.ts';
import type { ListAnswer } from './answer.ts';
import { ChunkWriter, varintLength } from './chunk-writer.ts';
import { encodeDocument } from './document.ts';
import { indentJson } from './indent-json.ts';
import { isJsonPrefix } from './json-bytes.ts';
import { customListMetadata, listMetadata, listTypeMeta, type TypeMeta } from './list-metadata.ts';
import type { MetadataForms } from './metadata-forms.ts';
import { jsonOf, objectOf, type ObjectSource, protobufOf } from './object-forms.ts';
import type { Representation } from './representation.ts';
import { typeMetaPrefix } from './type-meta-prefix.ts';

/** Writes lists of objects, or of their metadata. */
export class ListEncoder {
  readonly #forms: MetadataForms;
  readonly #listMeta: Struct;

  constructor(types: TypeTable, forms: MetadataForms) {
    this.#forms = forms;
    this.#listMeta = types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta');
  }

  encode(answer: ListAnswer, { format, isPretty }: Representation): readonly Uint8Array[] {
    const { resource, items } = answer;
    if (format === 'protobuf') {
      const messages = items.map((item) => protobufOf(item, resource));
      return protobufList(listTypeMeta(resource), this.#metadata(answer), messages);
    }
    if (format === 'yaml') return [encodeDocument(listValue(answer), { format, isPretty })];
    const json = jsonList(answer);
    return isPretty ? indentJson(Buffer.concat(json).subarray(0, -1)) : json;
  }

  /** As a PartialObjectMetadataList of the given version. */
  encodePartial(answer: ListAnswer, { format, isPretty }: Representation, apiVersion: string): readonly Uint8Array[] {
    const { resource, items } = answer;
    const kind = 'PartialObjectMetadataList';
    if (format === 'protobuf') {
      const messages = items.map((item) => this.#forms.protobuf(item, resource));
      return protobufList({ kind, apiVersion }, this.#metadata(answer), messages);
    }
    if (format === 'json' && !isPretty && items.length > 0) return partialJsonList(answer, apiVersion, this.#forms);
    const partials = items.map((item) => this.#forms.partial(item, resource, apiVersion));
    const metadata = listMetadata(answer.metadata);
    // Kubernetes leaves the list unset when there is nothing to put into it.
    const value = { kind, apiVersion, metadata, items: partials.length === 0 ? null : partials };
    return [encodeDocument(value, { format, isPretty })];
  }

  #metadata({ metadata }: ListAnswer): Uint8Array {
    return encodeProtobuf({ ...listMetadata(metadata) }, this.#listMeta);
  }
}

function listValue({ resource, items, metadata }: ListAnswer): unknown {
  const { kind, apiVersion } = listTypeMeta(resource);
  const objects = items.map((item) => objectOf(item, resource));
  if (resource.capabilities.objects === 'unstructured')
    return { apiVersion, items: objects, kind, metadata: customListMetadata(metadata) };
  return { kind, apiVersion, metadata: listMetadata(metadata), items: objects.map(withoutTypeMeta) };
}

const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** A list and a line feed, put together from the JSON that each of its objects has already. */
function jsonList(answer: ListAnswer): readonly Uint8Array[] {
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
function partialJsonList(answer: ListAnswer, apiVersion: string, forms: MetadataForms): readonly Uint8Array[] {
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

function withoutTypeMeta(object: Readonly<Record<string, unknown>>): unknown {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}

const FIELD_1 = 0x0a;
const FIELD_2 = 0x12;
const MAGIC = Uint8Array.from(ENVELOPE_MAGIC);
/** Content encoding and type, both empty. */
const ENVELOPE_END = Uint8Array.of(0x1a, 0, 0x22, 0);

/** A list in its envelope, put together from messages that are encoded already: metadata is field 1, items field 2. */
function protobufList(typeMeta: TypeMeta, metadata: Uint8Array, items: readonly Uint8Array[]): readonly Uint8Array[] {
  const version = Buffer.from(typeMeta.apiVersion);
  const kind = Buffer.from(typeMeta.kind);
  const writer = new ChunkWriter();
  writer.bytes(MAGIC);
  writer.byte(FIELD_1);
  writer.varint(fieldLength(version) + fieldLength(kind));
  writeField(writer, FIELD_1, version);
  writeField(writer, FIELD_2, kind);
  writer.byte(FIELD_2);
  writer.varint(items.reduce((sum, item) => sum + fieldLength(item), fieldLength(metadata)));
  writeField(writer, FIELD_1, metadata);
  for (const item of items) writeField(writer, FIELD_2, item);
  writer.bytes(ENVELOPE_END);
  return writer.finish();
}

function fieldLength(bytes: Uint8Array): number {
  return 1 + varintLength(bytes.length) + bytes.length;
}

function writeField(writer: ChunkWriter, tag: number, bytes: Uint8Array): void {
  writer.byte(tag);
  writer.varint(bytes.length);
  writer.bytes(bytes);
}
