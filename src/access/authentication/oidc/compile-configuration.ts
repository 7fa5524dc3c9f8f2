import {
  domainPrefixedPathProblems,
  duplicate,
  type FieldError,
  fieldErrorText,
  invalidValue,
  required,
} from '../../../api/index.ts';
import {
  ANY,
  authenticationEnvironment,
  BOOL,
  type CheckedExpression,
  compileAuthenticationExpression,
  type Program,
} from '../../../cel/index.ts';
import {
  AuthenticationConfigError,
  type AuthenticationConfiguration,
  type JwtConfiguration,
  type Mapping,
  type PrefixedMapping,
} from './configuration.ts';
import { issuerProblems } from './check-issuer.ts';

/** A compiled expression. */
export interface CompiledExpression {
  readonly text: string;
  readonly program: Program;
  readonly checked: CheckedExpression;
}

export interface CompiledRule extends CompiledExpression {
  readonly message: string;
}

/** One issuer's configuration with its compiled expressions. */
export interface CompiledJwt {
  readonly configuration: JwtConfiguration;
  readonly username: CompiledExpression | undefined;
  readonly groups: CompiledExpression | undefined;
  readonly uid: CompiledExpression | undefined;
  readonly extra: readonly (CompiledExpression & { readonly key: string })[];
  readonly claimRules: readonly CompiledRule[];
  readonly userRules: readonly CompiledRule[];
}

/** Validates a configuration as upstream does, and compiles its expressions; throws one error that lists all problems. */
export function compileConfiguration(
  { jwt, anonymous }: AuthenticationConfiguration,
  reservedIssuers: readonly string[],
): readonly CompiledJwt[] {
  const errors: FieldError[] = [];
  if (jwt.length > MAX_ISSUERS) errors.push(invalidValue('jwt', jwt.length, `must have at most ${MAX_ISSUERS} items`));
  const compiled = jwt.slice(0, MAX_ISSUERS).map((one, index) => {
    const compiler = new JwtCompiler(`jwt[${index}]`, errors);
    errors.push(...issuerProblems(jwt, index, reservedIssuers));
    return compiler.compile(one);
  });
  if (anonymous !== undefined && !anonymous.enabled && anonymous.conditions.length > 0) {
    const why = 'enabled should be set to true when conditions are defined';
    errors.push(invalidValue('anonymous.conditions', anonymous.conditions, why));
  }
  if (errors.length === 0) return compiled;
  const texts = errors.map(fieldErrorText);
  throw new AuthenticationConfigError(texts.length === 1 ? texts.join() : `[${texts.join(', ')}]`);
}

const MAX_ISSUERS = 64;

const EMAIL_RULE =
  'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';

class JwtCompiler {
  readonly #path: string;
  readonly #errors: FieldError[];

  constructor(path: string, errors: FieldError[]) {
    this.#path = path;
    this.#errors = errors;
  }

