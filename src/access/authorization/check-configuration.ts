import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import {
  dns1123SubdomainProblems,
  duplicate,
  type FieldError,
  fieldErrorText,
  invalidValue,
  notSupported,
  required,
} from '../../api/index.ts';
import { formatGoDuration, messageOf } from '../../base/index.ts';
import { readWebhookKubeconfig } from '../review-webhook/webhook-kubeconfig.ts';
import { AccessConditions } from './access-conditions.ts';
import {
  AuthorizationConfigError,
  type AuthorizerChoice,
  type WrittenAuthorizer,
  type WrittenWebhook,
} from './configuration.ts';

const MODES = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'];
const VERSIONS = ['v1', 'v1beta1'];
const POLICIES = ['NoOpinion', 'Deny'];
const CONNECTIONS = ['InClusterConfig', 'KubeConfigFile'];
const MAX_TIMEOUT_MS = 30_000;

/** Validates the file's chain; throws one error that lists all problems, with upstream's texts. */
export function checkConfiguration(written: readonly WrittenAuthorizer[]): readonly AuthorizerChoice[] {
  const errors: FieldError[] = [];
  if (written.length === 0) errors.push(required('authorizers', 'at least one authorization mode must be defined'));
  const conditions = checkAuthorizers(written, errors);
  refuse(errors.map(fieldErrorText));
  refuse(written.flatMap(nameProblem));
  return written.map(({ type, name, webhook }, index) =>
    webhook === undefined ? { type, name } : { type, name, webhook: choiceOf(webhook, conditions[index]) },
  );
}

function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new AuthorizationConfigError(problems.length === 1 ? problems.join() : `[${problems.join(', ')}]`);
}

function checkAuthorizers(
  written: readonly WrittenAuthorizer[],
  errors: FieldError[],
): readonly (AccessConditions | undefined)[] {
  const [types, names] = [new Set<string>(), new Set<string>()];
  return written.map(({ type, name, webhook }, index) => {
    const path = `authorizers[${index}]`;
    if (type === '') errors.push(required(`${path}.type`));
    else if (!MODES.includes(type)) errors.push(notSupported(`${path}.type`, type, MODES));
    else if (types.has(type) && type !== 'Webhook') errors.push(duplicate(`${path}.type`, type));
    else {
      types.add(type);
      errors.push(...nameErrors(`${path}.name`, name, names));
      names.add(name);
      if (type === 'Webhook' && webhook !== undefined) return checkWebhook(webhook, path, errors);
      if (type === 'Webhook') errors.push(required(`${path}.webhook`, 'required when type=Webhook'));
      else if (webhook !== undefined)
        errors.push(invalidValue(`${path}.webhook`, 'non-null', 'may only be specified when type=Webhook'));
    }
    return undefined;
  });
}

function nameErrors(path: string, name: string, seen: ReadonlySet<string>): readonly FieldError[] {
  if (name === '') return [required(path)];
  if (seen.has(name)) return [duplicate(path, name)];
  const problems = dns1123SubdomainProblems(name);
  if (problems.length === 0) return [];
  return [invalidValue(path, name, `authorizer name is invalid: ${problems.join(', ')}`)];
}

/** Authorizers of this process are named after their type. */
function nameProblem({ type, name }: WrittenAuthorizer): readonly string[] {
  const expected = type.toLowerCase();
  if (type === 'Webhook' || name === expected) return [];
  return [`expected name ${expected} for authorizer ${type} instead of ${name}`];
}

function checkWebhook(webhook: WrittenWebhook, path: string, errors: FieldError[]): AccessConditions {
  const { timeoutMs, authorizedTtlMs, unauthorizedTtlMs, matchConditions } = webhook;
  if (timeoutMs === 0) errors.push(required(`${path}.timeout`));
  else if (timeoutMs > MAX_TIMEOUT_MS || timeoutMs < 0)
    errors.push(invalidValue(`${path}.timeout`, goDuration(timeoutMs), 'must be > 0s and <= 30s'));
  if (authorizedTtlMs < 0)
    errors.push(invalidValue(`${path}.authorizedTTL`, goDuration(authorizedTtlMs), 'must be > 0s'));
  if (unauthorizedTtlMs < 0)
    errors.push(invalidValue(`${path}.unauthorizedTTL`, goDuration(unauthorizedTtlMs), 'must be > 0s'));
  errors.push(...choiceErrors(`${path}.subjectAccessReviewVersion`, webhook.subjectAccessReviewVersion, VERSIONS));
  const { matchConditionSubjectAccessReviewVersion: version } = webhook;
  const versionPath = `${path}.matchConditionSubjectAccessReviewVersion`;
  if (version !== '') errors.push(...choiceErrors(versionPath, version, ['v1']));
  else if (matchConditions.length > 0) errors.push(required(versionPath, 'required if match conditions are specified'));
  errors.push(...choiceErrors(`${path}.failurePolicy`, webhook.failurePolicy, POLICIES));
  errors.push(...connectionErrors(webhook, `${path}.connectionInfo`));
  return AccessConditions.compile(matchConditions, `${path}.matchConditions`, errors);
}

function choiceErrors(path: string, value: string, choices: readonly string[]): readonly FieldError[] {
  if (value === '') return [required(path)];
  return choices.includes(value) ? [] : [notSupported(path, value, choices)];
}

function connectionErrors({ connectionType, kubeConfigFile }: WrittenWebhook, path: string): readonly FieldError[] {
  const filePath = `${path}.kubeConfigFile`;
  if (connectionType === 'InClusterConfig') {
    if (kubeConfigFile !== undefined)
      return [invalidValue(filePath, kubeConfigFile, 'can only be set when type=KubeConfigFile')];
    return [invalidValue(`${path}.type`, connectionType, 'an API server cannot ask itself; use KubeConfigFile')];
  }
  if (connectionType === '') return [required(`${path}.type`)];
  if (connectionType !== 'KubeConfigFile')
    return [
      notSupported(`${path}.type`, { Type: connectionType, KubeConfigFile: kubeConfigFile ?? null }, CONNECTIONS),
    ];
  if (kubeConfigFile === undefined || kubeConfigFile === '') return [required(filePath)];
  const problem = fileProblem(kubeConfigFile);
  return problem === undefined ? [] : [invalidValue(filePath, kubeConfigFile, problem)];
}

function fileProblem(file: string): string | undefined {
  if (!isAbsolute(file)) return 'must be an absolute path';
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return `error loading file: stat ${file}: no such file or directory`;
  return found.isFile() ? undefined : 'must be a regular file';
}

function goDuration(ms: number): string {
  return formatGoDuration(BigInt(Math.round(ms * 1_000_000)));
}

function choiceOf(
  webhook: WrittenWebhook,
  conditions: AccessConditions | undefined,
): NonNullable<AuthorizerChoice['webhook']> {
  try {
    return {
      webhook: readWebhookKubeconfig(webhook.kubeConfigFile ?? ''),
      version: webhook.subjectAccessReviewVersion === 'v1' ? 'v1' : 'v1beta1',
      timeoutMs: webhook.timeoutMs,
      authorizedTtlMs: webhook.cacheAuthorizedRequests ? webhook.authorizedTtlMs : 0,
      unauthorizedTtlMs: webhook.cacheUnauthorizedRequests ? webhook.unauthorizedTtlMs : 0,
      failurePolicy: webhook.failurePolicy === 'Deny' ? 'Deny' : 'NoOpinion',
      conditions,
    };
  } catch (cause) {
    throw new AuthorizationConfigError(messageOf(cause), { cause });
  }
}
