import type { Clock } from '../../base/index.ts';
import type { DeviceHealth } from '../../node/index.ts';

/** A device as its driver identifies it. */
export interface DeviceKey {
  readonly pool: string;
  readonly device: string;
}

/** What a driver says about a device. */
export interface ReportedHealth extends DeviceKey {
  readonly health: DeviceHealth;
  /** How long the report counts; after that the health is unknown. */
  readonly timeoutMs: number;
  readonly message: string;
}

export interface KnownHealth {
  readonly health: DeviceHealth;
  readonly message: string;
}

interface Entry extends ReportedHealth {
  readonly reportedAtMs: number;
  isStale: boolean;
}

const UNKNOWN: KnownHealth = { health: 'Unknown', message: '' };
/** More devices than this of one driver are ignored. */
const MAX_DEVICES = 10_000;

/**
 * The health of the devices of one driver, as far as its reports are not too old.
 *
 * Example: a report with a timeout of 30 s makes the device `Healthy`; `changed` is called, and once more after 30 s without another report.
 */
export class HealthBook implements Disposable {
  readonly #clock: Clock;
  readonly #changed: (devices: readonly DeviceKey[]) => void;
  readonly #entries = new Map<string, Entry>();
  #expiry: Disposable | undefined;

  constructor(clock: Clock, changed: (devices: readonly DeviceKey[]) => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Undefined for a device that the driver has not spoken of. */
  of(device: DeviceKey): KnownHealth | undefined {
    const entry = this.#entries.get(keyOf(device));
    if (entry === undefined) return undefined;
    return this.#isOld(entry) ? UNKNOWN : entry;
  }

  /** A report replaces what was known of the devices in it. Devices that are missing keep their health until it is too old. */
  report(devices: readonly ReportedHealth[]): void {
    const reportedAtMs = this.#clock.monotonic();
    const changed: DeviceKey[] = [];
    for (const device of devices) {
      const key = keyOf(device);
      const before = this.#entries.get(key);
      if (before === undefined && this.#entries.size >= MAX_DEVICES) break;
      this.#entries.set(key, { ...device, reportedAtMs, isStale: false });
      const isSame = before?.health === device.health && before.message === device.message && !before.isStale;
      if (!isSame) changed.push(device);
    }
    this.#awaitExpiry();
    if (changed.length > 0) this.#changed(changed);
  }

  /** Forgets everything: the driver does not report any more. */
  clear(): void {
    const devices = [...this.#entries.values()];
    this.#entries.clear();
    this.#expiry?.[Symbol.dispose]();
    if (devices.length > 0) this.#changed(devices);
  }

  [Symbol.dispose](): void {
    this.#expiry?.[Symbol.dispose]();
    this.#entries.clear();
  }

  #awaitExpiry(): void {
    this.#expiry?.[Symbol.dispose]();
    const next = [...this.#entries.values()].reduce(
      (first, entry) => (entry.isStale ? first : Math.min(first, entry.reportedAtMs + entry.timeoutMs)),
      Infinity,
    );
    if (next === Infinity) return;
    const afterMs = Math.max(0, next - this.#clock.monotonic()) + 1;
    this.#expiry = this.#clock.timer(afterMs, () => this.#expire());
  }

  #expire(): void {
    const old = [...this.#entries.values()].filter((entry) => !entry.isStale && this.#isOld(entry));
    for (const entry of old) entry.isStale = true;
    this.#awaitExpiry();
    if (old.length > 0) this.#changed(old);
  }

  #isOld({ reportedAtMs, timeoutMs }: Entry): boolean {
    return this.#clock.monotonic() - reportedAtMs > timeoutMs;
  }
}

function keyOf({ pool, device }: DeviceKey): string {
  return `${pool}/${device}`;
}
