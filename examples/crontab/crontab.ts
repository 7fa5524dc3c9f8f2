import { type App, app, controller, CronJob, type ObjectOf, resource } from 'keelson';
import { z } from 'zod';

const CRON = /^(\d+|\*)(\/\d+)?(\s+(\d+|\*)(\/\d+)?){4}$/;

/** When to run an image, and how many at once. */
export const CronTab = resource('stable.example.com/v1', 'CronTab', {
  spec: z.object({
    cronSpec: z.string().regex(CRON).default('5 0 * * *'),
    image: z.string(),
    replicas: z.int().min(1).max(10).default(1),
  }),
  status: z.object({ active: z.int(), lastScheduleTime: z.iso.datetime().optional() }),
  shortNames: ['ct'],
});
export type CronTab = ObjectOf<typeof CronTab>;

/** Every CronTab has a CronJob of the same name, and reports its state. */
const cronTabs = controller(CronTab, {
  owns: [CronJob],
  async reconcile({ metadata, spec }, { desire }) {
    const { name, namespace } = metadata;
    const template = {
      spec: { restartPolicy: 'OnFailure' as const, containers: [{ name: 'cron', image: spec.image }] },
    };
    const job = await desire(CronJob, {
      metadata: { name, namespace },
      spec: { schedule: spec.cronSpec, jobTemplate: { spec: { parallelism: spec.replicas, template } } },
    });
    return { active: job.status?.active?.length ?? 0, lastScheduleTime: job.status?.lastScheduleTime };
  },
});

export const cronTabOperator = (): App => app('crontab-operator', [cronTabs], { resources: [CronTab] });
