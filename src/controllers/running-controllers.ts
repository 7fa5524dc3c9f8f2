import type { Gauge, MetricFamily, MetricRegistry } from '../base/index.ts';
import type { ProgramPart } from '../kit/index.ts';

/** Wraps the part so that it reports in a metric that it runs, under its name in `--controllers`. */
export function countRunning(name: string, part: ProgramPart): ProgramPart {
  return {
    ...part,
    prepare(context) {
      const gauge = context.metrics.shared(runningControllers).with({ name, manager: context.name });
      const prepared = part.prepare(context);
      return {
        get isIdle() {
          return prepared.isIdle ?? true;
        },
        async run(signal) {
          gauge.set(1);
          try {
            await prepared.run(signal);
          } finally {
            gauge.set(0);
          }
        },
      };
    },
  };
}

function runningControllers(metrics: MetricRegistry): MetricFamily<'name' | 'manager', Gauge> {
  return metrics.gauge({
    name: 'running_managed_controllers',
    help: 'Controllers that run in this process.',
    labels: ['name', 'manager'],
  });
}
