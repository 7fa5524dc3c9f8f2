import { YamlBody } from '../../../api/index.ts';
import { messageOf } from '../../../base/index.ts';
import {
  AuthenticationConfigError,
  type AuthenticationConfiguration,
  type IssuerConfiguration,
  type JwtConfiguration,
  type PrefixedMapping,
} from './configuration.ts';

const GROUP = 'apiserver.config.k8s.io';
const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'];

/** Reads an AuthenticationConfiguration in YAML or JSON; what it does not know is refused. */
export function readAuthenticationConfiguration(text: string): AuthenticationConfiguration {
  const root = new Members(parse(text), '');
  const [apiVersion, kind] = [root.text('apiVersion'), root.text('kind')];
  if (kind !== 'AuthenticationConfiguration' || !VERSIONS.some((version) => apiVersion === `${GROUP}/${version}`)) {
    throw new AuthenticationConfigError(
      `expected AuthenticationConfiguration of ${GROUP}/v1, got "${kind}" of "${apiVersion}"`,
    );
  }
  const anonymous = root.object('anonymous');
  const configuration = {
    jwt: root.list('jwt').map(readJwt),
    ...(anonymous === undefined
      ? {}
      : {
          anonymous: anonymous.done({
            enabled: anonymous.flag('enabled'),
            conditions: anonymous.list('conditions').map((one) => one.done({ path: one.text('path') })),
          }),
        }),
  };
  return root.done(configuration);
}

function readJwt(jwt: Members): JwtConfiguration {
  const mappings = jwt.object('claimMappings') ?? new Members({}, jwt.at('claimMappings'));
  return jwt.done({
    issuer: readIssuer(jwt.object('issuer') ?? new Members({}, jwt.at('issuer'))),
    claimValidationRules: jwt.list('claimValidationRules').map((rule) =>
      rule.done({
        claim: rule.text('claim'),
        requiredValue: rule.text('requiredValue'),
        expression: rule.text('expression'),
        message: rule.text('message'),
      }),
    ),
    claimMappings: mappings.done({
      username: readMapping(mappings, 'username'),
      groups: readMapping(mappings, 'groups'),
      uid: readMapping(mappings, 'uid'),
      extra: mappings
        .list('extra')
        .map((one) => one.done({ key: one.text('key'), valueExpression: one.text('valueExpression') })),
    }),
    userValidationRules: jwt
      .list('userValidationRules')
      .map((rule) => rule.done({ expression: rule.text('expression'), message: rule.text('message') })),
  });
}

function readIssuer(issuer: Members): IssuerConfiguration {
  return issuer.done({
    url: issuer.text('url'),
    discoveryURL: issuer.text('discoveryURL'),
    certificateAuthority: issuer.text('certificateAuthority'),
    audiences: issuer.texts('audiences'),
    audienceMatchPolicy: issuer.text('audienceMatchPolicy'),
  });
}

function readMapping(mappings: Members, name: string): PrefixedMapping {
  const mapping = mappings.object(name);
  if (mapping === undefined) return { claim: '', expression: '', prefix: undefined };
  return mapping.done({
    claim: mapping.text('claim'),
    expression: mapping.text('expression'),
    prefix: name === 'uid' ? undefined : mapping.optionalText('prefix'),
  });
}

function parse(text: string): unknown {
  try {
    return new YamlBody(text).untyped();
  } catch (cause) {
    throw new AuthenticationConfigError(`it is not YAML: ${messageOf(cause)}`, { cause });
  }
}

/** The members of one object; each is taken once, and those that nobody takes are unknown. */
class Members {
  readonly #path: string;
  readonly #left: Map<string, unknown>;

  constructor(value: unknown, path: string) {
    this.#path = path;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#wrong('', 'an object');
    this.#left = new Map(Object.entries(value));
  }

  at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  text(name: string): string {
    return this.optionalText(name) ?? '';
  }

  optionalText(name: string): string | undefined {
    const value = this.#take(name);
    if (value !== undefined && typeof value !== 'string') throw this.#wrong(name, 'a string');
    return value;
  }

  flag(name: string): boolean {
    const value = this.#take(name) ?? false;
    if (typeof value !== 'boolean') throw this.#wrong(name, 'true or false');
    return value;
  }

  texts(name: string): readonly string[] {
    const value = this.#take(name) ?? [];
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
      throw this.#wrong(name, 'a list of strings');
    return value;
  }

  object(name: string): Members | undefined {
    const value = this.#take(name);
    return value === undefined ? undefined : new Members(value, this.at(name));
  }

  list(name: string): readonly Members[] {
    const value = this.#take(name) ?? [];
    if (!Array.isArray(value)) throw this.#wrong(name, 'a list');
    return value.map((one, index) => new Members(one, `${this.at(name)}[${index}]`));
  }

  /** The result, after all members have been taken. */
  done<T>(result: T): T {
    const [unknown] = this.#left.keys();
    if (unknown !== undefined) throw new AuthenticationConfigError(`unknown field "${this.at(unknown)}"`);
    return result;
  }

  #take(name: string): unknown {
    const value = this.#left.get(name) ?? undefined;
    this.#left.delete(name);
    return value;
  }

  #wrong(name: string, expected: string): AuthenticationConfigError {
    return new AuthenticationConfigError(`"${name === '' ? this.#path : this.at(name)}" is not ${expected}`);
  }
}
