import {
  decodeJson,
  decodeProtobuf,
  encodeJson,
  encodeSortedJson,
  encodeProtobufEnvelope,
  isProtobufEnvelope,
  openProtobufEnvelope,
} from '../../api/index.ts';
import type { ApiObject, Struct } from '../../api/index.ts';
import type { Revision } from '../../store/index.ts';
import { endOfMetadata } from './json-members.ts';

/** How objects of one resource look as bytes in the store. The stored form never has a resourceVersion. */
export interface StorageCodec {
  encode(object: ApiObject): Uint8Array;
  decode(value: Uint8Array): ApiObject;
  /** The JSON with resourceVersion put in, without parsing, where the stored form allows it. */
  jsonAt?(value: Uint8Array, revision: Revision): Uint8Array | undefined;
  /** The apiVersion in which this value is stored, where it need not be that in which new ones are. */
  storedVersion?(value: Uint8Array): string | undefined;
}

/** More digits than a JavaScript number holds exactly. */
const LONG_NUMBER = /[:[,]-?\d{16}/;

/** JSON in canonical order: what the embedded store keeps, and what custom resources are in etcd. */
export function jsonStorage(type: Struct): StorageCodec {
  let precedes: ((name: string) => boolean) | undefined;
  return {
    encode(object) {
      return Buffer.from(jsonText(object, type));
    },

    decode(value) {
      const text = asBuffer(value).toString('utf8');
      if (LONG_NUMBER.test(text)) return decodeJson(text, type).value as unknown as ApiObject;
      return JSON.parse(text) as ApiObject;
    },

    jsonAt(value, revision) {
      const bytes = asBuffer(value);
      precedes ??= precedingResourceVersion(type);
      const split = endOfMetadata(bytes, precedes);
      if (split === undefined) return undefined;
      const insert = `,"resourceVersion":"${revision}"`;
      const spliced = Buffer.allocUnsafe(bytes.length + insert.length);
      bytes.copy(spliced, 0, 0, split);
      spliced.write(insert, split, 'latin1');
      bytes.copy(spliced, split + insert.length, split);
      return spliced;
    },

    storedVersion(value) {
      return TYPE_META.exec(asBuffer(value).toString('latin1', 0, MAX_TYPE_META_BYTES))?.groups?.['apiVersion'];
    },
  };
}

/** Objects of structural types are printed like the maps that they are to Go, others in the order of their type. */
export function jsonText(object: ApiObject, type: Struct): string {
  return type.isStructural === true ? encodeSortedJson(object) : encodeJson(object);
}

/** How a stored object begins: kind first in built-in kinds, apiVersion first where members are sorted. */
const TYPE_META = /^\{(?:"kind":"[^"\\]*",)?"apiVersion":"(?<apiVersion>[^"\\]*)"/;
const MAX_TYPE_META_BYTES = 600;

/** Which members of metadata stand before resourceVersion: those that the type declares before it, or sorts before it. */
function precedingResourceVersion(type: Struct): (name: string) => boolean {
  const shape = type.field('metadata')?.shape;
  if (shape?.kind !== 'struct') return (name) => name < RESOURCE_VERSION;
  const names = shape.struct.fields.map(({ name }) => name);
  const preceding = new Set(names.slice(0, names.indexOf(RESOURCE_VERSION)));
  return (name) => preceding.has(name);
}

const RESOURCE_VERSION = 'resourceVersion';

/** The `k8s\0` envelope, in which kube-apiserver keeps built-in kinds in etcd. Reads JSON too, as it does. */
export function protobufStorage(type: Struct): StorageCodec {
  return {
    encode(object) {
      return encodeProtobufEnvelope(object, type);
    },
    decode(value) {
      if (!isProtobufEnvelope(value)) return decodeJson(value, type).value as unknown as ApiObject;
      const { typeMeta, raw } = openProtobufEnvelope(value);
      return decodeProtobuf(raw, type, { typeMeta }) as unknown as ApiObject;
    },
  };
}

function asBuffer(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
