import {
  DecodeError,
  decodeJson,
  decodeProtobuf,
  encodeJson,
  encodeSortedJson,
  encodeProtobufEnvelope,
  formatGroupVersion,
  isProtobufEnvelope,
  jsonEncoding,
  openProtobufEnvelope,
  parseUntyped,
} from '../../api/index.ts';
import type { ApiObject, Struct } from '../../api/index.ts';
import { pagedBytes, type Steps } from '../../base/index.ts';
import type { Revision } from '../../store/index.ts';
import type { StorageForm } from '../resource.ts';

/** Encodes objects of one resource for the store. The stored form never has a resourceVersion. */
export interface StorageCodec {
  encode(object: ApiObject): Uint8Array;
  /** The same in steps, if supported. */
  encoding?(object: ApiObject): Steps<Uint8Array>;
  decode(value: Uint8Array): ApiObject;
  /** The JSON with resourceVersion inserted, without parsing, if the stored form permits it. */
  jsonAt?(value: Uint8Array, revision: Revision): Uint8Array | undefined;
  /** The same for a large object, in pieces, most of which are the stored bytes themselves. */
  jsonPiecesAt?(value: Uint8Array, revision: Revision): readonly Uint8Array[] | undefined;
  /** The apiVersion of a stored value, for kinds whose stored version may have changed. */
  storedVersion?(value: Uint8Array): string | undefined;
}

/** Below this size, a copy costs less than another piece. */
const MIN_PIECED_BYTES = 32 * 1024;
/** How far the leading members of metadata are searched; most of them are names of at most 253 bytes. */
const HEAD_BYTES = 4096;
/** Longer than the name of any member of metadata. */
const MAX_NAME_BYTES = 256;

