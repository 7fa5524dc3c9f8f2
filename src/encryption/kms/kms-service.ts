import type { Clock, Logger, Random, UidSource } from '../../base/index.ts';
import { Channel, GrpcError } from '../../wire/grpc/index.ts';
import { annotationEntries, annotationsOf, type KmsAnnotations, kmsV2 } from '../../wire/kms/index.ts';

export interface KmsServiceOptions {
  /** `unix:///run/kms.sock` */
  readonly endpoint: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly uids: UidSource;
  readonly log: Logger;
}

export interface KmsStatus {
  readonly version: string;
  readonly healthz: string;
  readonly keyId: string;
}

/** A key as a plugin has encrypted it. */
export interface EncryptedKey {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: KmsAnnotations;
}

/** Max answer size; real answers are small. */
const MAX_ANSWER_BYTES = 128 * 1024;

/** A key management plugin behind a socket. Every call has a timeout, and failures are worded as Go's client does. */
export class KmsService implements AsyncDisposable {
  readonly #channel: Channel;
  readonly #options: KmsServiceOptions;

  constructor(options: KmsServiceOptions) {
    const { endpoint, clock, random, log } = options;
    this.#options = options;
    this.#channel = new Channel({ endpoints: [endpoint], clock, random, log, maxReceiveBytes: MAX_ANSWER_BYTES });
  }

  async status(signal?: AbortSignal): Promise<KmsStatus> {
    const answer = await this.#asked(this.#channel.call(kmsV2.status, {}, this.#limits(signal)));
    return { version: answer.version ?? '', healthz: answer.healthz ?? '', keyId: answer.keyId ?? '' };
  }

  async encrypt(plaintext: Uint8Array): Promise<EncryptedKey> {
    const request = { plaintext, uid: this.#options.uids.next() };
    const { ciphertext, keyId, annotations } = await this.#asked(
      this.#channel.call(kmsV2.encrypt, request, this.#limits()),
    );
    return {
      ciphertext: ciphertext ?? new Uint8Array(),
      keyId: keyId ?? '',
      annotations: annotationsOf(annotations),
    };
  }

  async decrypt({ ciphertext, keyId, annotations }: EncryptedKey): Promise<Uint8Array> {
    const uid = this.#options.uids.next();
    const request = { ciphertext, keyId, uid, annotations: annotationEntries(annotations) };
    const { plaintext } = await this.#asked(this.#channel.call(kmsV2.decrypt, request, this.#limits()));
    return plaintext ?? new Uint8Array();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#channel[Symbol.asyncDispose]();
  }

  #limits(signal?: AbortSignal): { readonly timeoutMs: number; readonly signal?: AbortSignal } {
    return { timeoutMs: this.#options.timeoutMs, ...(signal === undefined ? {} : { signal }) };
  }

  async #asked<T>(asking: Promise<T>): Promise<T> {
    try {
      return await asking;
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
      throw new Error(`rpc error: code = ${goName(error.code)} desc = ${error.message}`, { cause: error });
    }
  }
}

/** `DEADLINE_EXCEEDED` as `DeadlineExceeded`. */
function goName(code: string): string {
  if (code === 'CANCELLED') return 'Canceled';
  return code
    .split('_')
    .map((word) => word.slice(0, 1) + word.slice(1).toLowerCase())
    .join('');
}
