import { canonicalize, decodeProtobufEnvelope, encodeProtobufEnvelope } from '../../api/index.ts';
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

/** JSON in canonical order: what the embedded store keeps, and what custom resources are in etcd. */
export const jsonStorage: StorageCodec = {
  encode(object) {
    return Buffer.from(JSON.stringify(object));
  },

  decode(value) {
    return JSON.parse(asBuffer(value).toString('utf8')) as ApiObject;
  },

  /**
   * In canonical order only names precede uid, and names hold no quotes, so the first `,"uid":"` is the real one; the
   * resourceVersion follows it.
   */
  spliceJson(value, revision) {
    const bytes = asBuffer(value);
    const at = bytes.indexOf(UID);
    if (at < 0) return undefined;
    const split = at + UID.length + UID_LENGTH + 1;
    if (bytes[split - 1] !== 0x22) return undefined; // a uid that is not 36 long: imported data, parse it instead
    const insert = `,"resourceVersion":"${revision}"`;
    const spliced = Buffer.allocUnsafe(bytes.length + insert.length);
    bytes.copy(spliced, 0, 0, split);
    spliced.latin1Write(insert, split);
    bytes.copy(spliced, split + insert.length, split);
    return spliced;
  },
};

/** The `k8s\0` envelope, in which kube-apiserver keeps built-in kinds in etcd. Reads JSON too, as it does. */
export function protobufStorage(type: Struct): StorageCodec {
  return {
    encode(object) {
      return encodeProtobufEnvelope(object, type);
    },
    decode(value) {
      if (value[0] !== 0x6b) return canonicalize(jsonStorage.decode(value), type).value as unknown as ApiObject;
      return decodeProtobufEnvelope(value, () => type).value as unknown as ApiObject;
    },
  };
}

function asBuffer(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
