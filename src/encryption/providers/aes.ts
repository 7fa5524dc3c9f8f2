import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { OpenedValue } from '../../apiserver/index.ts';
import { secureBytes } from '../../base/index.ts';
import { fresh, type Provider, TOO_SHORT } from './provider.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BLOCK_BYTES = 16;

/** AES in Galois/counter mode with a random nonce, which is safe for at most 2³² writes with one key. */
export function aesGcm(prefix: string, secret: Uint8Array): Provider {
  return {
    prefix,
    seal: (value, key) => sealGcm(value, secret, Buffer.from(key)),
    open: (value, key) => fresh(openGcm(value, secret, Buffer.from(key))),
  };
}

/** Nonce, ciphertext and tag. */
export function sealGcm(value: Uint8Array, secret: Uint8Array, bound: Uint8Array): Buffer {
  const nonce = secureBytes(NONCE_BYTES);
  const cipher = createCipheriv(`aes-${bitsOf(secret)}-gcm`, secret, nonce);
  cipher.setAAD(bound);
  return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
}

export function openGcm(value: Uint8Array, secret: Uint8Array, bound: Uint8Array): Buffer {
  if (value.length < NONCE_BYTES) throw new Error(TOO_SHORT);
  const end = value.length - TAG_BYTES;
  if (end < NONCE_BYTES) throw new Error(NOT_AUTHENTIC);
  const options = { authTagLength: TAG_BYTES };
  const cipher = createDecipheriv(`aes-${bitsOf(secret)}-gcm`, secret, value.subarray(0, NONCE_BYTES), options);
  cipher.setAAD(bound);
  cipher.setAuthTag(value.subarray(end));
  const opened = cipher.update(value.subarray(NONCE_BYTES, end));
  try {
    cipher.final();
  } catch (cause) {
    throw new Error(NOT_AUTHENTIC, { cause });
  }
  return opened;
}

/** In Go's words. */
const NOT_AUTHENTIC = 'cipher: message authentication failed';

function bitsOf(secret: Uint8Array): 128 | 192 | 256 {
  return secret.length === 16 ? 128 : secret.length === 24 ? 192 : 256;
}

/** AES with cipher block chaining, which does not bind values to their key; upstream keeps it for old clusters. */
export function aesCbc(prefix: string, secret: Uint8Array): Provider {
  const algorithm = `aes-${bitsOf(secret)}-cbc`;
  return {
    prefix,
    seal(value) {
      const start = secureBytes(BLOCK_BYTES);
      const cipher = createCipheriv(algorithm, secret, start);
      return Buffer.concat([start, cipher.update(value), cipher.final()]);
    },
    open(value): OpenedValue {
      if (value.length < BLOCK_BYTES) throw new Error(TOO_SHORT);
      if (value.length % BLOCK_BYTES !== 0) throw new Error('the stored data is not a multiple of the block size');
      const cipher = createDecipheriv(algorithm, secret, value.subarray(0, BLOCK_BYTES)).setAutoPadding(false);
      return fresh(withoutPadding(Buffer.concat([cipher.update(value.subarray(BLOCK_BYTES)), cipher.final()])));
    },
  };
}

function withoutPadding(padded: Buffer): Buffer {
  const size = padded.at(-1) ?? 0;
  if (size === 0 || size > padded.length) throw new Error('invalid PKCS7 data (empty or not padded)');
  const end = padded.length - size;
  if (padded.subarray(end).some((byte) => byte !== size)) throw new Error('invalid padding on input');
  return padded.subarray(0, end);
}
