import { structuralKind, type StructuralSchema } from '../../../src/api/index.ts';
import { dns1123SubdomainProblems } from '../../../src/api/values/index.ts';
import { customCapabilities, type Resource, StoredObject } from '../../../src/apiserver/index.ts';
import { MemoryServer } from '../../../src/apiserver/testing/memory-server.ts';
import { deepEqual } from '../../../src/base/index.ts';
import { builtInResources } from '../../../src/resources/index.ts';
import type { Reply } from '../apply/kube-client.ts';
import type { Stage } from './player.ts';
import { groupOf, KIND, type Scenario, wholeSchema } from './scenario.ts';

/** Our own server, in this process, with the kinds of scenarios as if somebody had defined them. */
export class ReplayStage extends MemoryServer implements Stage {
  constructor() {
    super({ seed: 'custom-objects' });
    const { types, objects, random } = this;
    this.server.registry.register(builtInResources(types, { objects, random, serviceCidrs: ['10.0.0.0/16'] }));
  }

  async prepare(): Promise<void> {
    await this.send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'default' } } });
  }

  async send(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly type?: string } = {},
  ): Promise<Reply> {
    const call = this.callOf(method, path, options);
    const answer = await this.server.answer(call);
    const warnings = call.warnings.texts;
    if (answer.type === 'status') {
      return { code: answer.status.code, body: JSON.parse(JSON.stringify(answer.status)) as Reply['body'], warnings };
    }
    if (answer.type !== 'object') throw new Error(`Unexpected answer: ${answer.type}`);
    const { object, resource } = answer;
    const text =
      object instanceof StoredObject ? Buffer.from(object.json(resource)).toString() : JSON.stringify(object);
    return { code: answer.code, body: JSON.parse(text) as Reply['body'], warnings };
  }

  define(scenario: Scenario, schema: StructuralSchema, revision: number): Promise<void> {
    this.server.registry.register([this.#resource(scenario, wholeSchema(scenario, schema, revision))]);
    return Promise.resolve();
  }

  #resource(scenario: Scenario, schema: StructuralSchema): Resource {
    const group = groupOf(scenario);
    const hasStatus = scenario.status !== undefined;
    const type = structuralKind(schema, { group, version: 'v1', kind: KIND }, { types: this.types });
    return {
      group,
      version: 'v1',
      plural: 'things',
      singular: 'thing',
      kind: KIND,
      namespaced: true,
      shortNames: [],
      categories: [],
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      type,
      capabilities: customCapabilities,
      storage: { prefix: `/registry/${group}/things/`, apiVersion: `${group}/v1`, kind: KIND, type, encoding: 'json' },
      strategy: strategyOf(hasStatus),
      resetFields: hasStatus ? { '': ['status'], status: ['metadata', 'spec'] } : {},
      subresources: hasStatus
        ? new Map([['status', { type: 'view', verbs: ['get', 'patch', 'update'], strategy: statusStrategy }]])
        : new Map(),
      columns: [],
      selectableFields: [],
      selectFields: () => ({}),
    };
  }
}

function strategyOf(hasStatus: boolean): Resource['strategy'] {
  return {
    requiresResourceVersion: true,
    checkName: (name, { prefix }) => dns1123SubdomainProblems(prefix ? `${name.replace(/-$/, '')}` : name),
    prepareForCreate(object) {
      if (hasStatus) delete object['status'];
      object.metadata = { ...object.metadata, generation: 1 };
    },
    prepareForUpdate(object, old) {
      if (hasStatus) {
        delete object['status'];
        if (old['status'] !== undefined) object['status'] = old['status'];
      }
      const { metadata: _1, ...now } = object;
      const { metadata: _2, ...before } = old;
      if (deepEqual(now, before)) return;
      object.metadata = { ...object.metadata, generation: (old.metadata.generation ?? 0) + 1 };
    },
  };
}

const statusStrategy: Resource['strategy'] = {
  requiresResourceVersion: true,
  prepareForUpdate(object, old) {
    const { status } = object;
    for (const name of Object.keys(object)) delete object[name];
    Object.assign(object, old, status === undefined ? {} : { status });
    if (status === undefined) delete object['status'];
  },
};
