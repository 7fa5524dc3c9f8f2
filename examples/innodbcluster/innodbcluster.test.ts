import { mergePatch } from 'keelson';
import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { InnoDBCluster, MySQLBackup, mysqlApp } from './innodbcluster.ts';

const mypwds = { metadata: { name: 'mypwds' }, stringData: { rootUser: 'root', rootPassword: 'sakila' } };

test('a cluster waits for its passwords, comes up in order, grows, and is backed up', async () => {
  await using cluster = await startCluster();
  await cluster.run(mysqlApp());
  const { client, clock } = cluster;
  const clusters = client.kind(InnoDBCluster).namespace('default');
  const backups = client.kind(MySQLBackup).namespace('default');
  const status = async (): Promise<unknown> => (await clusters.get('mycluster')).status;

  const spec = { secretName: 'mypwds', instances: 3, version: '8.0.31', mycnf: 'max_connections=162' };
  await clusters.create({ metadata: { name: 'mycluster' }, spec });
  await backups.create({ metadata: { name: 'first' }, spec: { clusterName: 'mycluster' } });
  await cluster.settle();
  expect(await status()).toEqual({ status: 'PENDING', online: 0 });
  expect((await backups.get('first')).status).toEqual({ status: 'Waiting' });

  await client.core.v1.secrets.namespace('default').create(mypwds);
  await clock.advance('1m');
  await cluster.settle();
  expect(await status()).toEqual({ status: 'ONLINE', online: 3 });
  const pods = client.core.v1.pods.namespace('default');
  const { items } = await pods.list({ labelSelector: 'mysql.oracle.com/cluster=mycluster' });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['mycluster-0', 'mycluster-1', 'mycluster-2']);
  const config = await client.core.v1.configmaps.namespace('default').get('mycluster-mycnf');
  expect(config.data).toEqual({ 'my.cnf': '[mysqld]\nmax_connections=162' });
  expect((await backups.get('first')).status).toEqual({ status: 'Completed' });

  await clusters.patch('mycluster', mergePatch({ spec: { instances: 5 } }));
  await clock.advance('1m');
  await cluster.settle();
  expect(await status()).toEqual({ status: 'ONLINE', online: 5 });

  await clusters.delete('mycluster');
  await clock.advance('1m');
  await cluster.settle();
  expect((await pods.list({ labelSelector: 'mysql.oracle.com/cluster=mycluster' })).items).toEqual([]);
  const claims = await client.core.v1.persistentvolumeclaims.namespace('default').list();
  expect(claims.items).toHaveLength(5); // data outlives its cluster
  expect(cluster.problems).toEqual([]);
});
