import { type Clock } from '../../base/index.ts';
import { CriCalls, type CriCallsOptions, CriImages } from '../../cri/index.ts';
import type { BackendMetrics, Family, ImageSpec, PullOptions } from '../../node/index.ts';
import { Timings } from '../../node/index.ts';

const MEBIBYTE = 1024 * 1024;
const GIBIBYTE = 1024 * MEBIBYTE;
/** Upstream's: from 5 ms on, each 2.5 times the one before. */
const OPERATION_BOUNDS = Float64Array.from({ length: 14 }, (_, index) => 0.005 * 2.5 ** index);
const PULL_BOUNDS = Float64Array.of(
  ...[1, 5, 10, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600],
);
const SIZES: readonly (readonly [aboveBytes: number, label: string])[] = [
  [100 * GIBIBYTE, 'GT100GB'],
  [60 * GIBIBYTE, '60GB-100GB'],
  [40 * GIBIBYTE, '40GB-60GB'],
  [30 * GIBIBYTE, '30GB-40GB'],
  [20 * GIBIBYTE, '20GB-30GB'],
  [10 * GIBIBYTE, '10GB-20GB'],
  [5 * GIBIBYTE, '5GB-10GB'],
  [GIBIBYTE, '1GB-5GB'],
  [500 * MEBIBYTE, '500MB-1GB'],
  [100 * MEBIBYTE, '100MB-500MB'],
  [10 * MEBIBYTE, '10MB-100MB'],
  [0, '0-10MB'],
];
/** Operations whose name is not made of the words of their method. */
const OPERATIONS: Readonly<Record<string, string>> = {
  RunPodSandbox: 'run_podsandbox',
  StopPodSandbox: 'stop_podsandbox',
  RemovePodSandbox: 'remove_podsandbox',
  PodSandboxStatus: 'podsandbox_status',
  ListPodSandbox: 'list_podsandbox',
  PodSandboxStats: 'podsandbox_stats',
  ListPodSandboxStats: 'list_podsandbox_stats',
  UpdateContainerResources: 'update_container',
  ImageFsInfo: 'image_fs_info',
};
const MAX_PODS = 10_000;

type CallMethod = CriCalls['call'];

/** What calls of the runtime took and how they ended, in the names of a kubelet. */
export class RuntimeMetrics implements BackendMetrics {
  readonly #calls = new Map<string, number>();
  readonly #errors = new Map<string, number>();
  readonly #durations = new Timings(
    'kubelet_runtime_operations_duration_seconds',
    'Time that operations of the runtime took.',
    OPERATION_BOUNDS,
  );
  readonly #sandboxes = new Timings('kubelet_run_podsandbox_duration_seconds', 'Time that sandboxes took to run.');
  readonly #sandboxErrors = new Map<string, number>();
  readonly #pulls = new Timings(
    'kubelet_image_pull_duration_seconds',
    'Time that pulls of images took, by their size.',
    PULL_BOUNDS,
  );
  readonly #pullMs = new Map<string, number>();

  called(path: string, ms: number, how: { readonly isError: boolean; readonly handler: string }): void {
    const operation = operationOf(path);
    add(this.#calls, operation);
    this.#durations.observe(ms / 1000, { operation_type: operation });
    if (how.isError) add(this.#errors, operation);
    if (operation !== 'run_podsandbox') return;
    this.#sandboxes.observe(ms / 1000, { runtime_handler: how.handler });
    if (how.isError) add(this.#sandboxErrors, how.handler);
  }

  pulled(podUid: string, ms: number, bytes: number): void {
    const label = bytes === 0 ? 'N/A' : (SIZES.find(([above]) => bytes > above)?.[1] ?? '');
    this.#pulls.observe(ms / 1000, { image_size_in_bytes: label });
    const before = this.#pullMs.get(podUid) ?? 0;
    this.#pullMs.delete(podUid);
    this.#pullMs.set(podUid, before + ms);
    const [oldest] = this.#pullMs.keys();
    if (oldest !== undefined && this.#pullMs.size > MAX_PODS) this.#pullMs.delete(oldest);
  }

  pullMs(podUid: string): number {
    return this.#pullMs.get(podUid) ?? 0;
  }

  families(): readonly Family[] {
    const counter = (name: string, help: string, counts: ReadonlyMap<string, number>, label: string): Family => ({
      name,
      type: 'counter',
      help,
      samples: [...counts].map(([key, value]) => ({ labels: { [label]: key }, value })),
    });
    return [
      counter('kubelet_runtime_operations_total', 'Operations of the runtime.', this.#calls, 'operation_type'),
      counter(
        'kubelet_runtime_operations_errors_total',
        'Operations of the runtime that failed.',
        this.#errors,
        'operation_type',
      ),
      counter(
        'kubelet_run_podsandbox_errors_total',
        'Sandboxes that could not be run.',
        this.#sandboxErrors,
        'runtime_handler',
      ),
      this.#durations.family(),
      this.#sandboxes.family(),
      this.#pulls.family(),
    ];
  }
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** `/runtime.v1.RuntimeService/CreateContainer` is `create_container`. */
function operationOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return OPERATIONS[name] ?? name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}

/** Calls that are counted. */
export class MeteredCalls extends CriCalls {
  readonly #metrics: RuntimeMetrics;
  readonly #clock: Clock;

  constructor(options: CriCallsOptions, metrics: RuntimeMetrics) {
    super(options);
    this.#metrics = metrics;
    this.#clock = options.clock;
  }

  override call: CallMethod = async (method, request, options) => {
    const beganMs = this.#clock.monotonic();
    let isError = true;
    try {
      const answer = await super.call(method, request, options);
      isError = false;
      return answer;
    } finally {
      const { runtimeHandler: handler = '' } = request as { readonly runtimeHandler?: string };
      this.#metrics.called(method.path, this.#clock.monotonic() - beganMs, { isError, handler });
    }
  };
}

/** Images whose pulls are measured. */
export class MeteredImages extends CriImages {
  readonly #metrics: RuntimeMetrics;
  readonly #clock: Clock;

  constructor(calls: CriCalls, metrics: RuntimeMetrics, clock: Clock) {
    super(calls);
    this.#metrics = metrics;
    this.#clock = clock;
  }

  override async pullImage(spec: ImageSpec, options: PullOptions = {}): Promise<string> {
    const beganMs = this.#clock.monotonic();
    const found = await super.pullImage(spec, options);
    const tookMs = this.#clock.monotonic() - beganMs;
    const size = (await this.imageStatus(spec).catch(() => undefined))?.size ?? 0;
    this.#metrics.pulled(options.sandboxConfig?.metadata.uid ?? '', tookMs, size);
    return found;
  }
}
