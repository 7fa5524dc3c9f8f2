import { type App, app, ConfigMap, controller, Job, resource, Secret, Service, StatefulSet, watch } from 'keelson';
import { z } from 'zod';

const PORTS = [
  { name: 'mysql', port: 3306 },
  { name: 'mysqlx', port: 33_060 },
];

/** The kind of MySQL's operator, reduced to the fields that are used here. */
export const InnoDBCluster = resource('mysql.oracle.com/v2', 'InnoDBCluster', {
  plural: 'innodbclusters',
  shortNames: ['ic'],
  spec: z.object({
    secretName: z.string(),
    instances: z.int().min(1).max(9).default(1),
    version: z.string().default('8.0.31'),
    mycnf: z.string().default(''),
  }),
  status: z.object({ status: z.enum(['PENDING', 'INITIALIZING', 'ONLINE']), online: z.int() }),
  columns: {
    Status: (it) => it.status.status,
    Online: (it) => it.status.online,
    Instances: (it) => it.spec.instances,
  },
});

export const MySQLBackup = resource('mysql.oracle.com/v2', 'MySQLBackup', {
  plural: 'mysqlbackups',
  shortNames: ['mbk'],
  spec: z.object({ clusterName: z.string() }),
  status: z.object({ status: z.enum(['Waiting', 'Running', 'Completed', 'Error']) }),
  columns: { Cluster: (it) => it.spec.clusterName, Status: (it) => it.status.status },
});

const clusters = controller(InnoDBCluster, {
  name: 'innodbclusters',
  owns: [ConfigMap, Service, StatefulSet],
  watches: [
    watch(Secret, {
      to: ({ metadata }, { objects }) =>
        objects(InnoDBCluster)
          .list({ namespace: metadata.namespace ?? '' })
          .filter(({ spec }) => spec.secretName === metadata.name)
          .map((cluster) => `${cluster.metadata.namespace}/${cluster.metadata.name}`),
    }),
  ],
  async reconcile({ metadata: { name, namespace = '' }, spec, status }, { desire, objects, event }) {
    const labels = { 'mysql.oracle.com/cluster': name };
    if (objects(Secret).get(`${namespace}/${spec.secretName}`) === undefined) {
      event({ type: 'Warning', reason: 'MissingSecret', message: `There is no Secret ${spec.secretName}` });
      return { status: 'PENDING', online: 0 };
    }
    await desire(ConfigMap, { metadata: { name: `${name}-mycnf` }, data: { 'my.cnf': `[mysqld]\n${spec.mycnf}` } });
    await desire(Service, { metadata: { name }, spec: { selector: labels, ports: PORTS } });
    const instances = { clusterIP: 'None', publishNotReadyAddresses: true, selector: labels, ports: PORTS };
    await desire(Service, { metadata: { name: `${name}-instances` }, spec: instances });
    const rootPassword = { secretKeyRef: { name: spec.secretName, key: 'rootPassword' } };
    const set = await desire(StatefulSet, {
      metadata: { name },
      spec: {
        serviceName: `${name}-instances`,
        replicas: spec.instances,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                name: 'mysql',
                image: `mysql:${spec.version}`,
                env: [{ name: 'MYSQL_ROOT_PASSWORD', valueFrom: rootPassword }],
                ports: PORTS.map((each) => ({ name: each.name, containerPort: each.port })),
                volumeMounts: [
                  { name: 'datadir', mountPath: '/var/lib/mysql' },
                  { name: 'mycnf', mountPath: '/etc/my.cnf.d' },
                ],
              },
            ],
            volumes: [{ name: 'mycnf', configMap: { name: `${name}-mycnf` } }],
          },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'datadir' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
          },
        ],
      },
    });
    const online = set.status?.readyReplicas ?? 0;
    const isOnline = online === spec.instances;
    if (isOnline && status?.status !== 'ONLINE') event({ reason: 'Online', message: `All ${online} instances answer` });
    return { status: isOnline ? 'ONLINE' : 'INITIALIZING', online };
  },
});

const backups = controller(MySQLBackup, {
  name: 'mysqlbackups',
  owns: [Job],
  watches: [
    watch(InnoDBCluster, {
      to: ({ metadata }, { objects }) =>
        objects(MySQLBackup)
          .list({ namespace: metadata.namespace ?? '' })
          .filter(({ spec }) => spec.clusterName === metadata.name)
          .map((backup) => `${backup.metadata.namespace}/${backup.metadata.name}`),
    }),
  ],
  async reconcile({ metadata: { name, namespace = '' }, spec, status }, { desire, objects }) {
    const done = status?.status;
    if (done === 'Completed' || done === 'Error') return undefined;
    const cluster = objects(InnoDBCluster).get(`${namespace}/${spec.clusterName}`);
    if (cluster?.status?.status !== 'ONLINE') return { status: 'Waiting' };
    const args = ['dump-instance', `--host=${spec.clusterName}`, `/backups/${name}`];
    const container = { name: 'dump', image: `mysql-operator:${cluster.spec.version}`, args };
    const annotations = { 'sim.keelson.dev/exit-after': '5s' }; // ends simulated containers; real ones ignore it
    const template = { metadata: { annotations }, spec: { restartPolicy: 'Never' as const, containers: [container] } };
    const job = await desire(Job, { metadata: { name }, spec: { backoffLimit: 2, template } });
    const isEnd = (type: string): boolean =>
      job.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
    return { status: isEnd('Complete') ? 'Completed' : isEnd('Failed') ? 'Error' : 'Running' };
  },
});

export function mysqlApp(): App {
  return app('mysql-operator', [clusters, backups], { resources: [InnoDBCluster, MySQLBackup] });
}
