import { type Clock, type Logger, messageOf, type Random } from '../../base/index.ts';
import type { DeviceHealth } from '../../node/index.ts';
import { goCodeName, goErrorText, isGrpcError, type Method, SocketCalls } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import * as health from '../protocol/dra-health-v1alpha1.ts';
import * as v1 from '../protocol/dra-v1.ts';
import * as v1beta1 from '../protocol/dra-v1beta1.ts';
import type { PreparedDevice } from './claim-checkpoint.ts';
import { type DeviceKey, HealthBook, type KnownHealth, type ReportedHealth } from './device-health.ts';
import type { DraMetrics } from './dra-metrics.ts';

/** The services that a kubelet can call, by the names under which drivers announce them. */
const SERVICES = { 'v1.DRAPlugin': v1, 'v1beta1.DRAPlugin': v1beta1 } as const;

export type DraService = keyof typeof SERVICES;

export interface ClaimReference {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

export interface DraTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface DraConnectionOptions extends DraTools {
  readonly endpoint: string;
  readonly service: DraService;
  readonly metrics: DraMetrics;
  /** The driver's socket was connected, or the connection was lost. */
  connectionChanged(): void;
  healthChanged(devices: readonly DeviceKey[]): void;
}

/** That of a kubelet. */
const CALL_MS = 45_000;
const RECONNECT_MS = 1000;
/** How long after the end of a stream of health a driver is asked again, as a kubelet does. */
const HEALTH_RETRY_MS = 5000;
/** How long a report counts in which the driver does not say it. */
const HEALTH_TIMEOUT_MS = 30_000;
/** Longer texts are cut, as by a kubelet. */
const MAX_HEALTH_MESSAGE = 1024;

/** The first service of a driver that can be called. Throws, in a kubelet's words, when there is none. */
export function chooseService(versions: readonly string[]): DraService {
  if (versions.length === 0) throw new Error('empty list of supported gRPC services (aka supported versions)');
  const chosen = versions.find((version): version is DraService => version in SERVICES);
  if (chosen !== undefined) return chosen;
  const quoted = (names: readonly string[]): string => `[${names.map((name) => JSON.stringify(name)).join(' ')}]`;
  throw new Error(
    `none of services supported by the plugin (${quoted(versions)}) are supported by the kubelet (${quoted(Object.keys(SERVICES))})`,
  );
}

/** A registered DRA driver: the calls of its node service, and what it says about the health of its devices. */
export class DraConnection implements AsyncDisposable {
  readonly endpoint: string;
  readonly #driver: string;
  readonly #options: DraConnectionOptions;
  readonly #protocol: (typeof SERVICES)[DraService];
  readonly #calls: SocketCalls;
  readonly #health: HealthBook;
  readonly #stop = new AbortController();
  readonly #following: Promise<unknown>;
  #isConnected = false;

  constructor(driver: string, options: DraConnectionOptions) {
    const { endpoint, service, clock, random, log } = options;
    this.endpoint = endpoint;
    this.#driver = driver;
    this.#options = options;
    this.#protocol = SERVICES[service];
    const server = `the DRA driver ${driver}`;
    this.#calls = new SocketCalls({ endpoint: `unix://${endpoint}`, server, timeoutMs: CALL_MS, clock, random, log });
    this.#health = new HealthBook(clock, (devices) => options.healthChanged(devices));
    this.#following = Promise.all([this.#followConnection(), this.#followHealth()]);
  }

  /** Whether the driver's process has its socket open. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  healthOf(device: DeviceKey): KnownHealth | undefined {
    return this.#health.of(device);
  }

  /** The devices of each claim, by the claim's uid. Throws when a claim cannot be prepared. */
  async prepare(
    claims: readonly ClaimReference[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly PreparedDevice[]>> {
    const method = this.#protocol.DRAPlugin.nodePrepareResources;
    const { claims: results = new Map() } = await this.#call(method, { claims }, signal);
    checkResults('NodePrepareResources', claims, results);
    return new Map([...results].map(([uid, { devices = [] }]) => [uid, devices.map(deviceOf)]));
  }

  async unprepare(claims: readonly ClaimReference[]): Promise<void> {
    const { claims: results = new Map() } = await this.#call(this.#protocol.DRAPlugin.nodeUnprepareResources, {
      claims,
    });
    checkResults('NodeUnprepareResources', claims, results);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#calls[Symbol.asyncDispose]();
    await this.#following;
    this.#health[Symbol.dispose]();
  }

