import { type Clock, messageOf } from '../../base/index.ts';
import { GrpcError, GrpcServer, type ServedMethod, unaryMethod } from '../../wire/grpc/index.ts';
import { annotationEntries, annotationsOf, kmsV2 } from '../../wire/kms/index.ts';
import type { KmsPluginOptions } from './kms-options.ts';

/** Answers API servers at the plugin's socket until it is disposed. */
export function serveKms(options: KmsPluginOptions, clock: Clock): Promise<AsyncDisposable> {
  return GrpcServer.listen({ address: `unix:${options.socket}`, methods: methodsOf(options), clock });
}

function methodsOf(options: KmsPluginOptions): readonly ServedMethod[] {
  const { encrypt, decrypt, healthz = () => 'ok' } = options;
  return [
    unaryMethod(kmsV2.status, () =>
      refusing(async () => ({ version: 'v2', healthz: await healthz(), keyId: await keyIdOf(options) })),
    ),
    unaryMethod(kmsV2.encrypt, ({ plaintext = new Uint8Array(), uid = '' }) =>
      refusing(async () => {
        const keyId = await keyIdOf(options);
        const answer = await encrypt(plaintext, { keyId, uid, annotations: {} });
        const { ciphertext, annotations = {} } = answer instanceof Uint8Array ? { ciphertext: answer } : answer;
        return { keyId, ciphertext, annotations: annotationEntries(annotations) };
      }),
    ),
    unaryMethod(kmsV2.decrypt, ({ ciphertext = new Uint8Array(), keyId = '', uid = '', annotations }) =>
      refusing(async () => ({
        plaintext: await decrypt(ciphertext, { keyId, uid, annotations: annotationsOf(annotations) }),
      })),
    ),
  ];
}

async function keyIdOf({ keyId }: KmsPluginOptions): Promise<string> {
  return typeof keyId === 'string' ? keyId : keyId();
}

/** Answers failures with their message, which the API server logs. */
async function refusing<T>(answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    throw error instanceof GrpcError ? error : new GrpcError('UNKNOWN', messageOf(error), { cause: error });
  }
}
