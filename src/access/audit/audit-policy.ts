import {
  type ConfigurationKind,
  dns1123SubdomainProblems,
  EMBEDDED,
  type FieldError,
  fieldErrorText,
  FLAG,
  invalidValue,
  type LenientConfiguration,
  listOf,
  notSupported,
  objectOf,
  readConfigurationLeniently,
  required,
  TEXT,
  UnknownConfigurationKind,
} from '../../api/index.ts';
import { messageOf } from '../../base/index.ts';

/** How much of a request an audit event contains. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

/** When the server writes an audit event. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

const LEVELS: readonly string[] = ['None', 'Metadata', 'Request', 'RequestResponse'];
const STAGES: readonly string[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];

/** Resources of one group that a rule matches; an empty list matches all of them. */
export interface AuditedResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** Which requests a rule matches, and what their events contain; an empty list matches everything. */
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

/** The policy of `audit.k8s.io/v1`: the first rule that matches a request decides; a request that no rule matches is not audited. */
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
  /** Unknown and duplicate members, such as `unknown field "rule"`; they are ignored, as upstream does. Empty when there are none. */
  readonly problems: string;
}

/** Parses a policy in YAML or JSON. */
export function readAuditPolicy(text: string): ReadPolicy {
  const { value, problems } = decode(text);
  const rules = (value.rules ?? []).map(ruleOf);
  const { omitStages = [], omitManagedFields = false } = value;
  const errors = [...checkStages(omitStages, 'omitStages'), ...rules.flatMap(checkRule)].map(fieldErrorText);
  const [first] = errors;
  if (first !== undefined) throw new AuditPolicyError(errors.length === 1 ? first : `[${errors.join(', ')}]`);
  if (rules.length === 0) throw new AuditPolicyError('loaded illegal policy with 0 rules');
  const policy = { rules: rules as readonly AuditRule[], omitStages: omitStages as AuditStage[], omitManagedFields };
  return { policy, problems };
}

/** The file as written: absent members are undefined. */
interface WrittenPolicy {
  readonly rules?: readonly WrittenRule[];
  readonly omitStages?: readonly string[];
  readonly omitManagedFields?: boolean;
}

type WrittenRule = Partial<Omit<UncheckedRule, 'resources'>> & {
  readonly resources?: readonly Partial<AuditedResources>[];
};

/** A rule whose level and stages may be any text. */
type UncheckedRule = Omit<AuditRule, 'level' | 'omitStages'> & {
  readonly level: string;
  readonly omitStages: readonly string[];
};

const POLICY: ConfigurationKind = {
  group: 'audit.k8s.io',
  kind: 'Policy',
  versions: ['v1'],
  fields: (version) => ({
    metadata: EMBEDDED,
    rules: listOf(
      objectOf(`${version}.PolicyRule`, {
        level: TEXT,
        users: listOf(TEXT),
        userGroups: listOf(TEXT),
        verbs: listOf(TEXT),
        resources: listOf(
          objectOf(`${version}.GroupResources`, {
            group: TEXT,
            resources: listOf(TEXT),
            resourceNames: listOf(TEXT),
          }),
        ),
        namespaces: listOf(TEXT),
        nonResourceURLs: listOf(TEXT),
        omitStages: listOf(TEXT),
        omitManagedFields: FLAG,
      }),
    ),
    omitStages: listOf(TEXT),
    omitManagedFields: FLAG,
  }),
};

function decode(text: string): LenientConfiguration<WrittenPolicy> {
  try {
    return readConfigurationLeniently<WrittenPolicy>(text, [POLICY]);
  } catch (cause) {
    if (cause instanceof UnknownConfigurationKind && cause.missing !== undefined) {
      const message = 'unknown group version field audit.k8s.io/__internal, Kind=Policy in policy';
      throw new AuditPolicyError(message, { cause });
    }
    throw new AuditPolicyError(`failed decoding: ${messageOf(cause)}`, { cause });
  }
}

function ruleOf(rule: WrittenRule): UncheckedRule {
  return {
    level: rule.level ?? '',
    users: rule.users ?? [],
    userGroups: rule.userGroups ?? [],
    verbs: rule.verbs ?? [],
    resources: (rule.resources ?? []).map(({ group = '', resources = [], resourceNames = [] }) => ({
      group,
      resources,
      resourceNames,
    })),
    namespaces: rule.namespaces ?? [],
    nonResourceURLs: rule.nonResourceURLs ?? [],
    omitStages: rule.omitStages ?? [],
    omitManagedFields: rule.omitManagedFields,
  };
}

function checkRule(rule: UncheckedRule, index: number): FieldError[] {
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
