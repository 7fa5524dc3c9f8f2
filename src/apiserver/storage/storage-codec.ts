import {
  decodeJson,
  decodeProtobuf,
  encodeJson,
  encodeProtobufEnvelope,
  isProtobufEnvelope,
  openProtobufEnvelope,
} from '../../api/index.ts';
import type { ApiObject, Struct } from '../../api/index.ts';
import type { Revision } from '../../store/index.ts';

/** How objects of one resource look as bytes in the store. The stored form never has a resourceVersion. */
export interface StorageCodec {
  encode(object: ApiObject): Uint8Array;
  decode(value: Uint8Array): ApiObject;
  /** The JSON with resourceVersion put in, without parsing, where the stored form allows it. */
  spliceJson?(value: Uint8Array, revision: Revision): Uint8Array | undefined;
}

const UID = Buffer.from(',"uid":"');
const UID_LENGTH = 36;

/** More digits than a JavaScript number holds exactly. */
const LONG_NUMBER = /[:[,]-?\d{16}/;

/** JSON in canonical order: what the embedded store keeps, and what custom resources are in etcd. */
export function jsonStorage(type: Struct): StorageCodec {
  return {
    encode(object) {
      return Buffer.from(encodeJson(object));
    },

    decode(value) {
      const text = asBuffer(value).toString('utf8');
      if (LONG_NUMBER.test(text)) return decodeJson(text, type).value as unknown as ApiObject;
      return JSON.parse(text) as ApiObject;
    },

    spliceJson,
  };
}

/**
 * In canonical order only names precede uid, and names hold no quotes, so the first `,"uid":"` is the real one; the
 * resourceVersion follows it.
 */
function spliceJson(value: Uint8Array, revision: Revision): Uint8Array | undefined {
  const bytes = asBuffer(value);
  const at = bytes.indexOf(UID);
  if (at < 0) return undefined;
  const split = at + UID.length + UID_LENGTH + 1;
  if (bytes[split - 1] !== QUOTE) return undefined; // a uid that is not 36 long: imported data, parse it instead
  const insert = `,"resourceVersion":"${revision}"`;
  const spliced = Buffer.allocUnsafe(bytes.length + insert.length);
  bytes.copy(spliced, 0, 0, split);
  spliced.write(insert, split, 'latin1');
  bytes.copy(spliced, split + insert.length, split);
  return spliced;
}

const QUOTE = 0x22;

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
