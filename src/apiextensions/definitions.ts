import { hasReason, type TypeTable } from '../api/index.ts';
import type { ApiServer, ObjectsOf, WebhookClient } from '../apiserver/index.ts';
import { AbortScope, Backoff, deepEqual, type Logger, type MetricRegistry, type Random } from '../base/index.ts';
import { type Definition, isConditionTrue, withCondition, withoutFinalizer } from './conditions.ts';
import { ConversionMetrics, definitionConversion } from './conversion/index.ts';
import { type CustomResources, customResources } from './custom-resource.ts';
import { deleteInstances } from './delete-instances.ts';
import { nextStatus } from './next-status.ts';

const GROUP = 'apiextensions.k8s.io';
const PLURAL = 'customresourcedefinitions';
const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export interface DefinitionsOptions {
  readonly server: ApiServer;
  readonly types: TypeTable;
  readonly log: Logger;
  readonly random: Random;
  /** Calls conversion webhooks. */
  readonly webhooks: WebhookClient;
  readonly metrics: MetricRegistry;
  readonly signal: AbortSignal;
}

/** A served definition, and what was created for it. */
interface Served {
  readonly definition: Definition;
  readonly resources: CustomResources;
}

/**
 * Serves the kinds that CustomResourceDefinitions define, and reports progress in their status.
 *
 * Serving follows the store: what is registered is what the last seen definition says. Status is written by one worker,
 * so that two definitions never get the same name.
 */
