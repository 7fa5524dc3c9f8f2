// What explore puts the service catalog through: the broker is outside of the cluster.
import { mergePatch } from 'keelson';
import { type BrokerAnswer, brokerClient, type BrokerRequest, type OpenBroker, serviceBroker } from 'keelson/broker';
import type { Scenario } from 'keelson/testing';
import { catalogApp } from '../../../examples/service-catalog/app.ts';
import { ClusterServiceBroker, ServiceBinding, ServiceInstance } from '../../../examples/service-catalog/kinds.ts';

/** A broker without a network, and what it has. */
class Databases {
  readonly instances = new Map<string, string>();
  readonly bindings = new Set<string>();
  readonly #opening: Promise<OpenBroker>;

  constructor() {
    const { instances, bindings } = this;
    const broker = serviceBroker({
      catalog: {
        database: {
          id: 'class-database',
          description: 'Databases',
          planUpdateable: true,
          plans: {
            small: { id: 'plan-small', description: 'At once' },
            large: { id: 'plan-large', description: 'In the background', async: ['update', 'deprovision', 'bind'] },
          },
        },
      },
      provision: ({ id, plan }) => void instances.set(id, plan),
      update: ({ id, plan }) => void instances.set(id, plan),
      deprovision: ({ id }) => void instances.delete(id),
      bind({ id }) {
        bindings.add(id);
        return { credentials: { uri: 'db://one' } };
      },
      unbind: ({ id }) => void bindings.delete(id),
      pollEvery: '1s',
    });
    this.#opening = broker.open();
  }

  /** `what` names the request in stories. */
  async answer(_what: string, request: BrokerRequest): Promise<BrokerAnswer> {
    return (await this.#opening).answer(request);
  }
}

const inDefault = { namespace: 'default' } as const;

export const catalog: Scenario<Databases> = {
  cluster: { nodes: 0, scheduler: false },
  outside: () => new Databases(),
  // a binding notes the plan of its instance when it is made, so that depends on which of both comes first
  ignore: ['ServiceBinding status.externalProperties'],
  outsideState: ({ instances, bindings }) => ({ plans: [...instances.values()], bindings: bindings.size }),
  app: (databases) =>
    catalogApp({
      connect: (options) =>
        brokerClient({
          ...options,
          answer: (request) => databases.answer(`${request.method} ${request.url.split('?')[0]}`, request),
        }),
    }),
  setup: ({ client }) =>
    client.core.v1.secrets
      .namespace('default')
      .create({ metadata: { name: 'login' }, stringData: { username: 'catalog', password: 'secret' } }),
  steps: {
    register: async ({ client, clock }) => {
      const spec = {
        url: 'http://databases.example.com',
        relistBehavior: 'Manual' as const,
        authInfo: { basic: { secretRef: { ...inDefault, name: 'login' } } },
      };
      await client.kind(ClusterServiceBroker).create({ metadata: { name: 'databases' }, spec });
      await clock.advance('10s');
    },
    provision: async ({ client, clock }) => {
      const spec = { clusterServiceClassExternalName: 'database', clusterServicePlanExternalName: 'small' };
      await client
        .kind(ServiceInstance)
        .namespace('default')
        .create({ metadata: { name: 'db' }, spec });
      await clock.advance('1m');
    },
    bind: async ({ client, clock }) => {
      const spec = { instanceRef: { name: 'db' }, secretName: 'db-login' };
      await client
        .kind(ServiceBinding)
        .namespace('default')
        .create({ metadata: { name: 'app' }, spec });
      await clock.advance('1m');
    },
    change: async ({ client, clock }) => {
      await client
        .kind(ServiceInstance)
        .namespace('default')
        .patch('db', mergePatch({ spec: { clusterServicePlanExternalName: 'large' } }));
      await clock.advance('1m');
    },
    remove: async ({ client, clock }) => {
      await client.kind(ServiceBinding).namespace('default').delete('app');
      await client.kind(ServiceInstance).namespace('default').delete('db');
      await clock.advance('1m');
    },
    unregister: ({ client }) => client.kind(ClusterServiceBroker).delete('databases'),
  },
};
