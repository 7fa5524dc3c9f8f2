import type { ApiObject, TypeTable } from '../../api/index.ts';
import type { TokenReview } from '../../api/types/authentication/v1.d.ts';
import {
  type Authenticator,
  type AnonymousRule,
  certificateAuthenticator,
  type ServerObjects,
  type WebhookClientOptions,
} from '../../apiserver/index.ts';
import { type Clock, type Duration, type Logger, millisecondsOf, type UidSource } from '../../base/index.ts';
import { ReviewWebhook } from '../review-webhook/review-webhook.ts';
import type { ConfiguredWebhook } from '../review-webhook/webhook-kubeconfig.ts';
import { AccountTokens } from '../service-accounts/account-tokens.ts';
import { LegacyTokenUse } from '../service-accounts/legacy-token-use.ts';
import { IssuerDiscovery } from '../service-accounts/issuer-discovery.ts';
import { TokenSigner } from '../service-accounts/token-signer.ts';
import { BearerAuthenticator } from './bearer-authenticator.ts';
import { CallTokens } from './call-tokens.ts';
import { BootstrapTokens } from './bootstrap-tokens.ts';
import { FrontProxyAuthenticator, type FrontProxyOptions, proxyHeaders } from './front-proxy.ts';
import { readVerificationKeys, type VerificationKey } from './jwt/verification-key.ts';
import { type ConfiguredAuthentication, ConfiguredIssuers } from './oidc/configured-issuers.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';
import { ChainReviewer, TokenChain } from './token-chain.ts';
import { TokenFileAuthenticator } from './token-file.ts';
import { TokenWebhook } from './token-webhook.ts';

/** How tokens of service accounts are issued and verified. */
export interface ServiceAccountTokenOptions {
  /** Tokens are issued in the name of the first one; tokens of all are accepted. */
  readonly issuers: readonly string[];
  /** PEM of the private key that signs tokens. */
  readonly signingKey: string;
  /** PEM of keys, public or private, whose signatures are accepted; default the signing key. */
  readonly keys?: readonly string[];
  /** The audiences of tokens that authenticate requests to this server; default the issuers. */
  readonly apiAudiences?: readonly string[];
  /** Maximum lifetime of a token. */
  readonly maxExpirationSeconds?: number;
  /** Whether tokens mounted into pods last for a year, so that programs which never reload theirs keep working; default true. */
  readonly extendsExpiration?: boolean;
  /** Where relying parties find the public keys; default at this server. */
  readonly keysUrl?: string;
}

export interface AuthenticationOptions {
  readonly serviceAccounts: ServiceAccountTokenOptions;
  readonly frontProxy?: FrontProxyOptions;
  /** Lines of the form `token,user,uid,"groups"`. */
  readonly tokenFile?: string;
  /** Whether bootstrap tokens, which are Secrets in kube-system and let new nodes join, are accepted; default false. */
  readonly bootstrapTokens?: boolean;
  /** Issuers of OpenID Connect, and which requests may be anonymous. */
  readonly configuration?: ConfiguredAuthentication;
  /** A webhook that authenticates tokens; asked last. */
  readonly tokenWebhook?: TokenWebhookSettings;
}

export interface TokenWebhookSettings {
  readonly webhook: ConfiguredWebhook;
  /** The version of TokenReview to send; default v1beta1, as upstream. */
  readonly version?: 'v1' | 'v1beta1';
  /** How long answers are cached; default two minutes. */
  readonly cacheTtl?: Duration;
}

export interface AuthenticationParts {
  /** Webhooks of this process, by the host in their URL; they are called without a connection. */
  readonly local?: WebhookClientOptions['local'];
  /** Knows the programs of this process; asked first. */
  readonly programs?: Authenticator;
  /** Additional authenticators, asked last, for requests and in TokenReviews. */
  readonly more?: readonly Authenticator[];
  readonly objects: ServerObjects;
  readonly types: TypeTable;
  readonly clock: Clock;
  readonly uids: UidSource;
  readonly log: Logger;
  /** Writes an object on behalf of the server itself. */
  readonly update: (path: string, object: ApiObject) => Promise<void>;
}

const YEAR_SECONDS = 365 * 24 * 3600;

/** All the ways in which a server authenticates requests, in upstream's order, and the handlers that need them. */
export class Authentication implements Disposable {
  readonly authenticators: readonly Authenticator[];
  readonly tokenReviewer: ChainReviewer;
  readonly tokenIssuer: TokenSigner;
  /** Which requests without credentials the configuration allows; undefined when it does not say. */
  readonly anonymous: AnonymousRule | undefined;
  /** Whether a header, by lower-case name, is one in which front proxies name the user. */
  readonly isProxyHeader: (name: string) => boolean;
  readonly #options: AuthenticationOptions;
  #keys: readonly VerificationKey[] | undefined;
  #webhook: ReviewWebhook<TokenReview> | undefined;
  #issuers: ConfiguredIssuers | undefined;

