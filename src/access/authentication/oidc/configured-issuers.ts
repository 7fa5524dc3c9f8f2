import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { AnonymousRule } from '../../../apiserver/index.ts';
import { type Clock, type Logger, messageOf } from '../../../base/index.ts';
import { signatureAlgorithms } from '../jwt/signature-algorithms.ts';
import { type TokenAuthenticator, type TokenFinding, UNKNOWN } from '../token-authenticator.ts';
import { compileConfiguration } from './compile-configuration.ts';
import { AuthenticationConfigError, type AuthenticationConfiguration } from './configuration.ts';
import { IssuerTokens } from './issuer-tokens.ts';
import { readAuthenticationConfiguration } from './read-configuration.ts';

export interface ConfiguredAuthentication {
  readonly configuration: AuthenticationConfiguration;
  /** The file the configuration was read from; it is read again when it changes. */
  readonly file?: string;
  /** Accepted signature algorithms; default all that are safe. */
  readonly algorithms?: readonly string[];
}

export interface IssuerParts {
  /** Issuers of service accounts' tokens, which must not be configured again. */
  readonly reservedIssuers: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Upstream's interval for polling the file when it gets no notifications of changes. */
const POLL_INTERVAL_MS = 60_000;

/** Reads the file of `--authentication-config`. */
export function readConfigurationFile(file: string): ConfiguredAuthentication {
  try {
    return { configuration: readAuthenticationConfiguration(readFileSync(file, 'utf8')), file };
  } catch (cause) {
    throw new AuthenticationConfigError(`Cannot use "${file}": ${messageOf(cause)}`, { cause });
  }
}

/**
 * Authenticates the tokens of all configured issuers. A changed file is read again within a minute; when it is invalid, an error is logged
 * and the previous configuration stays in use. The rule for anonymous requests is fixed at the start.
 */
export class ConfiguredIssuers implements TokenAuthenticator, Disposable {
  readonly name = 'OpenID Connect';
  readonly anonymous: AnonymousRule | undefined;
  readonly #options: ConfiguredAuthentication;
  readonly #parts: IssuerParts;
  #issuers: readonly IssuerTokens[];
  #known: string | undefined;
  #timer: Disposable | undefined;
  #isOver = false;

  constructor(options: ConfiguredAuthentication, parts: IssuerParts) {
    this.#options = options;
    this.#parts = parts;
    this.#issuers = this.#compiled(options.configuration);
    const { anonymous } = options.configuration;
    this.anonymous =
      anonymous === undefined
        ? undefined
        : ({ path }) =>
            anonymous.enabled &&
            (anonymous.conditions.length === 0 || anonymous.conditions.some((condition) => condition.path === path));
    this.#known = JSON.stringify(options.configuration);
    if (options.file !== undefined) this.#lookLater(options.file);
  }

  async authenticate(token: string): Promise<TokenFinding> {
    for (const issuer of this.#issuers) {
      const finding = await issuer.authenticate(token);
      if (finding.type !== 'unknown') return finding;
    }
    return UNKNOWN;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
  }

  #compiled(configuration: AuthenticationConfiguration): readonly IssuerTokens[] {
    const { algorithms = signatureAlgorithms } = this.#options;
    const { clock, reservedIssuers } = this.#parts;
    return compileConfiguration(configuration, reservedIssuers).map(
      (jwt) => new IssuerTokens(jwt, { algorithms, clock }),
    );
  }

  #lookLater(file: string): void {
    this.#timer = this.#parts.clock.timer(POLL_INTERVAL_MS, () => void this.#look(file));
  }

  async #look(file: string): Promise<void> {
    try {
      const configuration = readAuthenticationConfiguration(await readFile(file, 'utf8'));
      const text = JSON.stringify(configuration);
      if (text !== this.#known) {
        this.#issuers = this.#compiled(configuration);
        this.#known = text;
        this.#parts.log.info('authentication configuration reloaded', { file, issuers: this.#issuers.length });
      }
    } catch (error) {
      this.#parts.log.error('authentication configuration cannot be used', { file, error: messageOf(error) });
    }
    if (!this.#isOver) this.#lookLater(file);
  }
}
