import type { ClientCertificate } from '../../wire/http/index.ts';

export type { ClientCertificate };

/** What a client shows to prove who it is: a header, a certificate, both or nothing. */
export interface Credential {
  /** The value of the `Authorization` header. */
  readonly authorization?: string;
  readonly certificate?: ClientCertificate;
}

/** Where credentials come from; they may change while a client runs. */
export interface Credentials {
  /** What to show now. */
  current(signal: AbortSignal): Promise<Credential>;
  /** The server answered 401 to `refused`: whether `current` has something else to offer now. */
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

/** Several sources at once, such as a token file and a certificate; the first one to offer something wins. */
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

export function bearer(token: string): string {
  return `Bearer ${token}`;
}

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
