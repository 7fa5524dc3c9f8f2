import type { ServiceAccount } from '../../../api/types/core/v1.d.ts';
import type { TokenRequest } from '../../../api/types/authentication/v1.d.ts';
import type { Clock } from '../../../base/index.ts';
import { bearer, type Client, type Credential, type Credentials, hasReason } from '../../../client/index.ts';

const NAMESPACE = 'kube-system';
const LIFE_SECONDS = 3600;
/** A token is replaced after this part of its lifetime. */
const RENEW_AT = 0.8;

/** Clients of service accounts in kube-system, which are made where they are missing, one for each account. */
export class ServiceAccountClients implements AsyncDisposable {
  readonly #own: Client;
  readonly #connect: (credentials: Credentials) => Client;
  readonly #clients = new Map<string, Client>();

  /** `own` asks for the tokens; `connect` makes a client with other credentials. */
  constructor(own: Client, connect: (credentials: Credentials) => Client) {
    this.#own = own;
    this.#connect = connect;
  }

  clientFor(account: string): Client {
    const known = this.#clients.get(account) ?? this.#connect(new AccountCredentials(this.#own, account));
    this.#clients.set(account, known);
    return known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients.values()) await client[Symbol.asyncDispose]();
  }
}

interface HeldToken {
  readonly credential: Credential;
  readonly renewAtMs: number;
}

/** A token of a service account, asked for when it is needed and again before it expires. */
class AccountCredentials implements Credentials {
  readonly #client: Client;
  readonly #account: string;
  readonly #clock: Clock;
  #held: Promise<HeldToken> | undefined;

  constructor(client: Client, account: string) {
    this.#client = client;
    this.#account = account;
    this.#clock = client.clock;
  }

  async current(): Promise<Credential> {
    const held = await (this.#held ?? this.#ask());
    if (this.#clock.now() < held.renewAtMs) return held.credential;
    return (await this.#ask()).credential;
  }

  async renew(): Promise<boolean> {
    await this.#ask();
    return true;
  }

  #ask(): Promise<HeldToken> {
    const asked = this.#request();
    this.#held = asked;
    asked.catch(() => {
      if (this.#held === asked) this.#held = undefined;
    });
    return asked;
  }

  async #request(): Promise<HeldToken> {
    const accounts = this.#client.core.v1.serviceaccounts.namespace(NAMESPACE);
    const tokens = accounts.subresource<TokenRequest>('token');
    const wish: TokenRequest = { spec: { audiences: [], expirationSeconds: LIFE_SECONDS } };
    const askedAtMs = this.#clock.now();
    const { status } = await tokens.create(this.#account, wish).catch(async (error: unknown) => {
      if (!hasReason(error, 'NotFound')) throw error;
      const missing: ServiceAccount = { metadata: { name: this.#account } };
      await accounts.create(missing).catch((refusal: unknown) => {
        if (!hasReason(refusal, 'AlreadyExists')) throw refusal;
      });
      return await tokens.create(this.#account, wish);
    });
    const lifeMs = Date.parse(status?.expirationTimestamp ?? '') - askedAtMs;
    return {
      credential: { authorization: bearer(status?.token ?? '') },
      renewAtMs: askedAtMs + RENEW_AT * (Number.isNaN(lifeMs) ? LIFE_SECONDS * 1000 : lifeMs),
    };
  }
}
