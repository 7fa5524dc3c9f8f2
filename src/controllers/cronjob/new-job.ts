import { controllerReference, formatZoned, zoneOffset } from '../../api/meaning/index.ts';
import { CronJob, type Job, type Observed, type Sendable } from '../../client/index.ts';

const SCHEDULED_TIME = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** The Job's name for a scheduled time, unique per minute, so that no time starts two Jobs. */
export function jobNameFor({ metadata }: Observed<CronJob>, dueMs: number): string {
  return `${metadata.name}-${Math.floor(dueMs / 60_000)}`;
}

/** The Job that a CronJob starts for a time. */
export function newJobFor(cronJob: Observed<CronJob>, dueMs: number): Sendable<Job> {
  const { jobTemplate, timeZone = '' } = cronJob.spec ?? {};
  const { labels, annotations } = jobTemplate?.metadata ?? {};
  return {
    metadata: {
      name: jobNameFor(cronJob, dueMs),
      namespace: cronJob.metadata.namespace,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [SCHEDULED_TIME]: formatZoned(dueMs, zoneOffset(timeZone)) },
      ownerReferences: [controllerReference(cronJob, CronJob)],
    },
    ...(jobTemplate?.spec === undefined ? {} : { spec: jobTemplate.spec }),
  };
}
