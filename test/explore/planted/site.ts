// What all planted operators share: their kind, a cluster without nodes, and users' steps.
import { type KubernetesObject, mergePatch, type ObjectOf, type Observed, resource } from 'keelson';
import type { FaultGroup, Scenario, TestCluster } from 'keelson/testing';
import { z } from 'zod';
import type { App } from 'keelson';

/** The kind that the planted operators reconcile. */
export const Site = resource('acme.dev/v1', 'Site', {
  spec: z.object({ size: z.int(), host: z.string().optional() }),
  status: z.object({
    phase: z.string().optional(),
    ready: z.boolean().optional(),
    address: z.string().optional(),
    count: z.int().optional(),
    observedGeneration: z.int().optional(),
    seen: z.string().optional(),
  }),
});
export type Site = ObjectOf<typeof Site>;

/** Whether the object belongs to this very site. */
export function isOwned({ metadata }: Observed<KubernetesObject>, site: Observed<Site>): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === site.metadata.uid) ?? false;
}

/** Two operators that differ in one mistake, and what they are put through. */
export interface Pair {
  readonly name: string;
  /** What the mistake is. */
  readonly mistake: string;
  readonly scenario: (isBuggy: boolean) => Scenario<Cloud>;
  /** Where the end depends on the way there, or where caches may go back: the groups of faults to try. */
  readonly faults?: readonly FaultGroup[];
}

/** The steps that most operators are put through. */
export const life: Scenario<Cloud>['steps'] = {
  create: ({ client }) =>
    client
      .kind(Site)
      .namespace('default')
      .create({ metadata: { name: 'web' }, spec: { size: 1, host: 'a' } }),
  change: ({ client }) =>
    client
      .kind(Site)
      .namespace('default')
      .patch('web', mergePatch({ spec: { size: 3, host: 'b' } })),
  remove: ({ client }) => client.kind(Site).namespace('default').delete('web'),
};

/** A pair of operators that differ by a flag; `more` adds to the scenario. */
export function pair(
  name: string,
  mistake: string,
  make: (isBuggy: boolean, cloud: Cloud) => App,
  { faults, ...more }: Partial<Scenario<Cloud>> & Pick<Pair, 'faults'> = {},
): Pair {
  return {
    ...(faults === undefined ? {} : { faults }),
    name,
    mistake,
    scenario: (isBuggy) => ({
      name: isBuggy ? name : `${name} (correct)`,
      app: (cloud) => make(isBuggy, cloud),
      cluster: { nodes: 0, scheduler: false },
      steps: life,
      outside: () => new Cloud(),
      outsideState: (cloud) => cloud.state,
      ...more,
    }),
  };
}

/** Something outside of the cluster that an operator looks after. */
export class Cloud {
  readonly #buckets = new Map<string, string>();
  #made = 0;

  /** What there is, without the ids. */
  get state(): readonly string[] {
    return [...this.#buckets.values()].sort();
  }

  async find(name: string): Promise<string | undefined> {
    return [...this.#buckets].find(([, each]) => each === name)?.[0];
  }

  /** Makes a bucket, also where there is one of the same name; returns its id. */
  async create(name: string): Promise<string> {
    this.#made += 1;
    this.#buckets.set(`bucket-${this.#made}`, name);
    return `bucket-${this.#made}`;
  }

  /** Makes a bucket unless the token was used before. */
  async createOnce(name: string, token: string): Promise<string> {
    this.#buckets.set(token, name);
    return token;
  }

  async delete(id: string): Promise<void> {
    this.#buckets.delete(id);
  }
}

/** A user's request, in the namespace of all planted objects. */
export function sites({ client }: TestCluster) {
  return client.kind(Site).namespace('default');
}
