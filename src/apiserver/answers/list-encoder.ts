import { Buffer } from 'node:buffer';
import { encodeJson, encodeProtobuf, type Struct, type TypeTable } from '../../api/index.ts';
import type { ListAnswer } from './answer.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { JsonIndenter } from './indent-json.ts';
import { isJsonPrefix } from './json-bytes.ts';
import { customListMetadata, listMetadata, listTypeMeta } from './list-metadata.ts';
import { type MetadataForms, typeMetaPrefix } from './metadata-forms.ts';
import { jsonOf, jsonPiecesOf, objectOf, type ObjectSource, protobufOf } from './object-forms.ts';
import { protobufList } from './protobuf-list.ts';
import type { Representation } from './representation.ts';
import { type TextList, textList } from './text-list.ts';

/** Encodes lists of objects, or of their metadata, on demand. */
export class ListEncoder {
  readonly #forms: MetadataForms;
  readonly #listMeta: Struct;

  constructor(types: TypeTable, forms: MetadataForms) {
    this.#forms = forms;
    this.#listMeta = types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta');
  }

  encode(answer: ListAnswer, { format, isPretty }: Representation): Generator<Uint8Array> {
    const { resource, items } = answer;
    if (format === 'protobuf') {
      const messages = items.map((item) => protobufOf(item, resource));
      return protobufList(listTypeMeta(resource), this.#metadata(answer), messages);
    }
    if (format === 'yaml') return textList(listOf(answer), { format, isPretty });
    return resource.capabilities.objects === 'unstructured'
      ? customJsonList(answer, isPretty)
      : builtInJsonList(answer, isPretty);
  }

  /** As a PartialObjectMetadataList of the given version. */
  encodePartial(answer: ListAnswer, representation: Representation, apiVersion: string): Generator<Uint8Array> {
    const { resource, items } = answer;
    const { format, isPretty } = representation;
    const kind = 'PartialObjectMetadataList';
    if (format === 'protobuf') {
      const messages = items.map((item) => this.#forms.protobuf(item, resource));
      return protobufList({ kind, apiVersion }, this.#metadata(answer), messages);
    }
    if (format === 'json' && !isPretty && items.length > 0) return partialJsonList(answer, apiVersion, this.#forms);
    const partials = each(items, (item) => this.#forms.partial(item, resource, apiVersion));
    const fields = { kind, apiVersion, metadata: listMetadata(answer.metadata) };
    // Kubernetes leaves an empty list unset.
    return textList({ fields, name: 'items', items: items.length === 0 ? null : partials }, { format, isPretty });
  }

  #metadata({ metadata }: ListAnswer): Uint8Array {
    return encodeProtobuf({ ...listMetadata(metadata) }, this.#listMeta);
  }
}

function listOf({ resource, items, metadata }: ListAnswer): TextList {
  const isCustom = resource.capabilities.objects === 'unstructured';
  const fields = {
    ...listTypeMeta(resource),
    metadata: isCustom ? customListMetadata(metadata) : listMetadata(metadata),
  };
  const objects = each(items, (item) => {
    const object = objectOf(item, resource);
    return isCustom ? object : withoutTypeMeta(object);
  });
  return { fields, name: 'items', items: objects };
}

function* each<T, R>(items: readonly T[], make: (item: T) => R): Generator<R> {
  for (const item of items) yield make(item);
}

const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const LINE_FEED = 0x0a;

/** Builds a list from the JSON that its objects already have; with a line feed unless it is indented. */
function* customJsonList({ resource, items, metadata }: ListAnswer, isPretty: boolean): Generator<Uint8Array> {
  const { kind, apiVersion } = listTypeMeta(resource);
  const writer = new ChunkWriter();
  const sink = isPretty ? new JsonIndenter(writer) : writer;
  sink.text(`{"apiVersion":${encodeJson(apiVersion)},"items":[`);
  for (let index = 0; index < items.length; index++) {
    if (index > 0) sink.byte(COMMA);
    sink.bytes(jsonOf(items[index] as ObjectSource, resource));
    if (writer.hasFull) yield* writer.take();
  }
  sink.text(`],"kind":${encodeJson(kind)},"metadata":${encodeJson(customListMetadata(metadata))}}`);
  if (!isPretty) writer.byte(LINE_FEED);
  yield* writer.finish();
}

/** Items omit kind and apiVersion, which come first in their JSON and are cut off. */
function* builtInJsonList({ resource, items, metadata }: ListAnswer, isPretty: boolean): Generator<Uint8Array> {
  const prefix = typeMetaPrefix(resource);
  const writer = new ChunkWriter();
  const sink = isPretty ? new JsonIndenter(writer) : writer;
  const head = encodeJson({ ...listTypeMeta(resource), metadata: listMetadata(metadata) });
  sink.text(`${head.slice(0, -1)},"items":[`);
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as ObjectSource;
    const [json, rest] = isPretty ? [jsonOf(item, resource)] : jsonPiecesOf(item, resource);
    if (index > 0) sink.byte(COMMA);
    if (json !== undefined && isJsonPrefix(json, prefix)) {
      sink.byte(OPEN);
      sink.bytes(json.subarray(prefix.length));
      if (rest !== undefined) sink.bytes(rest);
    } else {
      sink.text(encodeJson(withoutTypeMeta(objectOf(item, resource)))); // another program stored it with other member order
    }
    if (writer.hasFull) yield* writer.take();
  }
  sink.text(']}');
  if (!isPretty) writer.byte(LINE_FEED);
  yield* writer.finish();
}

/** A PartialObjectMetadataList of the given version. */
function* partialJsonList(answer: ListAnswer, apiVersion: string, forms: MetadataForms): Generator<Uint8Array> {
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
    if (writer.hasFull) yield* writer.take();
  }
  writer.text(']}\n');
  yield* writer.finish();
}

function withoutTypeMeta(object: Readonly<Record<string, unknown>>): unknown {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}
