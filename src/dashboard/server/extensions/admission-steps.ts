import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../../api/types/admissionregistration/v1.d.ts';
import { hasReason } from '../../../api/client.ts';
import type { AdmissionStep } from '../../protocol.ts';
import type { AskedMap } from './asked-map.ts';
import { readItems } from './read-list.ts';

const ROOT = '/apis/admissionregistration.k8s.io/v1';

/** Policies and webhooks in the order in which requests meet them: by the names of their configurations, in the order in which these list them. */
export async function admissionSteps(asked: AskedMap): Promise<readonly AdmissionStep[]> {
  const [mutating, validating, mutatingPolicies, mutatingBindings, validatingPolicies, validatingBindings] =
    await Promise.all([
      readItems<MutatingWebhookConfiguration>(asked, `${ROOT}/mutatingwebhookconfigurations`),
      readItems<ValidatingWebhookConfiguration>(asked, `${ROOT}/validatingwebhookconfigurations`),
      served(readItems<MutatingAdmissionPolicy>(asked, `${ROOT}/mutatingadmissionpolicies`)),
      served(readItems<MutatingAdmissionPolicyBinding>(asked, `${ROOT}/mutatingadmissionpolicybindings`)),
      served(readItems<ValidatingAdmissionPolicy>(asked, `${ROOT}/validatingadmissionpolicies`)),
      served(readItems<ValidatingAdmissionPolicyBinding>(asked, `${ROOT}/validatingadmissionpolicybindings`)),
    ]);
  const all = [
    ...policySteps('mutating-policy', mutatingPolicies, mutatingBindings),
    ...mutating.toSorted(byName).flatMap((each) => webhookSteps('mutating-webhook', each)),
    ...policySteps('validating-policy', validatingPolicies, validatingBindings),
    ...validating.toSorted(byName).flatMap((each) => webhookSteps('validating-webhook', each)),
  ];
  const wanted =
    asked.resource === '' ? all : all.filter(({ rules }) => rules.some((rule) => isAbout(rule, asked.resource)));
  return wanted.map((step) => {
    const figures = asked.seen?.figures;
    const { configuration, name } = step;
    const isPolicy = step.type === 'mutating-policy' || step.type === 'validating-policy';
    const seen = isPolicy
      ? figures?.get(`policy ${configuration} with binding ${name}`)
      : (figures?.get(`${configuration}/${name}`) ?? figures?.get(name) ?? figures?.get(configuration));
    return seen === undefined ? step : { ...step, seen };
  });
}

function webhookSteps(
  type: 'mutating-webhook' | 'validating-webhook',
  { metadata, webhooks = [] }: MutatingWebhookConfiguration | ValidatingWebhookConfiguration,
): readonly AdmissionStep[] {
  return (webhooks ?? []).map((webhook: MutatingWebhook | ValidatingWebhook) => {
    const { clientConfig, failurePolicy = 'Fail', timeoutSeconds = 10, matchConditions = [] } = webhook;
    const { service, url } = clientConfig;
    const reinvocation = 'reinvocationPolicy' in webhook ? webhook.reinvocationPolicy : undefined;
    return {
      type,
      phase: type === 'mutating-webhook' ? 'mutate' : 'validate',
      configuration: metadata?.name ?? '',
      name: webhook.name,
      rules: (webhook.rules ?? []).map(ruleOf),
      failurePolicy,
      timeoutMs: timeoutSeconds * 1000,
      matchConditions: (matchConditions ?? []).map(({ name, expression }) => ({ name, expression })),
      hasSelectors: isSelective(webhook.namespaceSelector) || isSelective(webhook.objectSelector),
      ...(reinvocation === undefined ? {} : { reinvocation }),
      ...(url === undefined && service === undefined
        ? {}
        : {
            target:
              url ?? `service ${service?.namespace}/${service?.name}:${service?.port ?? 443}${service?.path ?? ''}`,
          }),
    };
  });
}

interface Policy {
  readonly metadata?: { readonly name?: string };
  readonly spec?: {
    readonly failurePolicy?: string;
    readonly matchConstraints?: {
      readonly resourceRules?: readonly RuleWithOperations[];
      readonly namespaceSelector?: unknown;
      readonly objectSelector?: unknown;
    };
    readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
    readonly reinvocationPolicy?: string;
    readonly validations?: readonly { readonly expression: string }[];
    readonly mutations?: readonly {
      readonly applyConfiguration?: { readonly expression?: string };
      readonly jsonPatch?: { readonly expression?: string };
    }[];
  };
}

interface Binding {
  readonly metadata?: { readonly name?: string };
  readonly spec?: { readonly policyName?: string };
}

/** One step for each binding; a policy without bindings does nothing. */
function policySteps(
  type: 'mutating-policy' | 'validating-policy',
  policies: readonly Policy[],
  bindings: readonly Binding[],
): readonly AdmissionStep[] {
  return policies.toSorted(byName).flatMap(({ metadata, spec = {} }) => {
    const { failurePolicy = 'Fail', matchConstraints = {}, matchConditions = [], reinvocationPolicy } = spec;
    const expressions = [
      ...(spec.validations ?? []).map(({ expression }) => expression),
      ...(spec.mutations ?? []).flatMap(
        ({ applyConfiguration, jsonPatch }) => applyConfiguration?.expression ?? jsonPatch?.expression ?? [],
      ),
    ];
    const step = {
      type,
      phase: type === 'mutating-policy' ? ('mutate' as const) : ('validate' as const),
      configuration: metadata?.name ?? '',
      rules: (matchConstraints.resourceRules ?? []).map(ruleOf),
      failurePolicy,
      matchConditions,
      hasSelectors: isSelective(matchConstraints.namespaceSelector) || isSelective(matchConstraints.objectSelector),
      ...(reinvocationPolicy === undefined ? {} : { reinvocation: reinvocationPolicy }),
      expressions,
    };
    const own = bindings.filter((binding) => binding.spec?.policyName === metadata?.name).toSorted(byName);
    return own.map((binding) => ({ ...step, name: binding.metadata?.name ?? '' }));
  });
}

function ruleOf({
  apiGroups = [],
  apiVersions = [],
  resources = [],
  operations = [],
  scope = '*',
}: RuleWithOperations): AdmissionStep['rules'][number] {
  return {
    groups: apiGroups ?? [],
    versions: apiVersions ?? [],
    resources: resources ?? [],
    operations: operations ?? [],
    scope,
  };
}

/** Whether a rule may be about a resource, such as `deployments.apps`; subresources count for their resource. */
function isAbout({ groups, resources }: AdmissionStep['rules'][number], name: string): boolean {
  const dot = name.indexOf('.');
  const [plural, group] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
  const isGroup = groups.includes('*') || groups.includes(group);
  return isGroup && resources.some((each) => each === '*' || each === '*/*' || each.split('/', 1)[0] === plural);
}

function isSelective(selector: unknown): boolean {
  return typeof selector === 'object' && selector !== null && Object.keys(selector).length > 0;
}

function byName(left: { readonly metadata?: { readonly name?: string } }, right: typeof left): number {
  return (left.metadata?.name ?? '') < (right.metadata?.name ?? '') ? -1 : 1;
}

/** Kinds that older servers do not have. */
async function served<T>(reading: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await reading;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return [];
    throw error;
  }
}
