import { type Family, Timings } from '../../node/index.ts';

/** Registrations of more resources than this are not counted: their names come from plugins. */
const MAX_RESOURCES = 500;

/** What calls of device plugins took, in the names of a kubelet. */
export class PluginMetrics {
  readonly #registrations = new Map<string, number>();
  readonly #allocations = new Timings(
    'kubelet_device_plugin_alloc_duration_seconds',
    'Time that device plugins took to allocate devices, by resource.',
  );

  registered(resource: string): void {
    if (!this.#registrations.has(resource) && this.#registrations.size >= MAX_RESOURCES) return;
    this.#registrations.set(resource, (this.#registrations.get(resource) ?? 0) + 1);
  }

  allocated(resource: string, ms: number): void {
    this.#allocations.observe(ms / 1000, { resource_name: resource });
  }

  families(): readonly Family[] {
    return [
      {
        name: 'kubelet_device_plugin_registration_total',
        type: 'counter',
        help: 'Registrations of device plugins, by resource.',
        samples: [...this.#registrations].map(([resource, value]) => ({ labels: { resource_name: resource }, value })),
      },
      this.#allocations.family(),
    ];
  }
}
