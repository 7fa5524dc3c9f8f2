import {
  asJson,
  dns1035LabelProblems,
  dns1123SubdomainProblems,
  duplicate,
  fullyQualifiedNameProblems,
  invalidValue,
  notSupported,
  portNumberProblems,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  MutatingWebhook,
  RuleWithOperations,
  ServiceReference,
  ValidatingWebhook,
  WebhookClientConfig,
} from '../../api/types/admissionregistration/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { parseUrl, UrlError } from '../../cel/index.ts';
import { checkConditions } from './condition-rules.ts';
import { PolicyExpressions } from './expression-rules.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';
import { firstIndexes } from '../first-indexes.ts';

type Webhook = MutatingWebhook | ValidatingWebhook;

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];

export interface WebhookRuleOptions {
  /** The previous webhooks of the configuration; empty for a new one. */
  readonly old?: readonly Webhook[];
  /** Allows plain HTTP on this machine. */
  readonly devWebhooks?: boolean;
}

/** The rules of mutating and validating webhooks. Existing values that newer rules would refuse may stay. */
export function checkWebhooks(webhooks: readonly Webhook[], options: WebhookRuleOptions = {}): FieldError[] {
  const { old = [], devWebhooks = false } = options;
  const names = new Set<string>();
  const expressions = new PolicyExpressions({ hasParams: false, hasVariables: false });
  // Stored conditions may stay, even if they no longer compile.
  const isKept =
    old.length === webhooks.length &&
    webhooks.every(({ matchConditions }, index) => deepEqual(matchConditions, old[index]?.matchConditions));
  const wasUnique = new Set(old.map(({ name }) => name)).size === old.length;
  return webhooks.flatMap((webhook, index) => {
    const field = `webhooks[${index}]`;
    const isRepeated = names.has(webhook.name) && wasUnique;
    names.add(webhook.name);
    return [
      ...checkName(webhook.name, `${field}.name`),
      ...(webhook.rules ?? []).flatMap((rule, at) => checkRule(rule, `${field}.rules[${at}]`)),
      ...checkChoice(webhook.failurePolicy, FAILURE_POLICIES, `${field}.failurePolicy`),
      ...checkChoice(webhook.matchPolicy, MATCH_POLICIES, `${field}.matchPolicy`),
      ...checkSideEffects(webhook, field, old),
      ...checkTimeout(webhook.timeoutSeconds, `${field}.timeoutSeconds`),
      ...checkLabelSelector(webhook.namespaceSelector, `${field}.namespaceSelector`),
      ...checkLabelSelector(webhook.objectSelector, `${field}.objectSelector`),
      ...('reinvocationPolicy' in webhook
        ? checkChoice(webhook.reinvocationPolicy, REINVOCATION_POLICIES, `${field}.reinvocationPolicy`)
        : []),
      ...checkClient(webhook.clientConfig, `${field}.clientConfig`, devWebhooks),
      ...(isKept ? [] : checkConditions(webhook.matchConditions ?? [], `${field}.matchConditions`, expressions)),
      ...checkReviewVersions(webhook.admissionReviewVersions ?? [], `${field}.admissionReviewVersions`),
      ...(isRepeated && webhook.name !== '' ? [duplicate(`${field}.name`, webhook.name)] : []),
    ];
  });
}

function checkName(name: string, field: string): FieldError[] {
  return fullyQualifiedNameProblems(name).map((problem) =>
    problem.type === 'Required' ? required(field) : invalidValue(field, problem.value, problem.detail),
  );
}

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];

function checkChoice(value: string | undefined, choices: readonly string[], field: string): FieldError[] {
  return value === undefined || choices.includes(value) ? [] : [notSupported(field, asJson(value), choices)];
}

const MAX_TIMEOUT_SECONDS = 30;

function checkTimeout(seconds: number | undefined, field: string): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= MAX_TIMEOUT_SECONDS)) return [];
  return [invalidValue(field, seconds, 'the timeout value must be between 1 and 30 seconds')];
}

function checkSideEffects({ sideEffects }: Webhook, field: string, old: readonly Webhook[]): FieldError[] {
  const at = `${field}.sideEffects`;
  const isLenient = old.some((webhook) => !SIDE_EFFECTS.includes(webhook.sideEffects ?? ''));
  if (sideEffects === undefined || sideEffects === null)
    return [required(at, `must specify one of ${SIDE_EFFECTS.join(', ')}`)];
  return isLenient || SIDE_EFFECTS.includes(sideEffects) ? [] : [notSupported(at, asJson(sideEffects), SIDE_EFFECTS)];
}

const OPERATIONS: readonly string[] = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** The rules of a webhook's or policy's match rule; a wildcard must be alone. */
export function checkRule(rule: RuleWithOperations, field: string): FieldError[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const alone = (list: readonly string[], name: string, what: string): FieldError[] => {
    if (list.length === 0) return [required(`${field}.${name}`)];
    if (list.length === 1 || !list.includes('*')) return [];
    return [invalidValue(`${field}.${name}`, list, `if '*' is present, must not specify other ${what}`)];
  };
  return [
    ...alone(operations, 'operations', 'operations'),
    ...operations.flatMap((operation, index) => checkChoice(operation, OPERATIONS, `${field}.operations[${index}]`)),
    ...alone(apiGroups, 'apiGroups', 'API groups'),
    ...alone(apiVersions, 'apiVersions', 'API versions'),
    ...apiVersions.flatMap((version, index) => (version === '' ? [required(`${field}.apiVersions[${index}]`)] : [])),
    ...checkResources(resources, `${field}.resources`),
    ...checkChoice(scope, SCOPES, `${field}.scope`),
  ];
}

