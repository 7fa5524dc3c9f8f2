import { Definitions } from '../../../src/apiextensions/index.ts';
import { EndpointResolver, StoredObject, WebhookClient } from '../../../src/apiserver/index.ts';
import { MemoryServer } from '../../../src/apiserver/testing/memory-server.ts';
import { discardLogger, MetricRegistry, settle } from '../../../src/base/index.ts';
import { builtInResources } from '../../../src/resources/index.ts';
import type { Reply } from '../apply/kube-client.ts';
import type { Stage } from './player.ts';

/** Our own server, in this process. */
export class ReplayStage extends MemoryServer implements Stage {
  readonly #end = new AbortController();
  readonly #definitions: Definitions;

  constructor() {
    super({ seed: 'custom-objects' });
    const { types, objects, random, clock, server } = this;
    server.registry.register(builtInResources(types, { objects, random, clock, serviceCidrs: ['10.0.0.0/16'] }));
    const { uids } = server.services;
    const webhooks = new WebhookClient({ clock, uids, types, services: new EndpointResolver(objects, random) });
    const metrics = new MetricRegistry();
    const { signal } = this.#end;
    this.#definitions = new Definitions({ server, types, log: discardLogger, random, webhooks, metrics, signal });
  }

  async prepare(): Promise<void> {
    this.#definitions.start();
    await this.send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'default' } } });
  }

  async send(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly type?: string } = {},
  ): Promise<Reply> {
    const call = this.callOf(method, path, options);
    const answer = await this.server.answer(call);
    const warnings = call.record.warnings.texts;
    if (answer.type === 'status') {
      return { code: answer.status.code, body: JSON.parse(JSON.stringify(answer.status)) as Reply['body'], warnings };
    }
    if (answer.type === 'bytes') return { code: answer.code, body: {}, warnings };
    if (answer.type !== 'object') throw new Error(`Unexpected answer: ${answer.type}`);
    const { object, resource } = answer;
    const text =
      object instanceof StoredObject ? Buffer.from(object.json(resource)).toString() : JSON.stringify(object);
    return { code: answer.code, body: JSON.parse(text) as Reply['body'], warnings };
  }

  pause(): Promise<void> {
    return settle();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#definitions[Symbol.dispose]();
    this.#end.abort();
    await super[Symbol.asyncDispose]();
  }
}