/** A number with more digits than a JavaScript number holds exactly. */
const LONG_NUMBER = /[:[,]-?\d{16}/;

/**
 * JSON in canonical order: the format of the embedded store, and of custom resources in etcd.
 *
 * Objects of a structural type may have been stored when their kind had another schema, and others by another version of Kubernetes: they
 * are pruned when they are read, the former defaulted too. Values that this codec wrote itself need neither.
 */
export function jsonStorage(
  type: Struct,
  typeOf?: (apiVersion: string) => Struct | undefined,
  { hasForeignFields = false }: Pick<StorageForm, 'hasForeignFields'> = {},
): StorageCodec {
  let precedes: ((name: string) => boolean) | undefined;
  const isStructural = type.isStructural === true;
  const isRead = isStructural || hasForeignFields;
  const written = new WeakSet<Uint8Array>();
  return {
    encode(object) {
      const value = pagedBytes(jsonText(object, type));
      if (isRead) written.add(value);
      return value;
    },

    ...(isRead ? {} : { encoding: jsonSteps }),

    decode(value) {
      const text = asBuffer(value).toString('utf8');
      if (isRead && !written.has(value))
        return readByType(text, typeOf ?? ((apiVersion) => (isOf(type, apiVersion) ? type : undefined)), isStructural);
      if (LONG_NUMBER.test(text)) return decoded(text, type);
      return JSON.parse(text) as ApiObject;
    },

    jsonAt(value, revision) {
      if (isRead && !written.has(value)) return undefined;
      const bytes = asBuffer(value);
      precedes ??= precedingResourceVersion(type);
      const insert = `,"resourceVersion":"${revision}"`;
      const spliced = Buffer.allocUnsafeSlow(bytes.length + insert.length);
      bytes.copy(spliced);
      const split = endOfMetadata(spliced.subarray(0, bytes.length), precedes); // scanning paged bytes would be slow
      if (split === undefined) return undefined;
      spliced.copyWithin(split + insert.length, split, bytes.length);
      spliced.write(insert, split, 'latin1');
      return spliced;
    },

    jsonPiecesAt(value, revision) {
      if (value.length < MIN_PIECED_BYTES || (isRead && !written.has(value))) return undefined;
      precedes ??= precedingResourceVersion(type);
      const head = Buffer.from(value.subarray(0, HEAD_BYTES));
      const split = endOfMetadata(head, precedes);
      if (split === undefined || split > HEAD_BYTES - MAX_NAME_BYTES) return undefined; // the next member may be truncated
      const insert = `,"resourceVersion":"${revision}"`;
      return [Buffer.concat([head.subarray(0, split), Buffer.from(insert)]), value.subarray(split)];
    },

    storedVersion(value) {
      const start = asBuffer(value).toString('latin1', 0, MAX_TYPE_META_BYTES);
      return versionAtStart(start) ?? (isStructural ? versionIn(asBuffer(value).toString('utf8')) : undefined);
    },
  };
}

function* jsonSteps(object: ApiObject): Steps<Uint8Array> {
  const text = yield* jsonEncoding(object);
  yield;
  return pagedBytes(text);
}

function isOf({ kind }: Struct, apiVersion: string): boolean {
  return kind !== undefined && apiVersion === formatGroupVersion(kind);
}

/** The object that stored JSON is of this type. */
function decoded(json: string | Uint8Array, type: Struct, options?: Parameters<typeof decodeJson>[2]): ApiObject {
  return decodeJson(json, type, options).value as unknown as ApiObject;
}

/** Objects in an unknown version, and those that cannot be parsed, are returned as stored. */
function readByType(
  text: string,
  typeOf: (apiVersion: string) => Struct | undefined,
  isStructural: boolean,
): ApiObject {
  const type = typeOf(versionAtStart(text) ?? versionIn(text) ?? '');
  if (type !== undefined) {
    try {
      return decoded(text, type, isStructural ? { defaults: true, forgives: true } : {});
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
    }
  }
  return (LONG_NUMBER.test(text) ? parseUntyped(text) : JSON.parse(text)) as ApiObject;
}

/** Encodes objects of structural types with sorted members, like Go's maps, and others in the order of their type. */
export function jsonText(object: ApiObject, type: Struct): string {
  return type.isStructural === true ? encodeSortedJson(object) : encodeJson(object);
}

/** The beginning of a stored object: kind first in built-in kinds, apiVersion first where members are sorted. */
const TYPE_META = /^\{(?:"kind":"[^"\\]*",)?"apiVersion":"(?<apiVersion>[^"\\]*)"/;
const MAX_TYPE_META_BYTES = 600;

function versionAtStart(text: string): string | undefined {
  return TYPE_META.exec(text)?.groups?.['apiVersion'];
}

/** The same where members that sort before apiVersion come first, such as `annotations` or `a`. */
function versionIn(text: string): string | undefined {
  const { apiVersion } = JSON.parse(text) as Partial<ApiObject>;
  return apiVersion;
}

/** Which members of metadata precede resourceVersion: those that the type declares, or sorts, before it. */
function precedingResourceVersion(type: Struct): (name: string) => boolean {
  const shape = type.field('metadata')?.shape;
  if (shape?.kind !== 'struct') return (name) => name < RESOURCE_VERSION;
  const names = shape.struct.fields.map(({ name }) => name);
  const preceding = new Set(names.slice(0, names.indexOf(RESOURCE_VERSION)));
  return (name) => preceding.has(name);
}

const RESOURCE_VERSION = 'resourceVersion';

/** The versions of a kind besides the stored one, in which another server may have stored objects. */
export type OtherVersions = Pick<StorageForm, 'apiVersion' | 'typeOf' | 'convert'>;

/**
 * The `k8s\0` envelope, in which kube-apiserver stores built-in kinds in etcd. Also reads JSON, as kube-apiserver does. Objects in another
 * version are converted to the stored one: kube-apiserver stores definitions as v1beta1.
 */
export function protobufStorage(type: Struct, others?: OtherVersions): StorageCodec {
  const typeOf = (apiVersion: string | undefined): Struct =>
    (apiVersion === undefined || apiVersion === others?.apiVersion ? undefined : others?.typeOf?.(apiVersion)) ?? type;
  return {
    encode(object) {
      return encodeProtobufEnvelope(object, type);
    },
    decode(value) {
      if (!isProtobufEnvelope(value)) {
        const start = asBuffer(value).toString('latin1', 0, MAX_TYPE_META_BYTES);
        const own = typeOf(TYPE_META.exec(start)?.groups?.['apiVersion']);
        return inStoredVersion(decoded(value, own), others);
      }
      const { typeMeta, raw } = openProtobufEnvelope(value);
      const own = typeOf(typeMeta.apiVersion);
      return inStoredVersion(decodeProtobuf(raw, own, { typeMeta }) as unknown as ApiObject, others);
    },
  };
}

/** Built-in kinds are converted synchronously. */
function inStoredVersion(object: ApiObject, others: OtherVersions | undefined): ApiObject {
  if (others?.convert === undefined || others.typeOf === undefined || object.apiVersion === others.apiVersion)
    return object;
  const converted = others.convert([object], others.apiVersion, new AbortController().signal);
  if (converted instanceof Promise) throw new Error(`Cannot wait for "${object.kind}" to be converted`);
  return converted[0] ?? object;
}

function asBuffer(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** Bytes of JSON text. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACE = 0x7d;
const CLOSING_BRACKET = 0x5d;

/**
 * Where the leading members of `metadata`, those for which `isLeading` is true, end in a stored object's JSON. Undefined when there are
 * none.
 *
 * Assumes: JSON as `JSON.stringify` writes it, without white space. Example: with `name` and `uid` leading, the result is the position of
 * the mark in `{"kind":"Pod","metadata":{"name":"a","uid":"u"^,"labels":{"uid":"x"}}}`.
 */
function endOfMetadata(bytes: Buffer, isLeading: (name: string) => boolean): number | undefined {
  for (let at = 1; bytes[at] === QUOTE;) {
    const end = endOfString(bytes, at);
    if (bytes.toString('latin1', at + 1, end - 1) === 'metadata') return endOfLeading(bytes, end + 1, isLeading);
    const next = endOfValue(bytes, end + 1);
    if (bytes[next] !== COMMA) return undefined;
    at = next + 1;
  }
  return undefined;
}

/** The end of the leading members of the object that begins at `start`. */
function endOfLeading(bytes: Buffer, start: number, isLeading: (name: string) => boolean): number | undefined {
  if (bytes[start] !== OPENING_BRACE) return undefined;
  let found: number | undefined;
  for (let at = start + 1; bytes[at] === QUOTE; at = (found as number) + 1) {
    const end = endOfString(bytes, at);
    if (!isLeading(bytes.toString('latin1', at + 1, end - 1))) return found;
    found = endOfValue(bytes, end + 1);
    if (bytes[found] !== COMMA) return found;
  }
  return found;
}

/** The position after the value that begins at `at`. */
function endOfValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return endOfString(bytes, at);
  const isNested = first === OPENING_BRACE || first === OPENING_BRACKET;
  let depth = 0;
  for (let position = at; position < bytes.length;) {
    switch (bytes[position]) {
      case QUOTE:
        position = endOfString(bytes, position);
        continue;
      case OPENING_BRACE:
      case OPENING_BRACKET:
        depth += 1;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        if (!isNested) return position;
        depth -= 1;
        if (depth === 0) return position + 1;
        break;
      case COMMA:
        if (!isNested) return position;
        break;
      default:
    }
    position += 1;
  }
  return bytes.length;
}

/** The position after the string whose opening quote is at `at`. */
function endOfString(bytes: Buffer, at: number): number {
  let end = bytes.indexOf(QUOTE, at + 1);
  while (end >= 0 && isEscaped(bytes, end)) end = bytes.indexOf(QUOTE, end + 1);
  return end < 0 ? bytes.length : end + 1;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let backslashes = 0;
  while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
