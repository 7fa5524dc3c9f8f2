import {
  type FieldError,
  fieldErrorText,
  invalidValue,
  dns1123SubdomainProblems,
  notSupported,
  required,
  YamlBody,
} from '../../api/index.ts';
import { ConfigMembers, messageOf } from '../../base/index.ts';

/** How much of a request its events contain. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

/** The stages of a request at which events are made. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

const LEVELS: readonly string[] = ['None', 'Metadata', 'Request', 'RequestResponse'];
const STAGES: readonly string[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];

/** Resources of one group that a rule applies to; an empty list means all of them. */
export interface AuditedResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** Which requests a rule applies to, and what is recorded of them; empty lists match everything. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly AuditedResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean | undefined;
}

/** The policy of `audit.k8s.io/v1`: the first rule that matches a request decides; requests that match no rule are not audited. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

/** A policy that cannot be used; the message is upstream's. */
export class AuditPolicyError extends Error {
  override readonly name = 'AuditPolicyError';
}

export interface ReadPolicy {
  readonly policy: AuditPolicy;
  /** Unknown fields, which are ignored, as upstream does. */
  readonly unknown: readonly string[];
}

/** Parses a policy in YAML or JSON. */
export function readAuditPolicy(text: string): ReadPolicy {
  try {
    return decode(text);
  } catch (cause) {
    if (cause instanceof AuditPolicyError) throw cause;
    throw new AuditPolicyError(`failed decoding: ${messageOf(cause)}`, { cause });
  }
}

function decode(text: string): ReadPolicy {
  const root = new ConfigMembers(new YamlBody(text).untyped());
  const [apiVersion, kind] = [root.text('apiVersion'), root.text('kind')];
  if (apiVersion === '' || kind === '')
    throw new AuditPolicyError('unknown group version field audit.k8s.io/__internal, Kind=Policy in policy');
  if (apiVersion !== 'audit.k8s.io/v1' || kind !== 'Policy')
    throw new Error(
      `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  root.object('metadata');
  const rules = root.list('rules').map(decodeRule);
  const omitStages = root.texts('omitStages');
  const omitManagedFields = root.flag('omitManagedFields') ?? false;
  const errors = [...checkStages(omitStages, 'omitStages'), ...rules.flatMap(checkRule)].map(fieldErrorText);
  const [first] = errors;
  if (first !== undefined) throw new AuditPolicyError(errors.length === 1 ? first : `[${errors.join(', ')}]`);
  if (rules.length === 0) throw new AuditPolicyError('loaded illegal policy with 0 rules');
  const policy = { rules: rules as readonly AuditRule[], omitStages: omitStages as AuditStage[], omitManagedFields };
  return { policy, unknown: root.unknown().filter((path) => !path.startsWith('metadata')) };
}

type SentRule = Omit<AuditRule, 'level' | 'omitStages'> & {
  readonly level: string;
  readonly omitStages: readonly string[];
};

function decodeRule(rule: ConfigMembers): SentRule {
  return {
    level: rule.text('level'),
    users: rule.texts('users'),
    userGroups: rule.texts('userGroups'),
    verbs: rule.texts('verbs'),
    resources: rule.list('resources').map((one) => ({
      group: one.text('group'),
      resources: one.texts('resources'),
      resourceNames: one.texts('resourceNames'),
    })),
    namespaces: rule.texts('namespaces'),
    nonResourceURLs: rule.texts('nonResourceURLs'),
    omitStages: rule.texts('omitStages'),
    omitManagedFields: rule.flag('omitManagedFields'),
  };
}

function checkRule(rule: SentRule, index: number): FieldError[] {
  const path = `rules[${index}]`;
  const { level, nonResourceURLs: urls } = rule;
  const errors: FieldError[] = [];
  if (level === '') errors.push(required(`${path}.level`));
  else if (!LEVELS.includes(level)) errors.push(notSupported(`${path}.level`, level, LEVELS));
  errors.push(...urls.flatMap((url, at) => checkUrl(url, `${path}.nonResourceURLs[${at}]`)));
  errors.push(...rule.resources.flatMap((one) => checkResources(one, `${path}.resources`)));
  errors.push(...checkStages(rule.omitStages, `${path}.omitStages`));
  if (urls.length > 0 && (rule.resources.length > 0 || rule.namespaces.length > 0)) {
    const detail = 'rules cannot apply to both regular resources and non-resource URLs';
    errors.push(invalidValue(`${path}.nonResourceURLs`, urls, detail));
  }
  return errors;
}

function checkUrl(url: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (url === '*') return errors;
  if (!url.startsWith('/'))
    errors.push(invalidValue(path, url, "non-resource URL rules must begin with a '/' character"));
  if (url.slice(0, -1).includes('*'))
    errors.push(invalidValue(path, url, "non-resource URL wildcards '*' must be the final character of the rule"));
  return errors;
}

function checkResources({ group, resources, resourceNames }: AuditedResources, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const problems = group === '' || group === '*' ? [] : dns1123SubdomainProblems(group);
  if (problems.length > 0) errors.push(invalidValue(`${path}.group`, group, problems.join(',')));
  if (resourceNames.length > 0 && resources.length === 0) {
    const detail = 'using resourceNames requires at least one resource';
    errors.push(invalidValue(`${path}.resourceNames`, resourceNames, detail));
  }
  return errors;
}

function checkStages(stages: readonly string[], path: string): FieldError[] {
  const detail = `allowed stages are ${STAGES.join(',')}`;
  return stages.flatMap((stage, index) =>
    STAGES.includes(stage) ? [] : [invalidValue(`${path}[${index}]`, stage, detail)],
  );
}