  constructor(options: AuthenticationOptions, parts: AuthenticationParts) {
    this.#options = options;
    const { serviceAccounts, frontProxy } = options;
    const { issuers, apiAudiences = issuers } = serviceAccounts;
    this.isProxyHeader = frontProxy === undefined ? () => false : proxyHeaders(frontProxy);
    this.tokenIssuer = signer(serviceAccounts, parts);
    const tokens = this.#tokenAuthenticators(apiAudiences, parts);
    const chain = new TokenChain(tokens);
    const { more = [], clock } = parts;
    const reviewed = more.length === 0 ? chain : new TokenChain([...tokens, new CallTokens(more, clock)]);
    this.tokenReviewer = new ChainReviewer(reviewed, apiAudiences);
    this.anonymous = this.#issuers?.anonymous;
    this.authenticators = [
      ...(parts.programs === undefined ? [] : [parts.programs]),
      ...(frontProxy === undefined ? [] : [new FrontProxyAuthenticator(frontProxy)]),
      certificateAuthenticator,
      new BearerAuthenticator(chain, apiAudiences),
      ...more,
    ];
  }

  /** Publishes how relying parties verify tokens of service accounts; `address` is the server's `host:port`. */
  issuerDiscovery(address: () => string): IssuerDiscovery {
    const { issuers, keysUrl } = this.#options.serviceAccounts;
    const keysAt = keysUrl === undefined ? {} : { keysUrl };
    return new IssuerDiscovery({ issuer: issuers[0] ?? '', ...keysAt, address, keys: () => this.keys });
  }

  /** The keys that verify tokens of service accounts. Parsed on first use: most servers never get such a token. */
  get keys(): readonly VerificationKey[] {
    return (this.#keys ??= keysOf(this.#options.serviceAccounts));
  }

  /** Parses all keys now; throws when one is invalid. */
  checkKeys(): void {
    void [this.keys, this.tokenIssuer.verification];
  }

  /** Closes connections to webhooks. */
  [Symbol.dispose](): void {
    this.#webhook?.[Symbol.dispose]();
    this.#issuers?.[Symbol.dispose]();
  }

  #tokenWebhook(apiAudiences: readonly string[], parts: AuthenticationParts): TokenAuthenticator | undefined {
    const { tokenWebhook } = this.#options;
    if (tokenWebhook === undefined) return undefined;
    const { webhook, version = 'v1beta1', cacheTtl } = tokenWebhook;
    this.#webhook = new ReviewWebhook({
      webhook,
      group: 'authentication.k8s.io',
      kind: 'TokenReview',
      version,
      ...parts,
    });
    const ttl = cacheTtl === undefined ? {} : { cacheTtlMs: millisecondsOf(cacheTtl) };
    return new TokenWebhook({ webhook: this.#webhook, apiAudiences, ...ttl, ...parts });
  }

  /** Local ones first, then those that call other servers. */
  #tokenAuthenticators(apiAudiences: readonly string[], parts: AuthenticationParts): readonly TokenAuthenticator[] {
    const { tokenFile, serviceAccounts, bootstrapTokens = false, configuration } = this.#options;
    const { objects, clock } = parts;
    const { issuers } = serviceAccounts;
    const webhook = this.#tokenWebhook(apiAudiences, parts);
    if (configuration !== undefined)
      this.#issuers = new ConfiguredIssuers(configuration, { reservedIssuers: issuers, ...parts });
    return [
      ...(tokenFile === undefined ? [] : [new TokenFileAuthenticator(tokenFile)]),
      new AccountTokens({
        issuers,
        keys: () => this.keys,
        apiAudiences,
        objects,
        clock,
        use: new LegacyTokenUse(parts),
      }),
      ...(bootstrapTokens ? [new BootstrapTokens(objects, clock)] : []),
      ...(this.#issuers === undefined ? [] : [this.#issuers]),
      ...(webhook === undefined ? [] : [webhook]),
    ];
  }
}

function signer(options: ServiceAccountTokenOptions, { uids }: AuthenticationParts): TokenSigner {
  const { issuers, signingKey, apiAudiences = issuers, maxExpirationSeconds, extendsExpiration = true } = options;
  return new TokenSigner({
    issuer: issuers[0] ?? '',
    privateKey: signingKey,
    uids,
    apiAudiences,
    ...(maxExpirationSeconds === undefined ? {} : { maxExpirationSeconds }),
    ...(extendsExpiration ? { extendedExpirationSeconds: YEAR_SECONDS } : {}),
  });
}

function keysOf({ signingKey, keys }: ServiceAccountTokenOptions): readonly VerificationKey[] {
  const found = (keys ?? [signingKey]).flatMap((pem) => readVerificationKeys(pem, 'service account keys'));
  return [...new Map(found.map((key) => [key.id, key])).values()];
}
