import { forbidden } from '../../api/index.ts';
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../api/types/admissionregistration/v1.d.ts';
import type {
  AdmissionAttributes,
  AdmissionTarget,
  ObjectIndex,
  Resource,
  ServerObjects,
} from '../../apiserver/index.ts';
import { aborted, compareUtf8 } from '../../base/index.ts';
import { Hook, type HookSources } from './hook.ts';

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** A webhook with its position among all of its type. */
export interface PlacedHook {
  readonly hook: Hook;
  readonly index: number;
}

interface HookIndexOptions extends HookSources {
  readonly objects: ServerObjects;
  /** Kinds that are not served configure nothing. */
  readonly isServed: (group: string, plural: string) => boolean;
  readonly plural: 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations';
}

const GROUP = 'admissionregistration.k8s.io';
const ALL = 'all';
const NONE: readonly PlacedHook[] = [];

/**
 * The webhooks of all configurations, in the order of the configurations' names, by what they can match. A request of a
 * sort that no webhook matches costs two lookups. Only changed configurations are prepared again.
 */
export class HookIndex {
  readonly #options: HookIndexOptions;
  readonly #hooksOf = new WeakMap<Configuration, readonly Hook[]>();
  #configurations: ObjectIndex<Configuration> | undefined;
  #known: readonly Configuration[] | undefined;
  #hooks: readonly PlacedHook[] = NONE;
  #byTarget = new WeakMap<Resource, Map<string, readonly PlacedHook[]>>();

  constructor(options: HookIndexOptions) {
    this.#options = options;
  }

  /** Webhooks that may apply to such requests; a promise only before the configurations have been read. */
  hooksFor(attributes: AdmissionAttributes): readonly PlacedHook[] | Promise<readonly PlacedHook[]> {
    const { objects, plural, isServed } = this.#options;
    if (this.#configurations === undefined && !isServed(GROUP, plural)) return NONE;
    const index = (this.#configurations ??= objects.of<Configuration>(GROUP, plural).index(ALL, () => [ALL]));
    return index.isComplete ? this.#find(attributes, index.get(ALL)) : this.#findLater(attributes, index);
  }

  /** No request is admitted before the configurations are known. */
  async #findLater(attributes: AdmissionAttributes, index: ObjectIndex<Configuration>): Promise<readonly PlacedHook[]> {
    const { signal, resource, name } = attributes;
    await Promise.race([index.completed(), aborted(signal)]);
    if (index.isComplete) return this.#find(attributes, index.get(ALL));
    throw forbidden({ group: resource.group, resource: resource.plural }, name, 'not yet ready to handle request');
  }

  #find(target: AdmissionTarget, configurations: readonly Configuration[]): readonly PlacedHook[] {
    if (configurations !== this.#known) this.#replace(configurations);
    if (this.#hooks.length === 0) return NONE;
    let known = this.#byTarget.get(target.resource);
    if (known === undefined) this.#byTarget.set(target.resource, (known = new Map()));
    const key = `${target.operation}/${target.subresource}`;
    let found = known.get(key);
    if (found === undefined) {
      found = this.#hooks.filter(({ hook }) => hook.matcher.couldMatch(target));
      known.set(key, found);
    }
    return found;
  }

  #replace(configurations: readonly Configuration[]): void {
    this.#known = configurations;
    this.#byTarget = new WeakMap();
    this.#hooks = configurations
      .toSorted((left, right) => compareUtf8(left.metadata?.name ?? '', right.metadata?.name ?? ''))
      .flatMap((configuration) => this.#compiled(configuration))
      .map((hook, index) => ({ hook, index }));
  }

  #compiled(configuration: Configuration): readonly Hook[] {
    let hooks = this.#hooksOf.get(configuration);
    if (hooks === undefined) {
      const name = configuration.metadata?.name ?? '';
      hooks = (configuration.webhooks ?? []).map(
        (webhook, index) => new Hook(webhook, { configuration: name, index }, this.#options),
      );
      this.#hooksOf.set(configuration, hooks);
    }
    return hooks;
  }
}
