import { Buffer } from 'node:buffer';
import { canonicalize, encodeJson, encodeProtobuf } from '../../api/index.ts';
import type { ApiObject, Struct, TypeTable } from '../../api/index.ts';
import type { ServedKind } from '../served-kind.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { isJsonPrefix, jsonObjectEnd } from './json-bytes.ts';
import { objectOf, type ObjectSource } from './object-forms.ts';
import { typeMetaPrefix } from './type-meta-prefix.ts';

/** The metadata of objects of any kind: what PartialObjectMetadata is made of. */
export class MetadataForms {
  readonly #objectMeta: Struct;
  readonly #partial: Struct;

  constructor(types: TypeTable) {
    this.#objectMeta = types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
    this.#partial = types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata');
  }

  /** A PartialObjectMetadata of the given version. */
  partial(source: ObjectSource, resource: ServedKind, apiVersion: string): ApiObject {
    return { kind: 'PartialObjectMetadata', apiVersion, metadata: this.#metadata(source, resource) };
  }

  /** The JSON of the metadata alone; cut out of the object's where that is possible, since it saves parsing. */
  json(source: ObjectSource, resource: ServedKind): Uint8Array {
    if (source instanceof StoredObject && resource.capabilities.objects === 'structured') {
      const cut = cutMetadata(source.json(resource), typeMetaPrefix(resource));
      if (cut !== undefined) return cut;
    }
    return Buffer.from(encodeJson(this.#metadata(source, resource)));
  }

  /** The bare message of a PartialObjectMetadata, which is the same in all versions. */
  protobuf(source: ObjectSource, resource: ServedKind): Uint8Array {
    const encode = (): Uint8Array => encodeProtobuf({ metadata: this.#metadata(source, resource) }, this.#partial);
    return source instanceof StoredObject
      ? source.form(`protobuf metadata ${resource.version} ${resource.group}`, encode)
      : encode();
  }

  /** Custom resources have their metadata sorted like everything else of theirs; here it takes its usual order. */
  #metadata(source: ObjectSource, resource: ServedKind): ApiObject['metadata'] {
    const { metadata } = objectOf(source, resource);
    if (resource.capabilities.objects === 'structured') return metadata;
    return canonicalize(metadata, this.#objectMeta);
  }
}

const METADATA = Buffer.from('"metadata":');

/** In canonical order, metadata follows right after kind and apiVersion. */
function cutMetadata(json: Uint8Array, prefix: Uint8Array): Uint8Array | undefined {
  const start = prefix.length + METADATA.length;
  if (!isJsonPrefix(json, prefix) || !isJsonPrefix(json, METADATA, prefix.length)) return undefined;
  return json.subarray(start, jsonObjectEnd(json, start));
}