export class Definitions implements Disposable {
  readonly #options: DefinitionsOptions;
  readonly #objects: ObjectsOf<Definition>;
  readonly #scope: AbortScope;
  readonly #conversions: ConversionMetrics;
  readonly #known = new Map<string, Definition>();
  readonly #served = new Map<string, Served>();
  /** The generation whose schemas the status describes; checking large schemas takes time. */
  readonly #judged = new Map<string, number | undefined>();
  readonly #queue = new Set<string>();
  readonly #backoffs = new Map<string, Backoff>();
  /** Instance deletions in progress, which take as long as their finalizers do. */
  readonly #cleanups = new Set<string>();
  #isWorking = false;
  #subscription: Disposable | undefined;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
    this.#objects = options.server.objects.of<Definition>(GROUP, PLURAL);
    this.#scope = new AbortScope(options.signal);
    this.#conversions = new ConversionMetrics(options.metrics);
  }

  /** Starts; with an in-process store, everything in it is served when this returns. */
  start(): void {
    this.#subscription = this.#objects.onChange(({ current, previous }) => {
      if (current !== undefined) this.#take(current);
      else if (previous !== undefined) this.#forget(previous);
    });
  }

  /** Resolves when every definition that is stored now is served. */
  async caughtUp(): Promise<void> {
    for (const definition of await this.#objects.newestList()) {
      if (!this.#known.has(definition.metadata.name)) this.#take(definition);
    }
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
    this.#scope.abort();
    this.#scope[Symbol.dispose]();
  }

  #take(definition: Definition): void {
    const { name, generation } = definition.metadata;
    if (!this.#known.has(name) && isConditionTrue(definition, 'Established')) this.#judged.set(name, generation);
    this.#known.set(name, definition);
    this.#serve(definition);
    this.#enqueue(name);
  }

  /** Other definitions of the group may wait for the released names. */
  #forget(definition: Definition): void {
    const { name } = definition.metadata;
    this.#known.delete(name);
    this.#judged.delete(name);
    this.#backoffs.delete(name);
    this.#withdraw(name);
    this.#enqueueWaiting(this.#groupOf(definition));
  }

  #enqueueWaiting(group: Iterable<Definition>): void {
    for (const definition of group) {
      if (!isConditionTrue(definition, 'NamesAccepted')) this.#enqueue(definition.metadata.name);
    }
  }

  #serve(definition: Definition): void {
    const { name } = definition.metadata;
    const isServed = isConditionTrue(definition, 'NamesAccepted') || isConditionTrue(definition, 'Established');
    if (!isServed || this.#isBuiltIn(definition)) {
      this.#withdraw(name);
      return;
    }
    const served = this.#served.get(name);
    if (served !== undefined && isServedAlike(served.definition, definition)) return this.#relist(served, definition);
    const { server, types, webhooks } = this.#options;
    const convert = definitionConversion(definition, webhooks, { metrics: this.#conversions });
    const isTerminating = (): boolean => isConditionTrue(this.#known.get(name) ?? definition, 'Terminating');
    const isEstablished = (): boolean => isConditionTrue(this.#known.get(name) ?? definition, 'Established');
    const resources = customResources(definition, { types, convert, isTerminating, isEstablished });
    // The old definition's decoded objects are released, so nothing may hold on to them in between.
    if (served !== undefined) server.objects.withdraw(served.resources.stored);
    if (resources.served.length > 0) server.registry.register(resources.served);
    else server.registry.withdraw(kindOf(definition));
    server.objects.register(resources.stored);
    this.#served.set(name, { definition, resources });
  }

  /** Names are accepted first, and the kind is served; discovery lists it once the definition is established, as in kube-apiserver. */
  #relist(served: Served, definition: Definition): void {
    if (isConditionTrue(served.definition, 'Established') === isConditionTrue(definition, 'Established')) return;
    this.#served.set(definition.metadata.name, { ...served, definition });
    this.#options.server.registry.relist(kindOf(definition));
  }

  #withdraw(name: string): void {
    const served = this.#served.get(name);
    if (served === undefined) return;
    const { server } = this.#options;
    this.#served.delete(name);
    server.registry.withdraw(kindOf(served.definition));
    server.objects.withdraw(served.resources.stored);
  }

  /** Built-in kinds stay as they are, whatever a definition says. */
  #isBuiltIn(definition: Definition): boolean {
    const { group, plural } = kindOf(definition);
    const { registry } = this.#options.server;
    return registry
      .resourcesOf(group)
      .some((resource) => resource.plural === plural && resource.capabilities.documents === 'built-in');
  }

  #groupOf({ spec }: Definition): Definition[] {
    return [...this.#known.values()].filter((other) => other.spec.group === spec.group);
  }

  #enqueue(name: string): void {
    this.#queue.add(name);
    if (this.#isWorking) return;
    this.#isWorking = true;
    void this.#work();
  }

  async #work(): Promise<void> {
    for (const name of this.#queue) {
      this.#queue.delete(name);
      if (this.#scope.signal.aborted) return;
      await this.#attempt(name, () => this.#advance(name));
    }
    this.#isWorking = false;
  }

  async #attempt(name: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
      this.#backoffs.delete(name);
    } catch (error) {
      if (this.#scope.signal.aborted) return;
      if (hasReason(error, 'NotFound')) return;
      if (!hasReason(error, 'Conflict')) {
        this.#options.log.warn('a definition cannot be brought forward', { definition: name, error });
      }
      this.#retry(name);
    }
  }

  #retry(name: string): void {
    const { server, random } = this.#options;
    let backoff = this.#backoffs.get(name);
    if (backoff === undefined) {
      backoff = new Backoff({ initialMs: 5, capMs: 1000_000 }, random);
      this.#backoffs.set(name, backoff);
    }
    const again = (): void => {
      if (this.#known.has(name)) this.#enqueue(name);
    };
    void server.services.clock.sleep(backoff.nextMs(), this.#scope.signal).then(again, () => undefined);
  }

  async #advance(name: string): Promise<void> {
    const definition = this.#known.get(name);
    if (definition === undefined) return;
    const { metadata } = definition;
    if (metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(CLEANUP_FINALIZER) === true) {
      if (!this.#cleanups.has(name)) void this.#attempt(name, () => this.#cleanUp(definition));
      return;
    }
    const { clock } = this.#options.server.services;
    const group = this.#groupOf(definition);
    const isSpecNew = this.#judged.get(name) !== metadata.generation;
    const next = nextStatus(definition, { group, now: clock.now(), isSpecNew });
    if (next === undefined) {
      this.#judged.set(name, metadata.generation);
      return;
    }
    await this.#write(next);
    this.#enqueueWaiting(group);
  }

  async #cleanUp(definition: Definition): Promise<void> {
    const { name } = definition.metadata;
    const { server } = this.#options;
    const { clock } = server.services;
    this.#cleanups.add(name);
    try {
      const begun = withCondition(
        definition,
        {
          type: 'Terminating',
          status: 'True',
          reason: 'InstanceDeletionInProgress',
          message: 'CustomResource deletion is in progress',
        },
        clock.now(),
      );
      await this.#write(begun);
      const stored = this.#isBuiltIn(definition) ? undefined : this.#served.get(name)?.resources.stored;
      const { condition, isDone } = await deleteInstances(definition, {
        server,
        stored,
        signal: this.#scope.signal,
      });
      const current = await this.#objects.newest('', name);
      if (current === undefined) return;
      const ended = withCondition(current, condition, clock.now());
      await this.#write(isDone ? withoutFinalizer(ended, CLEANUP_FINALIZER) : ended);
      if (!isDone) throw new Error(condition.message);
    } finally {
      this.#cleanups.delete(name);
    }
  }

  #write(definition: Definition): Promise<void> {
    const path = `/apis/${GROUP}/v1/${PLURAL}/${definition.metadata.name}/status`;
    return this.#options.server.self.update(path, definition);
  }
}

function kindOf({ spec, status }: Definition): { readonly group: string; readonly plural: string } {
  return { group: spec.group, plural: status?.acceptedNames?.plural ?? spec.names.plural };
}

/** Whether both are served in the same way, so that watches need not end. The generation covers the spec. */
function isServedAlike(one: Definition, other: Definition): boolean {
  return (
    one.metadata.uid === other.metadata.uid &&
    one.metadata.generation === other.metadata.generation &&
    deepEqual(one.status?.acceptedNames, other.status?.acceptedNames)
  );
}
