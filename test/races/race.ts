// Parts of a control plane at work on a real API server in this process, with a test that gets in between.
import type {
  ConfigMap,
  KubernetesObject,
  ResourceClient,
  Sendable,
  Stored,
  Transport,
} from '../../src/client/index.ts';
import { mergePatch } from '../../src/client/index.ts';
import type { Part } from '../../src/kit/index.ts';
import { runApp, type RunningApp } from '../../src/kit/testing/running-app.ts';
import { InterposedTransport } from './interposed-transport.ts';

/** Time enough for back-offs and for passes that come every minute. */
const LONG = '3m';

export class Race implements AsyncDisposable {
  readonly running: RunningApp;
  readonly transport: InterposedTransport;

  private constructor(running: RunningApp, transport: InterposedTransport) {
    this.running = running;
    this.transport = transport;
  }

  static async start(...parts: readonly Part[]): Promise<Race> {
    const made: InterposedTransport[] = [];
    const transport = (inner: Transport): Transport => (made[0] = new InterposedTransport(inner));
    const running = await runApp(parts, undefined, { transport });
    return new Race(running, made[0] as InterposedTransport);
  }

  get client(): RunningApp['client'] {
    return this.running.client;
  }

  get maps(): ResourceClient<ConfigMap> {
    return this.client.core.v1.configmaps.namespace('default');
  }

  /** Until all is done that needs no time. */
  settle(): Promise<void> {
    return this.running.settle();
  }

  /** Until all is done, also what was tried again. Fails if a scheduled moment never came. */
  async finish(): Promise<void> {
    await this.settle();
    await this.running.clock.advance(LONG);
    await this.settle();
    if (this.transport.left > 0) throw new Error('The request that the test waits for was never sent');
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.running[Symbol.asyncDispose]();
  }
}

/** Removes an object by force, whatever holds it, and creates another of the same name. */
export async function recreate<T extends KubernetesObject>(
  resource: ResourceClient<T>,
  successor: Sendable<T> & { readonly metadata: { readonly name: string } },
): Promise<Stored<T>> {
  const { name } = successor.metadata;
  await resource.delete(name, { gracePeriodSeconds: 0 });
  await resource.patch(name, mergePatch({ metadata: { finalizers: null } })).catch(() => undefined); // nothing held it
  return resource.create(successor);
}

/** Adds a finalizer to an object, as another controller does. */
export function addFinalizer<T extends KubernetesObject>(
  resource: ResourceClient<T>,
  name: string,
  finalizer: string,
): Promise<Stored<T>> {
  return resource
    .get(name)
    .then(({ metadata: { resourceVersion, finalizers = [] } }) =>
      resource.patch(name, mergePatch({ metadata: { resourceVersion, finalizers: [...finalizers, finalizer] } })),
    );
}
