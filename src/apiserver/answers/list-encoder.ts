import { Buffer } from 'node:buffer';
import { encodeProtobuf } from '../../api/index.ts';
import type { Struct, TypeTable } from '../../api/index.ts';
import type { ListAnswer } from './answer.ts';
import { encodeDocument } from './document.ts';
import { indentJson } from './indent-json.ts';
import { jsonList, partialJsonList, withoutTypeMeta } from './json-list.ts';
import { customListMetadata, listMetadata, listTypeMeta } from './list-metadata.ts';
import type { MetadataForms } from './metadata-forms.ts';
import { objectOf, protobufOf } from './object-forms.ts';
import { protobufList } from './protobuf-list.ts';
import type { Representation } from './representation.ts';

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
