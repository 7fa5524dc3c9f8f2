import type { Method } from '../grpc/index.ts';
import { bytes, type Field, type Message, MessageTable, nested, repeated, text } from '../protobuf/index.ts';

const annotation = new MessageTable({ key: text(1), value: bytes(2) });

/** Data that a plugin gets back when it decrypts. */
export type KmsAnnotations = Readonly<Record<string, Uint8Array>>;

/** A field `map<string, bytes>`, as a list of its entries. */
export const annotationsField = (
  number: number,
): Field<readonly Message<{ key: Field<string>; value: Field<Uint8Array> }>[]> => repeated(nested(number, annotation));

export function annotationsOf(
  entries: readonly { readonly key?: string; readonly value?: Uint8Array }[] = [],
): KmsAnnotations {
  return Object.fromEntries(entries.map(({ key = '', value = new Uint8Array() }) => [key, value]));
}

export function annotationEntries(annotations: KmsAnnotations): readonly { key: string; value: Uint8Array }[] {
  return Object.entries(annotations).map(([key, value]) => ({ key, value }));
}

const statusRequest = new MessageTable({});
const statusResponse = new MessageTable({ version: text(1), healthz: text(2), keyId: text(3) });
const decryptRequest = new MessageTable({
  ciphertext: bytes(1),
  uid: text(2),
  keyId: text(3),
  annotations: annotationsField(4),
});
const decryptResponse = new MessageTable({ plaintext: bytes(1) });
const encryptRequest = new MessageTable({ plaintext: bytes(1), uid: text(2) });
const encryptResponse = new MessageTable({ ciphertext: bytes(1), keyId: text(2), annotations: annotationsField(3) });

interface Annotation {
  readonly key?: string;
  readonly value?: Uint8Array;
}

/** The methods with their message types; written out, since older compilers infer other types from the tables. */
export interface KmsV2 {
  readonly status: Method<object, { readonly version?: string; readonly healthz?: string; readonly keyId?: string }>;
  readonly encrypt: Method<
    { readonly plaintext?: Uint8Array; readonly uid?: string },
    { readonly ciphertext?: Uint8Array; readonly keyId?: string; readonly annotations?: readonly Annotation[] }
  >;
  readonly decrypt: Method<
    {
      readonly ciphertext?: Uint8Array;
      readonly uid?: string;
      readonly keyId?: string;
      readonly annotations?: readonly Annotation[];
    },
    { readonly plaintext?: Uint8Array }
  >;
}

function method<Request, Response>(
  name: string,
  request: Method<Request, Response>['request'],
  response: Method<Request, Response>['response'],
): Method<Request, Response> {
  return { path: `/v2.KeyManagementService/${name}`, request, response };
}

/** The service of `k8s.io/kms/apis/v2`, with which an API server encrypts the keys that encrypt objects. */
export const kmsV2: KmsV2 = {
  status: method('Status', statusRequest, statusResponse),
  encrypt: method('Encrypt', encryptRequest, encryptResponse),
  decrypt: method('Decrypt', decryptRequest, decryptResponse),
};
