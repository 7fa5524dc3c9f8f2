import { timingSafeEqual } from 'node:crypto';
import type { Call, UserInfo } from '../request/call.ts';
import type { Authenticator } from './authenticate.ts';

/** A token file that cannot be read: which line, and what is wrong with it. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
}

/** Bearer tokens from a file of lines `token,user,uid[,"group1,group2"]`, as `--token-auth-file` takes it. */
export class TokenFileAuthenticator implements Authenticator {
  readonly #users: readonly { readonly token: Buffer; readonly user: UserInfo }[];

  constructor(text: string) {
    this.#users = text
      .split('\n')
      .map((line, index) => [line.trim(), index + 1] as const)
      .filter(([line]) => line !== '' && !line.startsWith('#'))
      .map(([line, number]) => parseLine(line, number));
  }

  authenticate(call: Call): UserInfo | undefined | 'invalid' {
    const header = call.header('authorization') ?? '';
    if (!/^bearer /i.test(header)) return undefined;
    const shown = Buffer.from(header.slice('bearer '.length).trim());
    for (const { token, user } of this.#users) {
      if (token.length === shown.length && timingSafeEqual(token, shown)) return user;
    }
    return 'invalid';
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
