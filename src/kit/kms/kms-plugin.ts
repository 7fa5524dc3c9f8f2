import { chmod, rm } from 'node:fs/promises';
import { aborted, type Clock, messageOf, RealClock, type Runnable } from '../../base/index.ts';
import { GrpcError, GrpcServer, type ServedMethod, unaryMethod } from '../../wire/grpc/index.ts';
import { annotationEntries, annotationsOf, type KmsAnnotations, kmsV2 } from '../../wire/kms/index.ts';

/** What a plugin is asked about. */
export interface KmsContext {
  /** The name of the key that shall be used, or was. */
  readonly keyId: string;
  /** What the plugin has said when it encrypted this; empty when it encrypts. */
  readonly annotations: KmsAnnotations;
  /** Names the request in the API server's log. */
  readonly uid: string;
}

/** A ciphertext with what the plugin wants to be told again when it decrypts it; keys are domain names. */
export interface KmsCiphertext {
  readonly ciphertext: Uint8Array;
  readonly annotations?: KmsAnnotations;
}

export interface KmsPluginOptions {
  /** Path of the Unix socket to listen on. What lies there is replaced; only the owner may connect. */
  readonly socket: string;
  /** The name of the key that encrypts now. When it changes, API servers write with the new one within a minute or so. */
  readonly keyId: string | (() => string | Promise<string>);
  /** Encrypts a key of an API server, which is 32 bytes long; the ciphertext has at most 1 KiB. */
  encrypt(plaintext: Uint8Array, context: KmsContext): KmsAnswer<Uint8Array | KmsCiphertext>;
  /** Decrypts it again, maybe with a key that is no longer in use. Throwing refuses it with the error's message. */
  decrypt(ciphertext: Uint8Array, context: KmsContext): KmsAnswer<Uint8Array>;
  /** Why the plugin is of no use now; `ok` when it is, which it is unless given. */
  healthz?(): KmsAnswer<string>;
  readonly clock?: Clock;
}

type KmsAnswer<T> = T | Promise<T>;

/** A key management plugin (KMS v2): API servers ask it to encrypt the keys that they encrypt objects with. */
export function kmsPlugin(options: KmsPluginOptions): KmsPlugin {
  return new KmsPlugin(options);
}

export class KmsPlugin implements Runnable {
  readonly #options: KmsPluginOptions;
  #isListening = false;
  #waiting: (() => void)[] = [];

  constructor(options: KmsPluginOptions) {
    this.#options = options;
  }

  /** What stands in the `endpoint` of an EncryptionConfiguration. */
  get endpoint(): string {
    return `unix://${this.#options.socket}`;
  }

  /** Resolves when API servers can come. */
  listening(): Promise<void> {
    return this.#isListening ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** An EncryptionConfiguration that has this plugin encrypt some resources; what is not encrypted yet can still be read. */
  configuration(resources: readonly string[] = ['secrets'], name = 'keelson'): string {
    const kms = { apiVersion: 'v2', name, endpoint: this.endpoint };
    const configuration = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources, providers: [{ kms }, { identity: {} }] }],
    };
    return `${JSON.stringify(configuration, undefined, 2)}\n`;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { socket, clock = new RealClock() } = this.#options;
    await rm(socket, { force: true });
    await using _server = await GrpcServer.listen({ address: `unix:${socket}`, methods: this.#methods(), clock });
    await chmod(socket, 0o600);
    this.#isListening = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
    await aborted(signal);
    this.#isListening = false;
  }

  #methods(): readonly ServedMethod[] {
    const { encrypt, decrypt, healthz = () => 'ok' } = this.#options;
    return [
      unaryMethod(kmsV2.status, () =>
        refusing(async () => ({ version: 'v2', healthz: await healthz(), keyId: await this.#keyId() })),
      ),
      unaryMethod(kmsV2.encrypt, ({ plaintext = new Uint8Array(), uid = '' }) =>
        refusing(async () => {
          const keyId = await this.#keyId();
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

  async #keyId(): Promise<string> {
    const { keyId } = this.#options;
    return typeof keyId === 'string' ? keyId : keyId();
  }
}

/** What goes wrong is told to the API server, which tells it to whoever reads its log. */
async function refusing<T>(answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    throw error instanceof GrpcError ? error : new GrpcError('UNKNOWN', messageOf(error), { cause: error });
  }
}
