import { timingSafeEqual } from 'node:crypto';
import { secureBytes } from '../../base/index.ts';
import { poly1305 } from './poly1305.ts';
import { fresh, type Provider, TOO_SHORT } from './provider.ts';
import { xsalsa20 } from './salsa20.ts';

const NONCE_BYTES = 24;
const TAG_BYTES = 16;
/** The beginning of the stream is the key of the tag. */
const TAG_KEY_BYTES = 32;

/** NaCl's secretbox, XSalsa20 with Poly1305, which binds values to nothing. */
export function secretbox(prefix: string, secret: Uint8Array): Provider {
  return {
    prefix,
    seal(value) {
      const nonce = secureBytes(NONCE_BYTES);
      return Buffer.concat([nonce, sealBox(value, nonce, secret)]);
    },
    open(value) {
      if (value.length < NONCE_BYTES + TAG_BYTES) throw new Error(TOO_SHORT);
      const opened = openBox(value.subarray(NONCE_BYTES), value.subarray(0, NONCE_BYTES), secret);
      // Upstream has these words for a box that is not authentic.
      if (opened === undefined) throw new Error('output array was not large enough for encryption');
      return fresh(opened);
    },
  };
}

/** Tag and ciphertext. */
export function sealBox(value: Uint8Array, nonce: Uint8Array, secret: Uint8Array): Buffer {
  const stream = xsalsa20(secret, nonce, TAG_KEY_BYTES + value.length);
  const sealed = combined(value, stream.subarray(TAG_KEY_BYTES));
  return Buffer.concat([poly1305(sealed, stream.subarray(0, TAG_KEY_BYTES)), sealed]);
}

/** Undefined for a box that is not authentic. */
export function openBox(box: Uint8Array, nonce: Uint8Array, secret: Uint8Array): Buffer | undefined {
  const sealed = box.subarray(TAG_BYTES);
  const tag = poly1305(sealed, xsalsa20(secret, nonce, TAG_KEY_BYTES));
  if (!timingSafeEqual(tag, box.subarray(0, TAG_BYTES))) return undefined;
  return combined(sealed, xsalsa20(secret, nonce, TAG_KEY_BYTES + sealed.length).subarray(TAG_KEY_BYTES));
}

function combined(value: Uint8Array, stream: Uint8Array): Buffer {
  const result = Buffer.allocUnsafe(value.length);
  for (let index = 0; index < value.length; index++) result[index] = (value[index] ?? 0) ^ (stream[index] ?? 0);
  return result;
}
