import type { UsageSource } from './backend/index.ts';
import type { MeasuredUsage, NodeUsage, RuntimeService } from './runtime/index.ts';

/** The usage that a runtime measures; the usage of the node is the sum over its containers. */
export class RuntimeUsage implements UsageSource {
  readonly #runtime: RuntimeService;

  constructor(runtime: RuntimeService) {
    this.#runtime = runtime;
  }

  async read(): Promise<NodeUsage> {
    const stats = await this.#runtime.containerStats({ state: 'CONTAINER_RUNNING' });
    const sum = (value: (usage: MeasuredUsage) => number): number =>
      stats.reduce((total, each) => total + value(each), 0);
    return {
      whole: {
        timestampMs: Math.max(0, ...stats.map(({ timestampMs }) => timestampMs)),
        usageNanoCores: sum(({ usageNanoCores = 0 }) => usageNanoCores),
        usageCoreNanoSeconds: sum(({ usageCoreNanoSeconds }) => usageCoreNanoSeconds),
        workingSetBytes: sum(({ workingSetBytes }) => workingSetBytes),
      },
      containers: new Map(stats.map((each) => [each.id, each])),
    };
  }
}
