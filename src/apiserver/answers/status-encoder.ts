import { Buffer } from 'node:buffer';
import { canonicalize, encodeJson, encodeProtobufEnvelope } from '../../api/index.ts';
import type { Status, Struct, TypeTable } from '../../api/index.ts';
import { encodeDocument } from './document.ts';
import type { Format, Representation } from './representation.ts';

/** Encodes Statuses: failures, and successes without an object. */
export class StatusEncoder {
  readonly #type: Struct;

  constructor(types: TypeTable) {
    this.#type = types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.Status');
  }

  encode(status: Status, { format, isPretty }: Representation): Uint8Array {
    const value = this.#canonical(status);
    if (format === 'protobuf') return encodeProtobufEnvelope(value, this.#type);
    return encodeDocument(value, { format, isPretty });
  }

  /** Encodes a Status as the object of a watch event. */
  embedded(status: Status, format: Format): Uint8Array {
    const value = this.#canonical(status);
    return format === 'protobuf' ? encodeProtobufEnvelope(value, this.#type) : Buffer.from(encodeJson(value));
  }

  /** Omits the code of a plain success (200). */
  #canonical(status: Status): Record<string, unknown> {
    const isPlain = status.status === 'Success' && status.code === 200;
    return canonicalize(isPlain ? { ...status, code: 0 } : status, this.#type);
  }
}
