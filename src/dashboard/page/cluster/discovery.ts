import { computed, signal } from '@preact/signals';
import { sleep } from '../browser/clock.ts';
import { messageOf } from './api-error.ts';
import type { Connection } from './connection.ts';
import { resourceName, type ResourceKind } from './resource-kind.ts';

const ACCEPT = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
const REFRESH_MS = 30_000;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json';
/** A watch that has ended is begun again after this time. */
const DEFINITIONS_AGAIN_MS = 3_000;
/** A definition changes several times until it is served. */
const SETTLE_MS = 400;

interface GroupList {
  readonly kind?: string;
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly { readonly version: string; readonly resources?: readonly DiscoveredResource[] }[];
  }[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

/** All kinds that the server serves, custom ones included; asked for again now and then, since definitions come and go. */
export class Discovery {
  readonly kinds = signal<readonly ResourceKind[]>([]);
  readonly isLoaded = signal(false);
  readonly problem = signal<string | undefined>(undefined);
  readonly #byName = computed(() => new Map(this.kinds.value.map((kind) => [resourceName(kind), kind])));
  readonly #byGroupKind = computed(() => new Map(this.kinds.value.map((kind) => [`${kind.group}/${kind.kind}`, kind])));
  readonly #connection: Connection;
  #text = '';
  #isWaiting = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  find(name: string): ResourceKind | undefined {
    return this.#byName.value.get(name);
  }

  /** The kind of an object or an owner reference. */
  findKind(apiVersion: string | undefined, kind: string | undefined): ResourceKind | undefined {
    const slash = apiVersion?.indexOf('/') ?? -1;
    return this.#byGroupKind.value.get(`${slash < 0 ? '' : apiVersion?.slice(0, slash)}/${kind}`);
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#refreshNowAndThen(signal), this.#refreshOnDefinitions(signal)]);
  }

  /** Notices a new definition at once, where the viewer may watch definitions and streams are cheap. */
  async #refreshOnDefinitions(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(DEFINITIONS_AGAIN_MS, signal);
      if (!this.isLoaded.value || !this.#connection.hasManyStreams) continue;
      try {
        const lines = this.#connection.watch(`${DEFINITIONS}?watch=1`, { accept: METADATA, signal });
        for await (const _ of lines ?? []) void this.#refreshSoon();
      } catch {
        // viewers who may not watch definitions wait for the next refresh
      }
    }
  }

  async #refreshSoon(): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    await sleep(SETTLE_MS);
    this.#isWaiting = false;
    await this.refresh();
  }

  async #refreshNowAndThen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (document.visibilityState === 'visible' || !this.isLoaded.value) await this.refresh();
      await sleep(this.isLoaded.value ? REFRESH_MS : 1_000, signal);
    }
  }

  async refresh(): Promise<void> {
    try {
      const texts = await Promise.all(
        ['/api', '/apis'].map(async (path) => (await this.#connection.cluster(path, { accept: ACCEPT })).text()),
      );
      const text = texts.join('\n');
      this.problem.value = undefined;
      if (text !== this.#text) this.kinds.value = texts.flatMap((one) => kindsIn(JSON.parse(one) as GroupList));
      this.#text = text;
      this.isLoaded.value = true;
    } catch (error) {
      this.problem.value = messageOf(error);
    }
  }
}

/** Each resource in the first version that has it: servers list the preferred version first. */
function kindsIn(list: GroupList): ResourceKind[] {
  if (list.kind !== 'APIGroupDiscoveryList')
    throw new Error('The server has no aggregated discovery: this page needs Kubernetes 1.27 or later');
  const found = new Map<string, ResourceKind>();
  for (const { metadata, versions } of list.items ?? []) {
    const group = metadata?.name ?? '';
    for (const { version, resources } of versions ?? []) {
      for (const resource of resources ?? []) {
        const name = `${group}/${resource.resource}`;
        if (!found.has(name)) found.set(name, kindOf(group, version, resource));
      }
    }
  }
  return [...found.values()];
}

function kindOf(group: string, version: string, resource: DiscoveredResource): ResourceKind {
  return {
    group,
    version,
    resource: resource.resource,
    kind: resource.responseKind?.kind ?? resource.resource,
    isNamespaced: resource.scope === 'Namespaced',
    verbs: new Set(resource.verbs),
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    subresources: new Set((resource.subresources ?? []).map(({ subresource }) => subresource)),
  };
}
