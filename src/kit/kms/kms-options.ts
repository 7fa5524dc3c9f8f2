import type { Clock } from '../../base/index.ts';
import type { KmsAnnotations } from '../../wire/kms/index.ts';

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
  /** Why the plugin cannot be used now; default `ok`. */
  healthz?(): KmsAnswer<string>;
  readonly clock?: Clock;
}

type KmsAnswer<T> = T | Promise<T>;
