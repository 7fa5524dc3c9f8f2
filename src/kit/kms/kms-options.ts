import type { Clock } from '../../base/index.ts';
import type { KmsAnnotations } from '../../wire/kms/index.ts';

/** The context of a call to a plugin. */
export interface KmsContext {
  /** The name of the key to use, or that was used. */
  readonly keyId: string;
  /** The annotations that the plugin returned when it encrypted this; empty when it encrypts. */
  readonly annotations: KmsAnnotations;
  /** Identifies the request in the API server's log. */
  readonly uid: string;
}

/** A ciphertext with annotations, which the plugin gets back when it decrypts it; their keys are domain names. */
export interface KmsCiphertext {
  readonly ciphertext: Uint8Array;
  readonly annotations?: KmsAnnotations;
}

export interface KmsPluginOptions {
  /** Path of the Unix socket to listen on. An existing file is replaced; only the owner may connect. */
  readonly socket: string;
  /** The name of the current encryption key. When it changes, API servers write with the new key within about a minute. */
  readonly keyId: string | (() => string | Promise<string>);
  /** Encrypts an API server's key of 32 bytes; the ciphertext may have at most 1 KiB. */
  encrypt(plaintext: Uint8Array, context: KmsContext): KmsAnswer<Uint8Array | KmsCiphertext>;
  /** Decrypts it, possibly with a key that is no longer current. Throwing refuses with the error's message. */
  decrypt(ciphertext: Uint8Array, context: KmsContext): KmsAnswer<Uint8Array>;
  /** Why the plugin is not usable now; default `ok`. */
  healthz?(): KmsAnswer<string>;
  readonly clock?: Clock;
}

type KmsAnswer<T> = T | Promise<T>;
