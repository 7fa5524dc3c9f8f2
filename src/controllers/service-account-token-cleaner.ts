import { podReferences } from '../api/meaning/index.ts';
import { type Duration, millisecondsOf } from '../base/index.ts';
import { keyOf, mergePatch, type Observed, Pod, Secret, ServiceAccount } from '../client/index.ts';
import { type AppContext, type Objects, Passes, type PreparedPart, type ProgramPart } from '../kit/index.ts';

export interface TokenCleanerOptions {
  /** A token unused for this time is marked as invalid, and deleted after the same time again; default one year. */
  readonly tokenCleanUpPeriod?: Duration;
}

const NAME = 'legacy-serviceaccount-token-cleaner-controller';
const DAY_MS = 24 * 60 * 60_000;
const YEAR_MS = 365 * DAY_MS;
const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const TRACKING = 'kube-apiserver-legacy-service-account-token-tracking';
const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Deletes unused legacy tokens: those that old clusters generated for every service account. */
export function serviceAccountTokenCleaner({ tokenCleanUpPeriod = YEAR_MS }: TokenCleanerOptions = {}): ProgramPart {
  return {
    name: NAME,
    sleepsWithout: [Secret],
    prepare: (context) => new TokenCleaning(context, millisecondsOf(tokenCleanUpPeriod)),
  };
}

class TokenCleaning implements PreparedPart {
  readonly #context: AppContext;
  readonly #periodMs: number;
  readonly #secrets: Objects<Secret>;
  readonly #accounts: Objects<ServiceAccount>;
  readonly #pods: Objects<Pod>;
  readonly #passes: Passes;

  constructor(context: AppContext, periodMs: number) {
    this.#context = context;
    this.#periodMs = periodMs;
    this.#secrets = context.objects(Secret);
    this.#accounts = context.objects(ServiceAccount);
    this.#pods = context.objects(Pod);
    this.#passes = new Passes(context, NAME, { period: DAY_MS, pass: () => this.#clean() });
    context.onChange(Secret, { add: ({ type }) => void (type === TOKEN_TYPE && this.#passes.request()) });
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#passes.run(signal);
  }

  async #clean(): Promise<void> {
    const { client, clock } = this.#context;
    const tokens = this.#secrets.list().filter(({ type }) => type === TOKEN_TYPE);
    if (tokens.length === 0) return;
    this.#passes.request(clock.monotonic() + 1); // and again tomorrow
    const { data = {} } = await client.core.v1.configmaps.namespace('kube-system').get(TRACKING);
    const since = Date.parse(`${data['since']}T00:00:00Z`) + DAY_MS;
    const now = clock.now();
    if (Number.isNaN(since) || now < since + this.#periodMs) return; // tracking has not run long enough to know what is unused
    const usedByPods = new Map<string, ReadonlySet<string>>();
    for (const secret of tokens) {
      if (!this.#isUnused(secret, now) || !this.#isOfAccount(secret)) continue;
      const { namespace = '', name } = secret.metadata;
      const used = usedByPods.get(namespace) ?? this.#mounted(namespace);
      usedByPods.set(namespace, used);
      if (!used.has(name)) await this.#invalidate(secret, now);
    }
  }

  #isUnused({ metadata }: Observed<Secret>, now: number): boolean {
    if (metadata.deletionTimestamp !== undefined) return false;
    if (Date.parse(metadata.creationTimestamp) >= now - this.#periodMs) return false;
    const lastUsed = metadata.labels?.[LAST_USED];
    return lastUsed === undefined || (isDate(lastUsed) && lastUsed < dateOf(now - this.#periodMs));
  }

  /** Whether the service account lists the Secret: only auto-generated tokens are listed. */
  #isOfAccount({ metadata }: Observed<Secret>): boolean {
    const { namespace = '', annotations = {}, name } = metadata;
    const account = this.#accounts.get(`${namespace}/${annotations['kubernetes.io/service-account.name'] ?? ''}`);
    const uid = annotations['kubernetes.io/service-account.uid'] ?? '';
    if (account === undefined || (uid !== '' && uid !== account.metadata.uid)) return false;
    return (account.secrets ?? []).some((secret) => secret.name === name);
  }

  #mounted(namespace: string): ReadonlySet<string> {
    return new Set(this.#pods.list({ namespace }).flatMap((pod) => podReferences(pod).secrets));
  }

  /** Marks the token as invalid first, and deletes it after the same time again. */
  async #invalidate(secret: Observed<Secret>, now: number): Promise<void> {
    const { uid, resourceVersion, labels = {} } = secret.metadata;
    const invalidSince = labels[INVALID_SINCE] ?? '';
    if (!isDate(invalidSince)) {
      const marked = { metadata: { uid, labels: { [INVALID_SINCE]: dateOf(now) } } };
      await this.#secrets.patch(keyOf(secret), mergePatch(marked));
    } else if (invalidSince < dateOf(now - this.#periodMs)) {
      await this.#secrets.delete(keyOf(secret), { preconditions: { resourceVersion } });
    }
  }
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function isDate(text: string): boolean {
  return DATE.test(text) && !Number.isNaN(Date.parse(text));
}
