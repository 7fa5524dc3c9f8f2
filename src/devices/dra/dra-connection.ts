import { type Clock, type Logger, messageOf, type Random } from '../../base/index.ts';
import { goErrorText, isGrpcError, type Method, SocketCalls } from '../../wire/grpc/index.ts';
import * as v1 from '../protocol/dra-v1.ts';
import * as v1beta1 from '../protocol/dra-v1beta1.ts';
import type { PreparedDevice } from './claim-checkpoint.ts';

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

/** That of a kubelet. */
const CALL_MS = 45_000;

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

/** A registered DRA driver: the calls of its node service. */
export class DraConnection implements AsyncDisposable {
  readonly endpoint: string;
  readonly #protocol: (typeof SERVICES)[DraService];
  readonly #calls: SocketCalls;

  constructor(driver: string, { endpoint, service }: { endpoint: string; service: DraService }, tools: DraTools) {
    this.endpoint = endpoint;
    this.#protocol = SERVICES[service];
    const server = `the DRA driver ${driver}`;
    this.#calls = new SocketCalls({ endpoint: `unix://${endpoint}`, server, timeoutMs: CALL_MS, ...tools });
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
    await this.#calls[Symbol.asyncDispose]();
  }

  async #call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    signal?: AbortSignal,
  ): Promise<Response> {
    try {
      return await this.#calls.call(method, request, signal === undefined ? {} : { signal });
    } catch (error) {
      const name = method.path.slice(method.path.lastIndexOf('/') + 1);
      throw new Error(`${name}: ${isGrpcError(error) ? goErrorText(error) : messageOf(error)}`, { cause: error });
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
