import type { Clock } from '../../base/index.ts';
import type { Node, Observed, Pod } from '../../client/index.ts';
import type { ContainerStats, ContainerStatus, MeasuredUsage, NodeUsage } from '../runtime/index.ts';
import { ProcessorMeter } from './processor-meter.ts';
import type { SandboxRegistry } from './sandbox-registry.ts';
import { measuredUsage, nodeUsage, type Usage } from './usage.ts';

/** What simulated containers are said to use, and the node with them. */
export class RuntimeUsage {
  readonly #registry: SandboxRegistry;
  readonly #clock: Clock;
  readonly #meter: ProcessorMeter;

  constructor(registry: SandboxRegistry, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
    this.#meter = new ProcessorMeter(clock.now());
  }

  stats(containers: readonly ContainerStatus[]): readonly ContainerStats[] {
    const nothing = { timestampMs: this.#clock.now(), usageCoreNanoSeconds: 0, workingSetBytes: 0 };
    return containers.map(({ id, metadata }) => ({
      id,
      metadata,
      ...(this.#registry.container(id).usage(undefined)?.measured ?? nothing),
      writableLayerBytes: 0,
    }));
  }

  of(pods: readonly Observed<Pod>[], node: Observed<Node> | undefined): NodeUsage {
    const containers = new Map<string, MeasuredUsage>();
    const usages: Usage[] = [];
    for (const { metadata, spec } of pods) {
      const specs = new Map(
        [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((each) => [each.name, each]),
      );
      for (const container of this.#registry.sandboxOfPod(metadata.uid)?.containers ?? []) {
        const used = container.usage(specs.get(container.name)?.resources);
        if (used === undefined) continue;
        containers.set(container.id, used.measured);
        usages.push(used.usage);
      }
    }
    const whole = nodeUsage(node?.metadata.annotations ?? {}, usages);
    return { whole: measuredUsage(whole, this.#meter, this.#clock.now()), containers };
  }
}
