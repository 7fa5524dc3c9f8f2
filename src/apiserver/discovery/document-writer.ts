import { Buffer } from 'node:buffer';
import {
  AGGREGATED_DISCOVERY,
  encodeJson,
  encodePrettyJson,
  encodeProtobuf,
  encodeYaml,
  wrapProtobuf,
} from '../../api/index.ts';
import type { TypeTable } from '../../api/index.ts';
import type { Answer } from '../answers/answer.ts';
import type { Negotiator } from '../answers/negotiator.ts';
import { noRouteFor, notAcceptable } from '../answers/not-acceptable.ts';
import { type Format, mediaTypes } from '../answers/representation.ts';
import type { Call } from '../request/call.ts';

/** The type fields of every discovery document. */
type TypedDocument = { readonly kind?: string; readonly apiVersion?: string };

/** Encodes discovery documents in the format that a client asks for. */
export class DocumentWriter {
  readonly #types: TypeTable;
  readonly #negotiator: Negotiator;

  constructor(types: TypeTable, negotiator: Negotiator) {
    this.#types = types;
    this.#negotiator = negotiator;
  }

  /** `isRoute`: the path is a route of a version; such routes have their own message for unsupported media types. */
  write(call: Call, document: TypedDocument, { isRoute = false }: { readonly isRoute?: boolean } = {}): Answer {
    const representation = this.#negotiator.forStatus(call, false);
    if (representation === undefined) throw isRoute ? noRouteFor(false) : notAcceptable();
    const { format, isPretty } = representation;
    call.record.audit?.answered(undefined, () => [Buffer.from(encodeJson(document))]);
    return {
      type: 'bytes',
      code: 200,
      contentType: mediaTypes[format],
      body: this.encode(document, format, isPretty),
    };
  }

  /** The document's text or bytes. */
  encode(document: TypedDocument, format: Format, isPretty = false): Uint8Array | string {
    switch (format) {
      case 'yaml':
        return encodeYaml(document);
      case 'protobuf': {
        const { kind = '', apiVersion = '' } = document;
        const isAggregated = apiVersion === `${AGGREGATED_DISCOVERY.group}/${AGGREGATED_DISCOVERY.version}`;
        const place = isAggregated ? 'io.k8s.api.apidiscovery.v2' : 'io.k8s.apimachinery.pkg.apis.meta.v1';
        const type = this.#types.struct(`${place}.${kind}`);
        return wrapProtobuf(encodeProtobuf(document, type), { apiVersion, kind });
      }
      default:
        return isPretty ? encodePrettyJson(document) : `${encodeJson(document)}\n`;
    }
  }
}
