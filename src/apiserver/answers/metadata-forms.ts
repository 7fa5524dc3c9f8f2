import { Buffer } from 'node:buffer';
import { canonicalize, encodeJson, encodeProtobuf } from '../../api/index.ts';
import type { ApiObject, Struct, TypeTable } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import { apiVersionOf, StoredObject } from '../storage/stored-object.ts';
import { isJsonPrefix, jsonObjectEnd } from './json-bytes.ts';
import { objectOf, type ObjectSource } from './object-forms.ts';

/** Encodes the metadata of objects of any kind, for PartialObjectMetadata. */
export class MetadataForms {
  readonly #objectMeta: Struct;
  readonly #partial: Struct;

  constructor(types: TypeTable) {
    this.#objectMeta = types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
    this.#partial = types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata');
  }

  /** A PartialObjectMetadata of the given version. */
  partial(source: ObjectSource, resource: Resource, apiVersion: string): ApiObject {
    return { kind: 'PartialObjectMetadata', apiVersion, metadata: this.#metadata(source, resource) };
  }

  /** The JSON of the metadata; cut from the object's JSON where possible, which saves parsing. */
  json(source: ObjectSource, resource: Resource): Uint8Array {
    if (source instanceof StoredObject && resource.capabilities.objects === 'structured') {
      const cut = cutMetadata(source.json(resource), typeMetaPrefix(resource));
      if (cut !== undefined) return cut;
    }
    return Buffer.from(encodeJson(this.#metadata(source, resource)));
  }

  /** The protobuf message of a PartialObjectMetadata without its envelope; it is the same in all versions. */
  protobuf(source: ObjectSource, resource: Resource): Uint8Array {
    const encode = (): Uint8Array => encodeProtobuf({ metadata: this.#metadata(source, resource) }, this.#partial);
    return source instanceof StoredObject
      ? source.form(`protobuf metadata ${resource.version} ${resource.group}`, encode)
      : encode();
  }

  /** The metadata in its usual order; that of stored custom resources is sorted by name. */
  #metadata(source: ObjectSource, resource: Resource): ApiObject['metadata'] {
    const { metadata } = objectOf(source, resource);
    if (resource.capabilities.objects === 'structured') return metadata;
    return canonicalize(metadata, this.#objectMeta);
  }
}

const METADATA = Buffer.from('"metadata":');

/** In canonical order, metadata directly follows kind and apiVersion. */
function cutMetadata(json: Uint8Array, prefix: Uint8Array): Uint8Array | undefined {
  const start = prefix.length + METADATA.length;
  if (!isJsonPrefix(json, prefix) || !isJsonPrefix(json, METADATA, prefix.length)) return undefined;
  return json.subarray(start, jsonObjectEnd(json, start));
}

const prefixes = new WeakMap<Resource, Uint8Array>();

/** The first bytes in the JSON of every object of a resource: `{"kind":"Pod","apiVersion":"v1",`. */
export function typeMetaPrefix(resource: Resource): Uint8Array {
  const known = prefixes.get(resource);
  if (known !== undefined) return known;
  const prefix = Buffer.from(
    `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},`,
  );
  prefixes.set(resource, prefix);
  return prefix;
}
