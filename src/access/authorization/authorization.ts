import type { TypeTable } from '../../api/index.ts';
import {
  type AccessDecision,
  type AccessRequest,
  type AccessRules,
  type Authorizer,
  firstOpinion,
  type ListingAuthorizer,
  mastersAuthorizer,
  type ServerObjects,
  type UserInfo,
  type WebhookClientOptions,
} from '../../apiserver/index.ts';
import {
  type Clock,
  deepEqual,
  type Logger,
  messageOf,
  type MetricRegistry,
  type UidSource,
  watchFiles,
} from '../../base/index.ts';
import { joinProblems } from '../rbac/user-rules.ts';
import { AuthorizationMetrics } from './authorization-metrics.ts';
import type { AuthorizerChoice, ConfiguredAuthorization } from './configuration.ts';
import { readAuthorizationConfiguration } from './read-configuration.ts';
import { ReloadMetrics } from './reload-metrics.ts';
import { WebhookAuthorizer } from './webhook-authorizer.ts';

export interface AuthorizationParts {
  /** Webhooks of this process, by the host in their URL; they are called without a connection. */
  readonly local?: WebhookClientOptions['local'];
  readonly objects: ServerObjects;
  readonly types: TypeTable;
  readonly clock: Clock;
  readonly uids: UidSource;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  /** Additional authorizers, asked after the rule for `system:masters` and before the chain. */
  readonly more?: readonly Authorizer[];
  /** Decides about the programs of this process where the chain would not ask nodes' and roles' authorizers first. */
  readonly own?: Authorizer;
  /** The ID of this server among several, for metrics. */
  readonly serverId?: string;
}

/** Creates an authorizer of this process; undefined for a type that was not enabled at the start. */
export type MakeAuthorizer = (type: string) => ListingAuthorizer | undefined;

interface Chain {
  readonly authorize: Authorizer['authorize'];
  readonly listing: readonly RuleLister[];
  readonly webhooks: readonly WebhookAuthorizer[];
}

/** How long a replaced webhook stays open for the questions that it is still answering. */
const LINGER_MS = 30_000;

/** What gives the programs of a cluster their rights. */
export const PROGRAM_MODES: readonly string[] = ['Node', 'RBAC'];

/**
 * Decides with the rule for `system:masters` first, so that administrators cannot be locked out, then with additional authorizers, then
 * about own programs, then with the chain in its order. The first opinion wins. A chain from a file is reloaded when the file changes; an invalid file changes
 * nothing.
 */
export class Authorization implements ListingAuthorizer, Disposable {
  readonly authorize: Authorizer['authorize'];
  readonly #parts: AuthorizationParts;
  readonly #make: MakeAuthorizer;
  readonly #metrics: AuthorizationMetrics;
  #choices: readonly AuthorizerChoice[];
  #chain: Chain;
  readonly #lingering = new Set<Disposable>();
  #watch: Disposable | undefined;

  constructor(
    choices: readonly AuthorizerChoice[] | ConfiguredAuthorization,
    make: MakeAuthorizer,
    parts: AuthorizationParts,
  ) {
    this.#parts = parts;
    this.#make = make;
    this.#metrics = new AuthorizationMetrics(parts.metrics, parts.clock);
    this.#choices = 'file' in choices ? choices.authorizers : choices;
    this.#chain = this.#chainOf(this.#choices);
    this.authorize = (request: AccessRequest): AccessDecision | Promise<AccessDecision> =>
      this.#chain.authorize(request);
    if ('file' in choices) this.#follow(choices);
  }

