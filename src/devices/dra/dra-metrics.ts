import { type Family, Timings } from '../../node/index.ts';

/** From 0.1 s to 40 s in fifteen steps, as a kubelet's. */
const BOUNDS = Float64Array.from({ length: 15 }, (_, index) => 0.1 * 400 ** (index / 14));
/** The label of the count of claims of all drivers. */
const ANY_DRIVER = '<any>';

/** What the work on claims took, in the names of a kubelet. */
export class DraMetrics {
  readonly #operations = new Timings(
    'dra_operations_duration_seconds',
    'Time to prepare or to unprepare all claims of a pod, by operation and by whether it failed.',
    BOUNDS,
  );
  readonly #calls = new Timings(
    'dra_grpc_operations_duration_seconds',
    'Time that calls of DRA drivers took, by driver, method and status.',
    BOUNDS,
  );
  readonly #inUse: () => ReadonlyMap<string, number>;

  /** @param inUse How many prepared claims have devices of each driver, and under the empty name how many there are. */
  constructor(inUse: () => ReadonlyMap<string, number>) {
    this.#inUse = inUse;
  }

  operation(name: 'PrepareResources' | 'UnprepareResources', ms: number, isError: boolean): void {
    this.#operations.observe(ms / 1000, { operation_name: name, is_error: String(isError) });
  }

  call(driver: string, { method, status, ms }: { method: string; status: string; ms: number }): void {
    this.#calls.observe(ms / 1000, { driver_name: driver, method_name: method, grpc_status_code: status });
  }

  families(): readonly Family[] {
    return [
      this.#operations.family(),
      this.#calls.family(),
      {
        name: 'dra_resource_claims_in_use',
        type: 'gauge',
        help: 'Prepared claims on the node by driver, and of all drivers together (<any>).',
        samples: [...this.#inUse()].map(([driver, value]) => ({
          labels: { driver_name: driver === '' ? ANY_DRIVER : driver },
          value,
        })),
      },
    ];
  }
}
