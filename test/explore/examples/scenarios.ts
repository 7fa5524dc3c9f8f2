// What explore puts the operators among the examples through.
import { mergePatch } from 'keelson';
import type { Scenario } from 'keelson/testing';
import { Foo, sampleController } from '../../../examples/foo/foo.ts';
import { InnoDBCluster, MySQLBackup, mysqlApp } from '../../../examples/innodbcluster/innodbcluster.ts';
import { operator, Website } from '../../../create/template/website.ts';
import { library, Loan } from '../../../examples/library/library.ts';
import { labeller } from '../../../examples/pod-labeller/pod-labeller.ts';
import { SampleDB, sampleDbApp } from '../../../examples/sampledb/sampledb.ts';

const ZONE = 'topology.kubernetes.io/zone';
const containers = [{ name: 'web', image: 'nginx' }];

export const foo: Scenario = {
  app: sampleController,
  // a Foo with another deploymentName leaves its former Deployment behind, here as in Kubernetes' own example
  inputs: { skip: ['Foo spec.deploymentName'] },
  steps: {
    create: ({ client }) =>
      client
        .kind(Foo)
        .namespace('default')
        .create({ metadata: { name: 'example' }, spec: { deploymentName: 'example', replicas: 1 } }),
    grow: ({ client }) =>
      client
        .kind(Foo)
        .namespace('default')
        .patch('example', mergePatch({ spec: { replicas: 2 } })),
    remove: ({ client }) => client.kind(Foo).namespace('default').delete('example'),
  },
};

/** The operator that `npm create keelson` begins with. */
export const website: Scenario = {
  app: operator,
  steps: {
    create: ({ client }) =>
      client
        .kind(Website)
        .namespace('default')
        .create({ metadata: { name: 'shop' }, spec: { replicas: 2 } }),
    grow: ({ client }) =>
      client
        .kind(Website)
        .namespace('default')
        .patch('shop', mergePatch({ spec: { replicas: 3 } })),
    remove: ({ client }) => client.kind(Website).namespace('default').delete('shop'),
  },
};

export const podLabeller: Scenario = {
  app: labeller,
  steps: {
    create: ({ client }) =>
      client.core.v1.pods.namespace('default').create({ metadata: { name: 'web' }, spec: { containers } }),
    place: async ({ client }) => {
      const [node] = (await client.core.v1.nodes.list()).items;
      await client.core.v1.nodes.patch(
        node?.metadata.name ?? '',
        mergePatch({ metadata: { labels: { [ZONE]: 'north' } } }),
      );
    },
    move: async ({ client }) => {
      const [node] = (await client.core.v1.nodes.list()).items;
      await client.core.v1.nodes.patch(
        node?.metadata.name ?? '',
        mergePatch({ metadata: { labels: { [ZONE]: 'south' } } }),
      );
    },
  },
};

export const innodbcluster: Scenario = {
  app: mysqlApp,
  setup: ({ client }) =>
    client.core.v1.secrets
      .namespace('default')
      .create({ metadata: { name: 'mypwds' }, stringData: { rootUser: 'root', rootPassword: 'sakila' } }),
  steps: {
    create: async ({ client, clock }) => {
      const spec = { secretName: 'mypwds', instances: 2, version: '8.0.31', mycnf: 'max_connections=162' };
      await client
        .kind(InnoDBCluster)
        .namespace('default')
        .create({ metadata: { name: 'mycluster' }, spec });
      await clock.advance('1m');
    },
    'back up': async ({ client, clock }) => {
      const backup = { metadata: { name: 'first' }, spec: { clusterName: 'mycluster' } };
      await client.kind(MySQLBackup).namespace('default').create(backup);
      await clock.advance('1m');
    },
    remove: async ({ client, clock }) => {
      await client.kind(MySQLBackup).namespace('default').delete('first');
      await client.kind(InnoDBCluster).namespace('default').delete('mycluster');
      await clock.advance('1m');
    },
  },
};

export const sampledb: Scenario = {
  app: sampleDbApp,
  steps: {
    create: async ({ client, clock }) => {
      const spec = { version: '1.0', instances: 2 };
      await client
        .kind(SampleDB)
        .namespace('default')
        .create({ metadata: { name: 'example' }, spec });
      await clock.advance('1m');
    },
    upgrade: async ({ client, clock }) => {
      await client
        .kind(SampleDB)
        .namespace('default')
        .patch('example', mergePatch({ spec: { version: '2.0' } }));
      await clock.advance('1m');
    },
    remove: async ({ client, clock }) => {
      await client.kind(SampleDB).namespace('default').delete('example');
      await clock.advance('3m');
    },
  },
};

export const loans: Scenario = {
  name: 'library',
  inputs: true,
  app: () => library(),
  cluster: { nodes: 0, scheduler: false },
  steps: {
    lend: ({ client }) =>
      client
        .kind(Loan)
        .namespace('default')
        .create({ metadata: { name: 'moby' }, spec: { book: 'Moby Dick', reader: 'ada' } }),
    'give back': ({ client }) => client.kind(Loan).namespace('default').delete('moby'),
  },
};
