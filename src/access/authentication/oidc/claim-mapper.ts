import { claimsValue, isList, listAt, listSize, type Program, userInfoValue, type Value } from '../../../cel/index.ts';
import type { UserInfo } from '../../../apiserver/index.ts';
import { CREDENTIAL_ID_KEY } from '../../service-accounts/account-user.ts';
import type { CompiledExpression, CompiledJwt, CompiledRule } from './compile-configuration.ts';

type Claims = Readonly<Record<string, unknown>>;

/** The token's claims do not define a user; the message is upstream's. */
export class ClaimError extends Error {
  override readonly name = 'ClaimError';
}

/** Maps a token's claims to a user, by its issuer's configuration. Throws `ClaimError` when they do not define one. */
export function userFrom(claims: Claims, jwt: CompiledJwt): UserInfo {
  const bindings = { claims: claimsValue(claims) };
  const name = usernameFrom(claims, jwt, bindings);
  const groups = groupsFrom(claims, jwt, bindings);
  const uid = uidFrom(claims, jwt, bindings);
  const extra = extraFrom(claims, jwt, bindings);
  checkRequiredClaims(claims, jwt);
  checkRules(jwt.claimRules, bindings, 'claim validation expression');
  const user = { username: name, uid, groups, extra };
  checkRules(jwt.userRules, { user: userInfoValue(user) }, 'user info validation rule');
  return { name, ...(uid === '' ? {} : { uid }), groups, ...(Object.keys(extra).length === 0 ? {} : { extra }) };
}

type Bindings = Parameters<Program['evaluate']>[0];

function usernameFrom(claims: Claims, { username, configuration }: CompiledJwt, bindings: Bindings): string {
  if (username !== undefined) {
    const value = evaluated(username, bindings, 'username claim expression');
    if (typeof value !== 'string')
      throw new ClaimError(
        'oidc: error evaluating username claim expression: username claim expression must return a string',
      );
    if (value === '') throw new ClaimError('oidc: empty username via CEL expression is not allowed');
    return value;
  }
  const { claim, prefix = '' } = configuration.claimMappings.username;
  const name = textClaim(claims, claim, `oidc: parse username claims ${JSON.stringify(claim)}`);
  const { email_verified: isVerified } = claims;
  if (claim === 'email' && isVerified !== undefined) {
    if (typeof isVerified !== 'boolean') throw new ClaimError("oidc: parse 'email_verified' claim: it is no boolean");
    if (!isVerified) throw new ClaimError('oidc: email not verified');
  }
  return prefix + name;
}

function groupsFrom(claims: Claims, { groups, configuration }: CompiledJwt, bindings: Bindings): readonly string[] {
  const { claim, prefix = '' } = configuration.claimMappings.groups;
  if (claim !== '' && Object.hasOwn(claims, claim)) {
    const value = claims[claim];
    const list: unknown = typeof value === 'string' ? [value] : (value ?? []);
    if (!Array.isArray(list) || !list.every((one) => typeof one === 'string'))
      throw new ClaimError(
        `oidc: parse groups claim ${JSON.stringify(claim)}: it is neither a string nor a list of strings`,
      );
    return list.map((group) => prefix + group);
  }
  if (groups === undefined) return [];
  return textsOf(
    evaluated(groups, bindings, 'group claim expression'),
    'oidc: error evaluating group claim expression',
  );
}

function uidFrom(claims: Claims, { uid, configuration }: CompiledJwt, bindings: Bindings): string {
  const { claim } = configuration.claimMappings.uid;
  if (claim !== '') return textClaim(claims, claim, `oidc: parse uid claim ${JSON.stringify(claim)}`);
  if (uid === undefined) return '';
  const value = evaluated(uid, bindings, 'uid claim expression');
  if (typeof value === 'string') return value;
  throw new ClaimError('oidc: error evaluating uid claim expression: uid claim expression must return a string');
}

function extraFrom(claims: Claims, { extra }: CompiledJwt, bindings: Bindings): Record<string, readonly string[]> {
  const found: Record<string, readonly string[]> = {};
  const { jti } = claims;
  if (typeof jti === 'string' && jti !== '') found[CREDENTIAL_ID_KEY] = [`JTI=${jti}`];
  for (const mapping of extra) {
    const value = evaluated(mapping, bindings, 'extra claim expression');
    const values = textsOf(value, `oidc: error evaluating extra claim expression: ${mapping.text}`);
    if (values.length > 0) found[mapping.key] = values;
  }
  return found;
}

function checkRequiredClaims(claims: Claims, { configuration }: CompiledJwt): void {
  for (const { claim, requiredValue } of configuration.claimValidationRules) {
    if (claim === '') continue;
    if (!Object.hasOwn(claims, claim)) throw new ClaimError(`oidc: required claim ${claim} not present in ID token`);
    const value = textClaim(claims, claim, `oidc: parse claim ${claim}`);
    if (value !== requiredValue) {
      const difference = `Got = ${value}, want = ${requiredValue}`;
      throw new ClaimError(`oidc: required claim ${claim} value does not match. ${difference}`);
    }
  }
}

function checkRules(rules: readonly CompiledRule[], bindings: Bindings, what: string): void {
  for (const rule of rules) {
    if (evaluated(rule, bindings, what) === true) continue;
    throw new ClaimError(
      `oidc: error evaluating ${what}: validation expression '${rule.text}' failed: ${rule.message}`,
    );
  }
}

function evaluated({ program, text }: CompiledExpression, bindings: Bindings, what: string): Value {
  const result = program.evaluate(bindings);
  if (result.ok) return result.value;
  throw new ClaimError(`oidc: error evaluating ${what}: expression '${text}' resulted in error: ${result.error}`);
}

function textClaim(claims: Claims, claim: string, what: string): string {
  const value = claims[claim];
  if (!Object.hasOwn(claims, claim)) throw new ClaimError(`${what}: claim not present`);
  if (typeof value !== 'string') throw new ClaimError(`${what}: it is no string`);
  return value;
}

/** A string or a list of strings; empty ones are left out. */
function textsOf(value: Value, what: string): readonly string[] {
  if (value === null) return [];
  const list = isList(value) ? Array.from({ length: listSize(value) }, (_, index) => listAt(value, index)) : [value];
  return list.flatMap((one) => {
    if (typeof one !== 'string') throw new ClaimError(`${what}: expression must return a string or a list of strings`);
    return one === '' ? [] : [one];
  });
}