/** Wildcards must not overlap other entries. */
function checkResources(resources: readonly string[], field: string): FieldError[] {
  if (resources.length === 0) return [required(field)];
  const allOf = new Set<string>();
  const everywhere = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, text] of resources.entries()) {
    const at = `${field}[${index}]`;
    if (text === '') errors.push(required(at));
    const slash = text.indexOf('/');
    if (slash < 0) continue;
    const resource = text.slice(0, slash);
    const subresource = text.slice(slash + 1);
    if (allOf.has(resource)) {
      errors.push(invalidValue(at, text, `if '${resource}/*' is present, must not specify ${text}`));
    }
    if (everywhere.has(subresource)) {
      errors.push(invalidValue(at, text, `if '*/${subresource}' is present, must not specify ${text}`));
    }
    if (subresource === '*') allOf.add(resource);
    if (resource === '*') everywhere.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalidValue(field, resources, "if '*/*' is present, must not specify other resources"));
  }
  const last = resources.findLast((text) => text !== '' && !text.includes('/'));
  if (resources.includes('*') && last !== undefined && last !== '*') {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalidValue(field, resources, detail));
  }
  return errors;
}

/** The start of a URL on this machine without TLS. */
const PLAIN_LOCAL = /^http:(?=\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$))/;
const FORM = '; desired format: https://host[/path]';

function checkClient({ url, service }: WebhookClientConfig, field: string, devWebhooks: boolean): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(field, 'exactly one of url or service is required')];
  }
  if (url !== undefined) return checkUrl(devWebhooks ? url.replace(PLAIN_LOCAL, 'https:') : url, `${field}.url`);
  return service === undefined ? [] : checkService(service, `${field}.service`);
}

/** Upstream passes name and namespace in the wrong order, so each is reported as the other. */
function checkService({ name, namespace, path = '', port }: ServiceReference, field: string): FieldError[] {
  const problems = port === undefined ? [] : portNumberProblems(port);
  return [
    ...((namespace ?? '') === '' ? [required(`${field}.name`)] : []),
    ...((name ?? '') === '' ? [required(`${field}.namespace`)] : []),
    ...(problems.length === 0
      ? []
      : [invalidValue(`${field}.port`, port, `port is not valid: ${problems.join(', ')}`)]),
    ...checkPath(path, `${field}.path`),
  ];
}

function checkPath(path: string, field: string): FieldError[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return [invalidValue(field, path, 'segment[0] may not be empty')];
  const errors = path.startsWith('/') ? [] : [invalidValue(field, path, "must start with a '/'")];
  for (const [index, step] of path.slice(1).replace(/\/$/, '').split('/').entries()) {
    const problems = step === '' ? [' may not be empty'] : dns1123SubdomainProblems(step).map((text) => `: ${text}`);
    for (const problem of problems) errors.push(invalidValue(field, path, `segment[${index}]${problem}`));
  }
  return errors;
}

function checkUrl(text: string, field: string): FieldError[] {
  const unreadable = urlProblem(text);
  if (unreadable !== undefined) return [required(field, `url must be a valid URL: ${unreadable}${FORM}`)];
  const [, scheme = '', authority, , query = '', fragment = ''] =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text) ?? [];
  const at = (authority ?? '').lastIndexOf('@');
  const host = (authority ?? '').slice(at + 1);
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https') {
    errors.push(invalidValue(field, scheme, `'https' is the only allowed URL scheme${FORM}`));
  }
  if (host === '') errors.push(invalidValue(field, host, `host must be specified${FORM}`));
  if (at >= 0) {
    errors.push(invalidValue(field, authority?.slice(0, at), 'user information is not permitted in the URL'));
  }
  if (fragment !== '') errors.push(invalidValue(field, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalidValue(field, query, 'query parameters are not permitted in the URL'));
  return errors;
}

/** Why Go cannot read a URL. */
function urlProblem(text: string): string | undefined {
  try {
    parseUrl(text);
    return undefined;
  } catch (error) {
    if (error instanceof UrlError) return error.message;
    throw error;
  }
}

function checkReviewVersions(versions: readonly string[], field: string): FieldError[] {
  if (versions.length === 0) return [required(field, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  const first = firstIndexes(versions);
  const errors = versions.flatMap((version, index) => {
    const at = `${field}[${index}]`;
    if (first.get(version) !== index) return [invalidValue(at, version, 'duplicate version')];
    return dns1035LabelProblems(version).map((problem) => invalidValue(at, version, problem));
  });
  if (!versions.some((version) => REVIEW_VERSIONS.includes(version))) {
    errors.push(invalidValue(field, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`));
  }
  return errors;
}
