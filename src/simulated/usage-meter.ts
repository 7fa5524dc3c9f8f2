import type { Clock } from '../base/index.ts';
import type { Node, Observed, Pod } from '../client/index.ts';
import type { ContainerStats, ContainerStatus, MeasuredUsage, NodeUsage } from '../node/index.ts';
import { ProcessorMeter } from './processor-meter.ts';
import type { SandboxRegistry } from './sandbox-registry.ts';
import { measuredUsage, nodeUsage, type Usage } from './usage.ts';

/** Reports the usage of a simulated node and its containers. */
export class UsageMeter {
  readonly #clock: Clock;
  readonly #registry: SandboxRegistry;
  readonly #node: ProcessorMeter;

  constructor(clock: Clock, registry: SandboxRegistry) {
    this.#clock = clock;
    this.#registry = registry;
    this.#node = new ProcessorMeter(clock.now());
  }

  /** Only the usage that annotations set, without the default from the container's requests. */
  statsOf({ id, metadata }: Pick<ContainerStatus, 'id' | 'metadata'>): ContainerStats {
    const nothing = { timestampMs: this.#clock.now(), usageCoreNanoSeconds: 0, workingSetBytes: 0 };
    const measured = this.#registry.container(id).usage(undefined)?.measured ?? nothing;
    return { id, metadata, ...measured, writableLayerBytes: 0 };
  }

  of(pods: readonly Observed<Pod>[], node: Observed<Node> | undefined): NodeUsage {
    const containers = new Map<string, MeasuredUsage>();
    const usages: Usage[] = [];
    for (const { metadata, spec } of pods) {
      const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
      const specs = new Map(all.map((each) => [each.name, each]));
      for (const container of this.#registry.sandboxOfPod(metadata.uid)?.containers ?? []) {
        const used = container.usage(specs.get(container.name)?.resources);
        if (used === undefined) continue;
        containers.set(container.id, used.measured);
        usages.push(used.usage);
      }
    }
    const whole = nodeUsage(node?.metadata.annotations ?? {}, usages);
    return { whole: measuredUsage(whole, this.#node, this.#clock.now()), containers };
  }
}
