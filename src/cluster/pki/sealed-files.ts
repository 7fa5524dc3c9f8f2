import { createCipheriv, createDecipheriv, scryptSync } from 'node:crypto';
import type { Random } from '../../base/index.ts';

/** Texts by their file names. */
export type FileTexts = Readonly<Record<string, string>>;

/** A token as kubeadm has them: six characters that name it, and sixteen that are secret. */
export interface JoinToken {
  readonly id: string;
  readonly secret: string;
}

/** Encrypted files, as they are stored. */
export interface SealedFiles {
  readonly tokenId: string;
  readonly salt: string;
  readonly nonce: string;
  readonly data: string;
}

const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;

/** Reads `abcdef.0123456789abcdef`; undefined when it is not of that form. */
export function parseJoinToken(text: string): JoinToken | undefined {
  const [, id, secret] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Encrypts the files with a key made of the token's secret. */
export function sealFiles(files: FileTexts, token: JoinToken, random: Random): SealedFiles {
  const [salt, nonce] = [random.bytes(16), random.bytes(12)];
  const cipher = createCipheriv(CIPHER, keyOf(token, salt), nonce).setAAD(Buffer.from(token.id));
  const data = Buffer.concat([cipher.update(JSON.stringify(files)), cipher.final(), cipher.getAuthTag()]);
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  return { tokenId: token.id, salt: text(salt), nonce: text(nonce), data: text(data) };
}

/** The files; undefined when the token is not the one that they were sealed with, or they were changed since. */
export function openFiles(sealed: SealedFiles, token: JoinToken): FileTexts | undefined {
  if (sealed.tokenId !== token.id) return undefined;
  const [salt, nonce, data] = [sealed.salt, sealed.nonce, sealed.data].map((text) => Buffer.from(text, 'base64'));
  if (salt === undefined || nonce === undefined || data === undefined || data.length < TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(token, salt), nonce).setAAD(Buffer.from(token.id));
    decipher.setAuthTag(data.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(data.subarray(0, -TAG_BYTES)), decipher.final()]);
    return JSON.parse(plain.toString('utf8')) as FileTexts;
  } catch {
    return undefined; // the tag does not fit
  }
}

function keyOf({ secret }: JoinToken, salt: Uint8Array): Buffer {
  return scryptSync(secret, salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 });
}
