import {
  type ConfigurationKind,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  duplicate,
  type FieldError,
  fieldErrorText,
  invalidValue,
  listOf,
  objectOf,
  readConfiguration,
  TEXT,
} from '../../../api/index.ts';
import { together } from '../refusal.ts';
import { LEVEL_PROBLEM, MODES, parseLevel, parseVersion, type Policy, VERSION_PROBLEM } from './policy.ts';

/** Requests that are not checked. */
export interface PodSecurityExemptions {
  readonly usernames: readonly string[];
  readonly namespaces: readonly string[];
  readonly runtimeClasses: readonly string[];
}

/** The contents of a PodSecurityConfiguration. */
export interface PodSecurityConfiguration {
  /** The policy of namespaces without labels. */
  readonly defaults: Policy;
  readonly exemptions: PodSecurityExemptions;
}

const PRIVILEGED = { level: 'privileged', version: 'latest' } as const;

export const DEFAULT_POD_SECURITY: PodSecurityConfiguration = {
  defaults: { enforce: PRIVILEGED, audit: PRIVILEGED, warn: PRIVILEGED },
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
};

const EXEMPTIONS = ['usernames', 'namespaces', 'runtimeClasses'] as const;

const kind: ConfigurationKind = {
  group: 'pod-security.admission.config.k8s.io',
  kind: 'PodSecurityConfiguration',
  versions: ['v1', 'v1beta1', 'v1alpha1'],
  fields: (version) => ({
    defaults: objectOf(
      `${version}.PodSecurityDefaults`,
      Object.fromEntries(MODES.flatMap((mode) => [mode, `${mode}-version`]).map((name) => [name, TEXT])),
    ),
    exemptions: objectOf(
      `${version}.PodSecurityExemptions`,
      Object.fromEntries(EXEMPTIONS.map((name) => [name, listOf(TEXT)])),
    ),
  }),
};

interface Decoded {
  readonly defaults?: Readonly<Record<string, string>>;
  readonly exemptions?: Partial<PodSecurityExemptions>;
}

/** Reads a PodSecurityConfiguration in JSON or YAML; throws its problems, in kube-apiserver's words. */
export function readPodSecurityConfiguration(text: string): PodSecurityConfiguration {
  const { defaults = {}, exemptions = {} } = readConfiguration<Decoded>(text, [kind], { isStrict: true });
  const policy = policyOfDefaults(defaults);
  const { usernames = [], namespaces = [], runtimeClasses = [] } = exemptions;
  const errors = [
    ...listErrors('namespaces', namespaces, (name) => dns1123LabelProblems(name)),
    ...listErrors('runtimeClasses', runtimeClasses, (name) => dns1123SubdomainProblems(name)),
    ...listErrors('usernames', usernames, (name) => (name === '' ? ['username must not be empty'] : [])),
  ];
  if (errors.length > 0) throw new Error(`PodSecurity invalid: ${together(errors.map(fieldErrorText))}`);
  return { defaults: policy, exemptions: { usernames, namespaces, runtimeClasses } };
}

function policyOfDefaults(defaults: Readonly<Record<string, string>>): Policy {
  const problems: string[] = [];
  const [enforce, audit, warn] = MODES.map((mode) => {
    const level = parseLevel(defaults[mode] || 'privileged');
    const version = parseVersion(defaults[`${mode}-version`] || 'latest');
    if (level === undefined) problems.push(`${mode}: ${LEVEL_PROBLEM}`);
    if (version === undefined) problems.push(`${mode}-version: ${VERSION_PROBLEM}`);
    return { level: level ?? 'restricted', version: version ?? 'latest' } as const;
  });
  if (problems.length > 0 || enforce === undefined || audit === undefined || warn === undefined)
    throw new Error(`PodSecurity configuration error: ${together(problems)}`);
  return { enforce, audit, warn };
}

function listErrors(
  name: keyof PodSecurityExemptions,
  items: readonly string[],
  problemsOf: (item: string) => readonly string[],
): FieldError[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const field = `exemptions.${name}[${index}]`;
    const problems = problemsOf(item);
    if (problems.length > 0) return [invalidValue(field, item, problems.join(', '))];
    if (seen.has(item)) return [duplicate(field, item)];
    seen.add(item);
    return [];
  });
}
