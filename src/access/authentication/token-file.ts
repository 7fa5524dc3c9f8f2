import { timingSafeEqual } from 'node:crypto';
import type { UserInfo } from '../../apiserver/index.ts';
import { type TokenAuthenticator, type TokenFinding, UNKNOWN } from './token-authenticator.ts';

/** A token file that cannot be parsed; the message names the line and the problem. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
}

/** Authenticates bearer tokens from a file of lines `token,user,uid[,"group1,group2"]`, the format of `--token-auth-file`. */
export class TokenFileAuthenticator implements TokenAuthenticator {
  readonly name = 'token file';
  readonly #users: readonly { readonly token: Buffer; readonly user: UserInfo }[];

  constructor(text: string) {
    this.#users = text
      .split('\n')
      .map((line, index) => [line.trim(), index + 1] as const)
      .filter(([line]) => line !== '' && !line.startsWith('#'))
      .map(([line, number]) => parseLine(line, number));
  }

  authenticate(token: string): TokenFinding {
    const shown = Buffer.from(token);
    for (const { token: known, user } of this.#users) {
      if (known.length === shown.length && timingSafeEqual(known, shown)) return { type: 'known', user };
    }
    return UNKNOWN;
  }
}

function parseLine(line: string, number: number): { readonly token: Buffer; readonly user: UserInfo } {
  const fields = [...line.matchAll(/\s*(?:"([^"]*)"|([^,]*))\s*(?:,|$)/g)].map((match) => match[1] ?? match[2] ?? '');
  const [token = '', name = '', uid = '', groups = ''] = fields;
  if (token === '' || name === '')
    throw new TokenFileError(`Cannot read token file: line ${number} needs token, user and uid`);
  const user = { name, uid, groups: groups.split(',').filter((group) => group !== '') };
  return { token: Buffer.from(token), user };
}
