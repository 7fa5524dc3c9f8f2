import { AREA_PREFIX, type AreaParts, below, CONTAINER, createNamespace, pick, type SoakArea } from './area.ts';

const NAMESPACE = `${AREA_PREFIX}batch`;
const HOUR_MS = 3_600_000;
const TTL_SECONDS = 3600;
const HISTORY = 2;

/** Jobs that succeed and fail, and CronJobs of every policy. */
export function batchArea({ client, random }: AreaParts): SoakArea {
  const jobs = client.batch.v1.jobs.namespace(NAMESPACE);
  const cronJobs = client.batch.v1.cronjobs.namespace(NAMESPACE);
  let made = 0;

  const template = (exitCode: number): object => ({
    metadata: { annotations: { 'sim.keelson.dev/exit-code': `${exitCode}`, 'sim.keelson.dev/exit-after': '30s' } },
    spec: { restartPolicy: 'Never', containers: [CONTAINER] },
  });

  return {
    namespace: NAMESPACE,
    async begin() {
      await createNamespace(client, NAMESPACE);
      for (const concurrencyPolicy of ['Allow', 'Forbid', 'Replace'] as const)
        await cronJobs.create({
          metadata: { name: concurrencyPolicy.toLowerCase() },
          spec: {
            schedule: '*/20 * * * *',
            concurrencyPolicy,
            successfulJobsHistoryLimit: HISTORY,
            failedJobsHistoryLimit: HISTORY,
            jobTemplate: { spec: { template: template(0) as never } },
          },
        });
    },
    async act() {
      const name = `job-${++made}`;
      const count = 1 + below(random, 4);
      const completionMode = pick(random, ['Indexed', 'NonIndexed'] as const);
      const exitCode = pick(random, [0, 0, 0, 1]);
      await jobs.create({
        metadata: { name },
        spec: {
          completions: count,
          parallelism: 1 + below(random, 3),
          completionMode,
          backoffLimit: 1,
          ttlSecondsAfterFinished: TTL_SECONDS,
          template: template(exitCode) as never,
        },
      });
      return `created Job ${name} of ${count} that ${exitCode === 0 ? 'succeeds' : 'fails'}`;
    },
    async problems() {
      const found: string[] = [];
      const nowMs = client.clock.now();
      const all = (await jobs.list()).items;
      for (const { metadata, status, spec } of all) {
        const ageMs = nowMs - Date.parse(metadata.creationTimestamp);
        const isOver = status?.conditions?.some(
          ({ type, status: is }) => /Complete|Failed/.test(type) && is === 'True',
        );
        if (isOver !== true && ageMs > HOUR_MS / 2) found.push(`Job ${metadata.name} has not ended`);
        if (isOver === true && spec?.ttlSecondsAfterFinished !== undefined && ageMs > 3 * HOUR_MS)
          found.push(`Job ${metadata.name} should be gone`);
        const { succeeded = 0, failed = 0, active = 0, uncountedTerminatedPods: uncounted = {} } = status ?? {};
        if (isOver === true && active > 0) found.push(`Job ${metadata.name} has ended with ${active} active pods`);
        if (isOver === true && (uncounted.succeeded ?? uncounted.failed) !== undefined)
          found.push(`Job ${metadata.name} has ended with uncounted pods`);
        if (succeeded > (spec?.completions ?? 1)) found.push(`Job ${metadata.name} counts ${succeeded} and ${failed}`);
      }
      for (const { metadata, status } of (await cronJobs.list()).items) {
        const own = all.filter(({ metadata: { ownerReferences = [] } }) => ownerReferences[0]?.uid === metadata.uid);
        if (own.length > 2 * HISTORY + 1) found.push(`CronJob ${metadata.name} has ${own.length} Jobs`);
        const sinceMs = nowMs - Date.parse(status?.lastScheduleTime ?? '');
        if (!(sinceMs <= 21 * 60_000))
          found.push(`CronJob ${metadata.name} has not run for ${sinceMs / 60_000} minutes`);
      }
      const pods = (await client.core.v1.pods.namespace(NAMESPACE).list()).items;
      const uids = new Set(all.map(({ metadata }) => metadata.uid));
      for (const { metadata } of pods)
        if (!uids.has(metadata.ownerReferences?.[0]?.uid ?? '')) found.push(`pod ${metadata.name} has no Job`);
      return found;
    },
  };
}
