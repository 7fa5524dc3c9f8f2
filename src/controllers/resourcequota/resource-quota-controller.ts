import {
  addAmounts,
  amountsOf,
  amountTexts,
  areEqualAmounts,
  increaseOfAmounts,
  isQuotaOfExtendedResource,
  type QuotaEvaluator,
  QuotaEvaluators,
  type ResourceAmounts,
  usageOf,
} from '../../api/meaning/index.ts';
import { type Duration, runTogether } from '../../base/index.ts';
import {
  type Handler,
  hasReason,
  keyOf,
  type Kind,
  type KubernetesObject,
  type Observed,
  ResourceQuota,
  type ServedKind,
} from '../../client/index.ts';
import {
  type AppContext,
  type KeyedWorkers,
  type Objects,
  type ProgramPart,
  Passes,
  type PreparedPart,
  type WorkContext,
} from '../../kit/index.ts';
import { KindCatalogue } from '../garbage-collector/kind-catalogue.ts';
import { CountedKinds, type CountedObjects } from './counted-kinds.ts';
import { DeviceLookup } from './device-lookup.ts';
import { ON_ITS_WAY_MS, QuotaAccount } from './quota-account.ts';

export interface ResourceQuotaOptions {
  /** How often all quotas are recounted; default 5 minutes. */
  readonly resourceQuotaSyncPeriod?: Duration;
}

interface ControlOptions extends ResourceQuotaOptions {
  /** Calls a listener when the served kinds change. */
  readonly kindsChanged?: (listener: () => void) => Disposable;
}

/** The objects of a kind, and how to count them. */
interface MeasuredKind {
  readonly evaluator: QuotaEvaluator;
  readonly objects: CountedObjects;
}

const NAME = 'resourcequota';
const CONCURRENCY = 5;
const SYNC_PERIOD_MS = 5 * 60_000;

/**
 * Maintains the usage in the status of ResourceQuotas: when a quota changes, when a counted object is deleted or
 * finishes, and periodically. Creations are charged by admission.
 */
export function resourceQuotaController(options: ControlOptions = {}): ProgramPart {
  return {
    name: NAME,
    sleepsWithout: [ResourceQuota],
    prepare: (context) => new ResourceQuotaControl(context, options),
  };
}

class ResourceQuotaControl implements PreparedPart {
  readonly #context: AppContext;
  readonly #options: ControlOptions;
  readonly #quotas: Objects<ResourceQuota>;
  readonly #catalogue: KindCatalogue;
  readonly #devices: DeviceLookup;
  readonly #evaluators: QuotaEvaluators;
  readonly #kinds: CountedKinds;
  /** Counts quotas, by key. */
  readonly #workers: KeyedWorkers;
  /** Recounts all quotas, in case an event was missed. */
  readonly #passes: Passes;
  /** By the key of the quota. */
  readonly #accounts = new Map<string, QuotaAccount>();
  /** The counted kinds, by quota key. */
  readonly #counted = new Map<string, ReadonlySet<string>>();

