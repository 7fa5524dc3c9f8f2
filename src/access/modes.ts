import type { ListingAuthorizer, ServerObjects } from '../apiserver/index.ts';
import { type Duration, millisecondsOf } from '../base/index.ts';
import { AbacAuthorizer, readAbacPolicies } from './abac-authorizer.ts';
import { Authorization, type AuthorizationParts, PROGRAM_MODES } from './authorization/authorization.ts';
import type { AuthorizerChoice, ConfiguredAuthorization } from './authorization/configuration.ts';
import type { AuthorizationWebhookOptions } from './authorization/webhook-authorizer.ts';
import type { OwnPrograms } from './authorization/own-programs.ts';
import { NodeAuthorizer } from './node-authorizer/node-authorizer.ts';
import { RbacAuthorizer } from './rbac/rbac-authorizer.ts';
import type { ConfiguredWebhook } from './review-webhook/webhook-kubeconfig.ts';

/** The webhook of the mode `Webhook`, as the flags describe it. */
export interface AuthorizationWebhookSettings {
  readonly webhook: ConfiguredWebhook;
  /** The version of SubjectAccessReview to send; default v1beta1, as upstream. */
  readonly version?: 'v1' | 'v1beta1';
  /** How long answers that allow a request are cached; default 5 minutes. */
  readonly authorizedTtl?: Duration;
  /** How long other answers are cached; default 30 seconds. */
  readonly unauthorizedTtl?: Duration;
}

/** The settings of `--authorization-mode` and the related flags. */
export interface AuthorizationOptions {
  /** In the order in which they are asked; default `Node`, then `RBAC`. */
  readonly modes?: readonly string[];
  /** The text of ABAC's policy file, and its path for messages. */
  readonly policies?: { readonly path: string; readonly text: string };
  /** The webhook of the mode `Webhook`. */
  readonly webhook?: AuthorizationWebhookSettings;
  /** The settings of `--authorization-config`, which replace modes and webhook. */
  readonly configuration?: ConfiguredAuthorization;
}

interface ModeParts {
  readonly objects: ServerObjects;
  readonly policies: AuthorizationOptions['policies'];
}

/** The mode AlwaysAllow: every user may do everything. */
const alwaysAllow: ListingAuthorizer = {
  name: 'AlwaysAllow',
  authorize: () => ({ verdict: 'allow', reason: '' }),
  rulesFor: () => ({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    isIncomplete: false,
  }),
};

/** The mode AlwaysDeny: no user may do anything that no other mode allows. */
const alwaysDeny: ListingAuthorizer = {
  name: 'AlwaysDeny',
  authorize: () => ({ verdict: 'noOpinion', reason: 'Everything is forbidden.' }),
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], isIncomplete: false }),
};

/** By name. Webhooks are not listed, since there may be several. */
const makers: Readonly<Record<string, (parts: ModeParts) => ListingAuthorizer>> = {
  AlwaysAllow: () => alwaysAllow,
  AlwaysDeny: () => alwaysDeny,
  ABAC: ({ policies }) => new AbacAuthorizer(policies === undefined ? [] : readAbacPolicies(policies)),
  RBAC: ({ objects }) => new RbacAuthorizer(objects),
  Node: ({ objects }) => new NodeAuthorizer(objects),
};

export const DEFAULT_MODES: readonly string[] = PROGRAM_MODES;

const WEBHOOK = 'Webhook';

/** Everything that is wrong with the options, with kube-apiserver's texts. */
export function authorizationProblems(options: AuthorizationOptions): string[] {
  const { modes = DEFAULT_MODES, policies, webhook, configuration } = options;
  if (configuration !== undefined) return configurationProblems(options);
  const problems = modes.length === 0 ? ['at least one authorization-mode must be passed'] : [];
  for (const mode of modes) {
    if (mode !== WEBHOOK && !Object.hasOwn(makers, mode))
      problems.push(`authorization-mode ${JSON.stringify(mode)} is not a valid mode`);
    if (mode === 'ABAC' && policies === undefined)
      problems.push("authorization-mode ABAC's authorization policy file not passed");
    if (mode === WEBHOOK && webhook === undefined)
      problems.push("authorization-mode Webhook's authorization config file not passed");
  }
  if (!modes.includes('ABAC') && policies !== undefined)
    problems.push('cannot specify --authorization-policy-file without mode ABAC');
  if (!modes.includes(WEBHOOK) && webhook !== undefined)
    problems.push('cannot specify --authorization-webhook-config-file without mode Webhook');
  if (new Set(modes).size < modes.length) {
    const quoted = modes.map((mode) => JSON.stringify(mode)).join(' ');
    problems.push(`authorization-mode [${quoted}] has mode specified more than once`);
  }
  return problems;
}

function configurationProblems({ modes, policies, webhook, configuration }: AuthorizationOptions): string[] {
  if (modes !== undefined || webhook !== undefined)
    return [
      '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
    ];
  const hasAbac = configuration?.authorizers.some(({ type }) => type === 'ABAC') === true;
  return hasAbac && policies === undefined ? ["authorizer ABAC's authorization policy file not passed"] : [];
}

interface ChosenParts extends Omit<AuthorizationParts, 'own'> {
  /** The programs of this process, which have their rights under every mode. */
  readonly programs?: OwnPrograms;
}

/** Creates the chain of authorizers that the options choose. */
export function authorizationOf(options: AuthorizationOptions, { programs, ...parts }: ChosenParts): Authorization {
  const [problem] = authorizationProblems(options);
  if (problem !== undefined) throw new Error(`Cannot configure authorization: ${problem}`);
  const { modes = DEFAULT_MODES, policies, webhook, configuration } = options;
  const chosen = configuration ?? modes.map((mode) => choiceOf(mode, webhook));
  const atStart = new Set(configuration === undefined ? modes : configuration.authorizers.map(({ type }) => type));
  const made = new Map<string, ListingAuthorizer>();
  const make = (type: string): ListingAuthorizer | undefined => {
    const known = made.get(type);
    if (known !== undefined || !(atStart.has(type) || type.startsWith('Always'))) return known;
    const fresh = makers[type]?.({ objects: parts.objects, policies });
    if (fresh !== undefined) made.set(type, fresh);
    return fresh;
  };
  if (programs === undefined) return new Authorization(chosen, make, parts);
  const rights = (): readonly ListingAuthorizer[] =>
    PROGRAM_MODES.flatMap((mode) => make(mode) ?? makers[mode]?.({ objects: parts.objects, policies }) ?? []);
  return new Authorization(chosen, make, { ...parts, own: programs.rights(rights) });
}

const TIMEOUT_MS = 30_000;
const AUTHORIZED_TTL_MS = 300_000;
const UNAUTHORIZED_TTL_MS = 30_000;

function choiceOf(type: string, settings: AuthorizationWebhookSettings | undefined): AuthorizerChoice {
  if (type !== WEBHOOK || settings === undefined) return { type, name: type.toLowerCase() };
  const { webhook, version = 'v1beta1' } = settings;
  const { authorizedTtl = AUTHORIZED_TTL_MS, unauthorizedTtl = UNAUTHORIZED_TTL_MS } = settings;
  const asked: Omit<AuthorizationWebhookOptions, 'name'> = {
    webhook,
    version,
    timeoutMs: TIMEOUT_MS,
    authorizedTtlMs: millisecondsOf(authorizedTtl),
    unauthorizedTtlMs: millisecondsOf(unauthorizedTtl),
    failurePolicy: 'NoOpinion',
    conditions: undefined,
  };
  return { type, name: 'default', webhook: asked };
}
