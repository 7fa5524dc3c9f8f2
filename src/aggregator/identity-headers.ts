import type { UserInfo } from '../apiserver/index.ts';

type Headers = Record<string, string | readonly string[]>;

/** The headers with which a front proxy identifies the user. */
export function identityHeaders({ name, uid = '', groups, extra = {} }: UserInfo): Headers {
  const headers: Headers = { 'x-remote-user': headerValue(name) };
  if (uid !== '') headers['x-remote-uid'] = headerValue(uid);
  if (groups.length > 0) headers['x-remote-group'] = groups.map(headerValue);
  for (const [key, values] of Object.entries(extra)) {
    if (values.length > 0) headers[`x-remote-extra-${escapedKey(key)}`] = values.map(headerValue);
  }
  return headers;
}

/** Whether a header, by its lower-case name, is one of `identityHeaders`. */
export function isIdentityHeader(name: string): boolean {
  return /^x-remote-(user|uid|group|extra-.*)$/.test(name);
}

/** The encoding on the wire: Node sends one byte per character. */
function headerValue(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Escapes characters that header names cannot have, and the percent sign. */
function escapedKey(key: string): string {
  const escape = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return key
    .toLowerCase()
    .replace(/[^!#$&'*+\-.^_`|~0-9a-z]/gu, (character) => Array.from(Buffer.from(character), escape).join(''));
}
