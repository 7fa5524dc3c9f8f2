import type { ClientCertificate } from '../../wire/http/index.ts';

export type { ClientCertificate };

/** What authenticates a client: a header, a certificate, both or neither. */
export interface Credential {
  /** The value of the `Authorization` header. */
  readonly authorization?: string;
  readonly certificate?: ClientCertificate;
}

/** A source of credentials, which may change while a client runs. */
export interface Credentials {
  /** The credential to use now. */
  current(signal: AbortSignal): Promise<Credential>;
  /** Called when the server answered 401 to `refused`. Returns whether `current` now gives another credential. */
  renew(refused: Credential, signal: AbortSignal): Promise<boolean>;
}

/** Credentials that never change. */
export class FixedCredentials implements Credentials {
  readonly #credential: Credential;

  constructor(credential: Credential = {}) {
    this.#credential = credential;
  }

  async current(): Promise<Credential> {
    return this.#credential;
  }

  async renew(): Promise<boolean> {
    return false;
  }
}

/** Combines sources, such as a token file and a certificate; the first source wins for each part. */
export class CombinedCredentials implements Credentials {
  readonly #sources: readonly Credentials[];

  constructor(sources: readonly Credentials[]) {
    this.#sources = sources;
  }

  async current(signal: AbortSignal): Promise<Credential> {
    let combined: Credential = {};
    for (const source of this.#sources) combined = { ...(await source.current(signal)), ...combined };
    return combined;
  }

  async renew(refused: Credential, signal: AbortSignal): Promise<boolean> {
    let isRenewed = false;
    for (const source of this.#sources) isRenewed = (await source.renew(refused, signal)) || isRenewed;
    return isRenewed;
  }
}

/** The `authorization` header of a token. */
export function bearer(token: string): string {
  return `Bearer ${token}`;
}

/** The `authorization` header of a user with a password. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