  rulesFor(user: UserInfo, namespace: string): Promise<AccessRules> {
    return allRules(this.#chain.listing, user, namespace);
  }

  /** Closes connections to webhooks, and stops watching the file. */
  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
    for (const one of [...this.#chain.webhooks, ...this.#lingering]) one[Symbol.dispose]();
  }

  #chainOf(choices: readonly AuthorizerChoice[]): Chain {
    const { more = [], own } = this.#parts;
    const programs = own === undefined || beginsWithPrograms(choices) ? [] : [own];
    const made = choices.map((choice) => ({ choice, authorizer: this.#authorizer(choice) }));
    const counted = made.map(({ choice: { type, name }, authorizer }) => this.#metrics.counted(type, name, authorizer));
    return {
      authorize: firstOpinion([mastersAuthorizer, ...more, ...programs, ...counted]).authorize,
      listing: [...more.map(listingOf), ...made.map(({ authorizer }) => authorizer)],
      webhooks: made.flatMap(({ authorizer }) => (authorizer instanceof WebhookAuthorizer ? [authorizer] : [])),
    };
  }

  #authorizer({ type, name, webhook }: AuthorizerChoice): ListingAuthorizer {
    if (webhook !== undefined)
      return new WebhookAuthorizer({ name, ...webhook }, { ...this.#parts, metrics: this.#metrics });
    const made = this.#make(type);
    if (made !== undefined) return made;
    throw new Error(`authorizer type ${type} is not allowed if it was not enabled at initial server startup`);
  }

  #follow({ file, text }: ConfiguredAuthorization): void {
    const { clock, log, metrics, serverId = 'keelson' } = this.#parts;
    const reloads = new ReloadMetrics(metrics, { clock, serverId, subsystem: 'authorization_config_controller' });
    reloads.using(text);
    const required = this.#choices.flatMap(({ type }) => (type === 'Webhook' ? [] : [type]));
    this.#watch = watchFiles([file], {
      clock,
      known: [text],
      changed: ([now = '']) => {
        const choices = readAuthorizationConfiguration(now);
        checkRequired(choices, required);
        if (deepEqual(comparable(choices), comparable(this.#choices))) return;
        this.#use(choices);
        reloads.succeeded(now);
        log.info('authorization configuration reloaded', { file, authorizers: choices.length });
      },
      failed: (error) => {
        reloads.failed();
        log.error('authorization configuration cannot be used', { file, error: messageOf(error) });
      },
    });
  }

  #use(choices: readonly AuthorizerChoice[]): void {
    const chain = this.#chainOf(choices);
    const old = this.#chain.webhooks;
    this.#chain = chain;
    this.#choices = choices;
    if (old.length === 0) return;
    const end = (): void => {
      for (const webhook of old) webhook[Symbol.dispose]();
    };
    const timer = this.#parts.clock.timer(LINGER_MS, () => {
      this.#lingering.delete(lingering);
      end();
    });
    const lingering = {
      [Symbol.dispose]() {
        timer[Symbol.dispose]();
        end();
      },
    };
    this.#lingering.add(lingering);
  }
}

/** Whether the chain gives programs their rights before another authorizer can refuse them. */
function beginsWithPrograms(choices: readonly AuthorizerChoice[]): boolean {
  const first = choices.slice(0, PROGRAM_MODES.length);
  return PROGRAM_MODES.every((mode) => first.some(({ type }) => type === mode));
}

/** Authorizers of this process that were enabled at the start must stay in the chain. */
function checkRequired(choices: readonly AuthorizerChoice[], required: readonly string[]): void {
  const missing = required.filter((type) => !choices.some((choice) => choice.type === type));
  if (missing.length > 0) throw new Error(`missing required types: [${missing.sort().join(' ')}]`);
}

/** Compiled conditions are compared by their source texts. */
function comparable(choices: readonly AuthorizerChoice[]): object {
  return choices.map(({ webhook, ...choice }) =>
    webhook === undefined ? choice : { ...choice, ...webhook, conditions: webhook.conditions?.texts ?? [] },
  );
}

type RuleLister = Pick<ListingAuthorizer, 'rulesFor'>;

/** Additional authorizers need not be able to list their rules; then the listing is marked incomplete. */
function listingOf(authorizer: Authorizer): RuleLister {
  if ('rulesFor' in authorizer) return authorizer as ListingAuthorizer;
  const problem = 'an authorizer does not support user rule resolution';
  return { rulesFor: () => ({ resourceRules: [], nonResourceRules: [], isIncomplete: true, problem }) };
}

async function allRules(authorizers: readonly RuleLister[], user: UserInfo, namespace: string): Promise<AccessRules> {
  const lists = await Promise.all(authorizers.map(async (each) => each.rulesFor(user, namespace)));
  const problems = lists.flatMap(({ problem }) => problem ?? []);
  return {
    resourceRules: lists.flatMap(({ resourceRules }) => resourceRules),
    nonResourceRules: lists.flatMap(({ nonResourceRules }) => nonResourceRules),
    isIncomplete: lists.some(({ isIncomplete }) => isIncomplete),
    ...(problems.length === 0 ? {} : { problem: joinProblems(problems) }),
  };
}