  compile(configuration: JwtConfiguration): CompiledJwt {
    const { claimMappings } = configuration;
    const claimRules = this.#claimRules(configuration);
    const path = `${this.#path}.claimMappings`;
    const username = this.#prefixed(claimMappings.username, `${path}.username`, true);
    const groups = this.#prefixed(claimMappings.groups, `${path}.groups`, false);
    const uid = this.#uid(claimMappings.uid, `${path}.uid`);
    const extra = this.#extra(configuration, `${path}.extra`);
    const isVerified = [username, ...extra, ...claimRules].some((one) =>
      one?.checked.selects('claims', 'email_verified'),
    );
    if (username?.checked.selects('claims', 'email') === true && !isVerified)
      this.#errors.push(invalidValue(`${path}.username.expression`, username.text, EMAIL_RULE));
    return { configuration, username, groups, uid, extra, claimRules, userRules: this.#userRules(configuration) };
  }

  #claimRules({ claimValidationRules }: JwtConfiguration): readonly CompiledRule[] {
    const seen = new Set<string>();
    return claimValidationRules.flatMap(({ claim, expression, requiredValue, message }, index) => {
      const path = `${this.#path}.claimValidationRules[${index}]`;
      const what = claim === '' ? `expression ${expression}` : `claim ${claim}`;
      if (claim !== '' && expression !== '') {
        this.#errors.push(invalidValue(path, claim, "claim and expression can't both be set"));
      } else if (claim === '' && expression === '') {
        this.#errors.push(required(path, 'claim or expression is required'));
      } else if (claim !== '' && message !== '') {
        this.#errors.push(invalidValue(`${path}.message`, message, 'may not be specified when claim is set'));
      } else if (expression !== '' && requiredValue !== '') {
        const why = 'may not be specified when expression is set';
        this.#errors.push(invalidValue(`${path}.requiredValue`, requiredValue, why));
      } else if (seen.has(what)) {
        this.#errors.push(
          claim === '' ? duplicate(`${path}.expression`, expression) : duplicate(`${path}.claim`, claim),
        );
      } else if (expression !== '') {
        seen.add(what);
        const compiled = this.#expression('claims', expression, { path: `${path}.expression`, isRule: true });
        return compiled === undefined ? [] : [{ ...compiled, message }];
      }
      seen.add(what);
      return [];
    });
  }

  #userRules({ userValidationRules }: JwtConfiguration): readonly CompiledRule[] {
    const seen = new Set<string>();
    return userValidationRules.flatMap(({ expression, message }, index) => {
      const path = `${this.#path}.userValidationRules[${index}].expression`;
      if (expression === '') this.#errors.push(required(path));
      if (seen.has(expression)) this.#errors.push(duplicate(path, expression));
      if (expression === '' || seen.has(expression)) return [];
      seen.add(expression);
      const compiled = this.#expression('user', expression, { path, isRule: true });
      return compiled === undefined ? [] : [{ ...compiled, message }];
    });
  }

  #prefixed(
    { claim, expression, prefix }: PrefixedMapping,
    path: string,
    isRequired: boolean,
  ): CompiledExpression | undefined {
    if (claim !== '' && expression !== '') {
      this.#errors.push(invalidValue(path, '', "claim and expression can't both be set"));
    } else if (claim === '' && expression === '') {
      if (isRequired) this.#errors.push(required(path, 'claim or expression is required'));
    } else if (expression !== '') {
      if (prefix !== undefined)
        this.#errors.push(invalidValue(`${path}.prefix`, prefix, 'may not be specified when expression is set'));
      return this.#expression('claims', expression, { path: `${path}.expression` });
    } else if (prefix === undefined) {
      const why = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing';
      this.#errors.push(required(`${path}.prefix`, why));
    }
    return undefined;
  }

  #uid({ claim, expression }: Mapping, path: string): CompiledExpression | undefined {
    if (claim !== '' && expression !== '')
      this.#errors.push(invalidValue(path, '', "claim and expression can't both be set"));
    return claim !== '' || expression === ''
      ? undefined
      : this.#expression('claims', expression, { path: `${path}.expression` });
  }

  #extra({ claimMappings }: JwtConfiguration, path: string): CompiledJwt['extra'] {
    const seen = new Set<string>();
    return claimMappings.extra.flatMap(({ key, valueExpression }, index) => {
      const place = `${path}[${index}]`;
      this.#errors.push(...keyProblems(`${place}.key`, key));
      if (seen.has(key)) this.#errors.push(duplicate(`${place}.key`, key));
      else if (valueExpression === '') this.#errors.push(required(`${place}.valueExpression`));
      const isNew = !seen.has(key);
      seen.add(key);
      if (!isNew || valueExpression === '') return [];
      const compiled = this.#expression('claims', valueExpression, { path: `${place}.valueExpression` });
      return compiled === undefined ? [] : [{ ...compiled, key }];
    });
  }

  #expression(
    variable: 'claims' | 'user',
    text: string,
    { path, isRule = false }: { readonly path: string; readonly isRule?: boolean },
  ): CompiledExpression | undefined {
    const result = compileAuthenticationExpression(authenticationEnvironment(variable), text, [isRule ? BOOL : ANY]);
    if (result.ok) return { text, program: result.program, checked: result.expression };
    this.#errors.push(invalidValue(path, text, result.problem.detail));
    return undefined;
  }
}

function keyProblems(path: string, key: string): readonly FieldError[] {
  const errors = domainPrefixedPathProblems(key).map((problem) =>
    problem.type === 'Required' ? required(path) : invalidValue(path, problem.value, problem.detail),
  );
  if (key !== key.toLowerCase()) errors.push(invalidValue(path, key, 'must be lowercase'));
  if (/^([^/]*\.)?(k8s|kubernetes)\.io\//.test(key))
    errors.push(invalidValue(path, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use'));
  return errors;
}
