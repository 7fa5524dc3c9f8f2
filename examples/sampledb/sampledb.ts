import { type App, app, ConfigMap, controller, CronJob, Job, resource, Secret, Service, StatefulSet } from 'keelson';
import { z } from 'zod';

const condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.int().optional(),
});

/** A database: `kubectl get SampleDB`, `kubectl edit SampleDB/example-database`. */
export const SampleDB = resource('example.dev/v1', 'SampleDB', {
  plural: 'sampledbs',
  spec: z.object({
    version: z.string().default('2.0'),
    instances: z.int().min(1).max(9).default(1),
    storage: z.string().default('1Gi'),
    backup: z.object({ schedule: z.string(), keep: z.int().min(1).default(3) }).optional(),
  }),
  status: z.object({ version: z.string(), ready: z.int(), conditions: z.array(condition) }),
  columns: { Version: (it) => it.spec.version, Ready: (it) => it.status.ready },
});

interface Task {
  readonly command: string;
  readonly version: string;
}

/** A pod that does one thing to the database, with its settings and credentials. */
function taskPod(database: string, { command, version }: Task) {
  return {
    metadata: {
      labels: { sampledb: database, task: command },
      annotations: { 'sim.keelson.dev/exit-after': '2s' }, // ends simulated containers; real ones ignore it
    },
    spec: {
      restartPolicy: 'OnFailure' as const,
      containers: [
        {
          name: command,
          image: `sampledb-tools:${version}`,
          args: [command, `--host=${database}`],
          envFrom: [{ configMapRef: { name: database } }, { secretRef: { name: `${database}-credentials` } }],
        },
      ],
    },
  };
}

const databases = controller(SampleDB, {
  owns: [StatefulSet, Service, ConfigMap, Secret, Job, CronJob],
  async reconcile({ metadata, spec, status }, { desire, desireAll, objects, conditions, event, report, random }) {
    const { name, namespace = '' } = metadata;
    const labels = { sampledb: name };
    /** Creates a job if it does not exist, since jobs cannot be changed, and returns whether it has completed. */
    const isDone = async (job: string, command: string): Promise<boolean> => {
      const known = objects(Job).get(`${namespace}/${job}`);
      const template = taskPod(name, { command, version: spec.version });
      if (known === undefined) await desire(Job, { metadata: { name: job }, spec: { template } });
      return (known?.status?.succeeded ?? 0) > 0;
    };

    await desire(ConfigMap, { metadata: { name }, data: { SAMPLEDB_INSTANCES: String(spec.instances) } });
    const credentials = `${name}-credentials`;
    const password = objects(Secret).get(`${namespace}/${credentials}`)?.data?.['password'];
    const fresh = Buffer.from(Buffer.from(random.bytes(18)).toString('base64url')).toString('base64');
    await desire(Secret, { metadata: { name: credentials }, data: { password: password ?? fresh } });
    await desire(Service, {
      metadata: { name },
      spec: { clusterIP: 'None', selector: labels, ports: [{ port: 5432 }] },
    });

    // A job upgrades an older version first; the database keeps its version until the job is done.
    const current = status?.version ?? spec.version;
    const upgrade = `${name}-to-${spec.version.replaceAll('.', '-')}`;
    const isUpgraded = current === spec.version || (await isDone(upgrade, 'upgrade'));
    const version = isUpgraded ? spec.version : current;
    const set = await desire(StatefulSet, {
      metadata: { name },
      spec: {
        serviceName: name,
        replicas: spec.instances,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              { name: 'db', image: `sampledb:${version}`, volumeMounts: [{ name: 'data', mountPath: '/data' }] },
            ],
          },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: spec.storage } } },
          },
        ],
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
      },
    });
    const ready = set.status?.readyReplicas ?? 0;

    const { backup } = spec;
    const cron = backup && {
      metadata: { name: `${name}-backup` },
      spec: {
        schedule: backup.schedule,
        successfulJobsHistoryLimit: backup.keep,
        jobTemplate: { spec: { template: taskPod(name, { command: 'backup', version }) } },
      },
    };
    await desireAll(CronJob, cron === undefined ? [] : [cron]);

    if (version !== current)
      event({ reason: 'Upgraded', message: `Database is upgraded from ${current} to ${version}` });
    const isSetUp = ready > 0 && (await isDone(`${name}-setup`, 'setup'));
    const isReady = ready === spec.instances && isSetUp;
    report({ version, ready, conditions: conditions({ type: 'Ready', status: isReady }) });
  },

  /** Takes a snapshot first; then the garbage collector deletes everything else. */
  async finalize({ metadata, spec }, { desire, objects }) {
    const { name, namespace = '' } = metadata;
    const snapshot = `${name}-snapshot`;
    if ((objects(Job).get(`${namespace}/${snapshot}`)?.status?.succeeded ?? 0) > 0) return undefined;
    await desire(Job, {
      metadata: { name: snapshot },
      spec: { template: taskPod(name, { command: 'snapshot', version: spec.version }) },
    });
    return 'wait';
  },
});

export function sampleDbApp(): App {
  return app('sampledb', [databases], { resources: [SampleDB] });
}