  async #call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    signal?: AbortSignal,
  ): Promise<Response> {
    const { clock, metrics } = this.#options;
    const startedAtMs = clock.monotonic();
    let status = 'OK';
    try {
      return await this.#calls.call(method, request, signal === undefined ? {} : { signal });
    } catch (error) {
      status = isGrpcError(error) ? goCodeName(error.code) : 'Unknown';
      const name = method.path.slice(method.path.lastIndexOf('/') + 1);
      throw new Error(`${name}: ${isGrpcError(error) ? goErrorText(error) : messageOf(error)}`, { cause: error });
    } finally {
      metrics.call(this.#driver, { method: method.path, status, ms: clock.monotonic() - startedAtMs });
    }
  }

  /** Keeps connected, so that a driver that has died is noticed. */
  async #followConnection(): Promise<void> {
    const { clock, connectionChanged } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const { closed } = await this.#calls.connect(signal);
        this.#isConnected = true;
        connectionChanged();
        await closed;
      } catch {
        // the driver's process is away; it may come back
      }
      if (this.#isConnected && !signal.aborted) {
        this.#isConnected = false;
        connectionChanged();
      }
      await clock.sleep(RECONNECT_MS, signal);
    }
  }

  async #followHealth(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stop;
    const { nodeWatchResources } = health.DRAResourceHealth;
    while (!signal.aborted) {
      try {
        for await (const { devices = [] } of this.#calls.stream(nodeWatchResources, {}, signal))
          this.#health.report(devices.map(reportOf));
      } catch (error) {
        if (!signal.aborted && !isGrpcError(error, 'UNIMPLEMENTED', 'UNAVAILABLE'))
          log.debug('DRA driver has ended its reports of health', { driver: this.#driver, error: messageOf(error) });
      }
      if (signal.aborted) return;
      this.#health.clear();
      await clock.sleep(HEALTH_RETRY_MS, signal);
    }
  }
}

/** Each claim has one result without an error. */
function checkResults(
  method: string,
  claims: readonly ClaimReference[],
  results: ReadonlyMap<string, { readonly error?: string }>,
): void {
  for (const [uid, { error = '' }] of results) {
    const claim = claims.find((each) => each.uid === uid);
    if (claim === undefined) throw new Error(`${method} returned result for unknown claim UID ${uid}`);
    if (error !== '') throw new Error(`${method} failed for ResourceClaim ${claim.name}: ${error}`);
  }
  const skipped = claims.length - results.size;
  if (skipped !== 0) throw new Error(`${method} skipped ${skipped} ResourceClaims`);
}

function deviceOf(device: {
  readonly requestNames?: readonly string[];
  readonly poolName?: string;
  readonly deviceName?: string;
  readonly cdiDeviceIds?: readonly string[];
  readonly shareId?: string;
}): PreparedDevice {
  const { requestNames = [], poolName = '', deviceName = '', cdiDeviceIds = [], shareId } = device;
  return { pool: poolName, device: deviceName, shareId, requests: requestNames, cdiDevices: cdiDeviceIds };
}

const HEALTH_NAMES: Readonly<Record<number, DeviceHealth>> = {
  [health.HealthStatus.HEALTHY]: 'Healthy',
  [health.HealthStatus.UNHEALTHY]: 'Unhealthy',
};

function reportOf({
  device,
  health: status = 0,
  healthCheckTimeoutSeconds: seconds = 0,
  message = '',
}: MessageOf<typeof health.deviceHealth>): ReportedHealth {
  return {
    pool: device?.poolName ?? '',
    device: device?.deviceName ?? '',
    health: HEALTH_NAMES[status] ?? 'Unknown',
    timeoutMs: seconds > 0 ? seconds * 1000 : HEALTH_TIMEOUT_MS,
    message: message.length > MAX_HEALTH_MESSAGE ? `${message.slice(0, MAX_HEALTH_MESSAGE - 3)}...` : message,
  };
}