  constructor(context: AppContext, options: ControlOptions) {
    this.#context = context;
    this.#options = options;
    this.#quotas = context.objects(ResourceQuota);
    this.#catalogue = new KindCatalogue(context.client.apis, context.clock);
    this.#devices = new DeviceLookup(context);
    this.#evaluators = new QuotaEvaluators(this.#devices);
    this.#kinds = new CountedKinds(context, (kind) => this.#handlerFor(kind));
    this.#workers = context.workers('resourcequota_primary', {
      concurrency: CONCURRENCY,
      work: (key, work) => this.#count(key, work),
    });
    this.#passes = new Passes(context, 'resourcequota_resync', {
      period: options.resourceQuotaSyncPeriod ?? SYNC_PERIOD_MS,
      pass: async () => this.#countAll(),
    });
    context.onChange(ResourceQuota, {
      add: (quota) => {
        this.#workers.add(keyOf(quota));
        this.#passes.request();
      },
      update: (quota, old) => {
        if (!areSame(quota.spec?.hard, old.spec?.hard)) this.#workers.add(keyOf(quota));
      },
      delete: (quota) => {
        this.#accounts.delete(keyOf(quota));
        this.#setCounted(keyOf(quota), undefined);
      },
    });
  }

  get isIdle(): boolean {
    return this.#kinds.isIdle;
  }

  async run(signal: AbortSignal): Promise<void> {
    using _ = this.#options.kindsChanged?.(() => {
      this.#catalogue.expire();
      this.#countAll();
    });
    await runTogether([this.#workers, this.#passes, this.#kinds], signal);
  }

  #countAll(): void {
    const quotas = this.#quotas.list();
    if (this.#options.kindsChanged === undefined) this.#catalogue.expire(); // no listener reports new kinds
    for (const quota of quotas) this.#workers.add(keyOf(quota));
    if (quotas.length > 0) this.#passes.request();
  }

  async #count(key: string, { signal, after }: WorkContext): Promise<void> {
    const quota = this.#quotas.get(key);
    if (quota === undefined) return;
    const { hard = {} } = quota.spec ?? {};
    const { used = {} } = quota.status ?? {};
    const names = Object.keys(hard);
    if (names.some(isQuotaOfExtendedResource)) await this.#devices.open(signal);
    const kinds = await this.#kindsOf(quota, signal);
    const said = amountsOf(
      Object.fromEntries(names.flatMap((name) => (used[name] === undefined ? [] : [[name, used[name]]]))),
    );
    const finding = this.#accountOf(key).find(said, this.#usage(quota, kinds), this.#context.clock.now());
    if (!finding.isExact) after(ON_ITS_WAY_MS);
    const isCounted = quota.status?.hard !== undefined && quota.status.used !== undefined;
    const isSame = isCounted && areSame(hard, quota.status?.hard) && areEqualAmounts(finding.used, amountsOf(used));
    try {
      if (!isSame)
        await this.#quotas.updateStatus({ ...quota, status: { hard: { ...hard }, used: amountTexts(finding.used) } });
      finding.written();
    } catch (error) {
      if (hasReason(error, 'Conflict')) finding.refused();
      throw error;
    }
  }

  #accountOf(key: string): QuotaAccount {
    const account = this.#accounts.get(key) ?? new QuotaAccount();
    this.#accounts.set(key, account);
    return account;
  }

  /** The objects of all served kinds that the quota counts. */
  async #kindsOf(quota: Observed<ResourceQuota>, signal: AbortSignal): Promise<readonly MeasuredKind[]> {
    const evaluators = this.#evaluators.measuring(Object.keys(quota.spec?.hard ?? {}));
    this.#setCounted(keyOf(quota), new Set(evaluators.map(({ group, plural }) => `${group}/${plural}`)));
    const kinds: MeasuredKind[] = [];
    for (const evaluator of evaluators) {
      const kind = await this.#servedKind(evaluator, signal);
      if (kind !== undefined) kinds.push({ evaluator, objects: await this.#kinds.open(kind, signal) });
    }
    return kinds;
  }

  #usage(quota: Observed<ResourceQuota>, kinds: readonly MeasuredKind[]): ResourceAmounts {
    const nowMs = this.#context.clock.now();
    const usages = kinds.map(({ evaluator, objects }) =>
      usageOf(quota, objects.in(quota.metadata.namespace ?? ''), { evaluator, nowMs }),
    );
    return usages.reduce(addAmounts, new Map());
  }

  async #servedKind({ group, plural }: QuotaEvaluator, signal: AbortSignal): Promise<ServedKind | undefined> {
    await this.#catalogue.known({ signal });
    const kind = this.#catalogue.deletable.find((each) => each.group === group && each.plural === plural);
    return kind?.scope === 'Namespaced' && kind.verbs.includes('create') ? kind : undefined;
  }

  /** Watches exactly the kinds that some quota counts. */
  #setCounted(key: string, kinds: ReadonlySet<string> | undefined): void {
    if (kinds === undefined) this.#counted.delete(key);
    else this.#counted.set(key, kinds);
    this.#kinds.keep(new Set([...this.#counted.values()].flatMap((each) => [...each])));
  }

  #handlerFor({ group, plural }: Kind): Handler<KubernetesObject> {
    const evaluator = this.#evaluators.of(group, plural);
    if (evaluator === undefined) return {};
    const { clock } = this.#context;
    const setFree = (object: Observed<KubernetesObject> | undefined, old: Observed<KubernetesObject>): void => {
      const nowMs = clock.now();
      for (const quota of this.#quotas.list({ namespace: old.metadata.namespace ?? '' })) {
        if (!Object.keys(quota.status?.hard ?? {}).some((name) => evaluator.measures(name))) continue;
        const [before, now] = [[old], object === undefined ? [] : [object]].map((objects) =>
          usageOf(quota, objects, { evaluator, nowMs }),
        );
        this.#accountOf(keyOf(quota)).free(increaseOfAmounts(before ?? new Map(), now ?? new Map()));
        this.#workers.add(keyOf(quota), { why: `${old.kind ?? plural} ${keyOf(old)} set something free` });
      }
    };
    return {
      update: (object, old) => {
        if (evaluator.setsFree?.(object, old, clock.now()) === true) setFree(object, old);
      },
      delete: (object) => setFree(undefined, object),
    };
  }
}

function areSame(left: Readonly<Record<string, string>> = {}, right: Readonly<Record<string, string>> = {}): boolean {
  return areEqualAmounts(amountsOf(left), amountsOf(right));
}
