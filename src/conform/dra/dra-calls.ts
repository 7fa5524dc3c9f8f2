import { draProtocols } from '../../devices/index.ts';
import { GrpcError, type Method, type SocketCalls } from '../../wire/grpc/index.ts';
import { Breach, expectThat } from '../suite.ts';

export type DraVersion = 'v1' | 'v1beta1';

export interface ClaimRef {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

/** A device as the driver has prepared it. */
export interface PreparedDevice {
  readonly pool: string;
  readonly device: string;
  readonly requests: readonly string[];
  readonly cdiDevices: readonly string[];
}

/** What the driver says about the health of a device. */
export interface SeenHealth {
  readonly pool: string;
  readonly device: string;
  readonly health: number;
}

/** The calls of one case to the driver. */
export class DraCalls {
  readonly version: DraVersion;
  readonly #calls: SocketCalls;
  readonly #signal: AbortSignal;

  constructor(calls: SocketCalls, version: DraVersion, signal: AbortSignal) {
    this.#calls = calls;
    this.version = version;
    this.#signal = signal;
  }

  /** The devices of a claim that the driver must be able to prepare. */
  async prepare(claim: ClaimRef): Promise<readonly PreparedDevice[]> {
    const result = (await this.prepareAll([claim])).get(claim.uid);
    if (result === undefined) throw new Breach(`NodePrepareResources has not answered for the claim ${claim.name}`);
    if (typeof result === 'string') throw new Breach(`NodePrepareResources has failed for a claim: ${result}`);
    return result;
  }

  /** Devices, or the error, by the uid of the claim. */
  async prepareAll(claims: readonly ClaimRef[]): Promise<ReadonlyMap<string, readonly PreparedDevice[] | string>> {
    const { nodePrepareResources } = draProtocols[this.version].DRAPlugin;
    const { claims: results = new Map() } = await this.#call(nodePrepareResources, { claims });
    checkAnswered('NodePrepareResources', claims, results);
    return new Map(
      [...results].map(([uid, { error = '', devices = [] }]) => [uid, error === '' ? devices.map(deviceOf) : error]),
    );
  }

  async unprepare(claim: ClaimRef): Promise<void> {
    const error = (await this.unprepareAll([claim])).get(claim.uid);
    if (error === undefined) throw new Breach(`NodeUnprepareResources has not answered for the claim ${claim.name}`);
    if (error !== '') throw new Breach(`NodeUnprepareResources has failed for a claim: ${error}`);
  }

  /** The error by the uid of the claim; empty for none. */
  async unprepareAll(claims: readonly ClaimRef[]): Promise<ReadonlyMap<string, string>> {
    const { nodeUnprepareResources } = draProtocols[this.version].DRAPlugin;
    const { claims: results = new Map() } = await this.#call(nodeUnprepareResources, { claims });
    checkAnswered('NodeUnprepareResources', claims, results);
    return new Map([...results].map(([uid, { error = '' }]) => [uid, error]));
  }

  /** Reports of health as they come; undefined from a driver that has no such service. */
  async *health(signal: AbortSignal): AsyncGenerator<readonly SeenHealth[]> {
    const { nodeWatchResources } = draProtocols.health.DRAResourceHealth;
    for await (const { devices = [] } of this.#calls.stream(nodeWatchResources, {}, signal))
      yield devices.map(({ device, health = 0 }) => ({
        ...{ pool: device?.poolName ?? '', device: device?.deviceName ?? '', health },
      }));
  }

  async #call<Request, Response>(method: Method<Request, Response>, request: Request): Promise<Response> {
    try {
      return await this.#calls.call(method, request, { signal: this.#signal });
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
      const name = method.path.slice(method.path.lastIndexOf('/') + 1);
      throw new GrpcError(error.code, `${name} has failed: ${error.code} ${error.message}`, { cause: error });
    }
  }
}

function checkAnswered(method: string, claims: readonly ClaimRef[], results: ReadonlyMap<string, unknown>): void {
  for (const uid of results.keys())
    expectThat(
      claims.some((claim) => claim.uid === uid),
      `${method} has answered for the claim ${uid}, which was not in the request`,
    );
  for (const { uid, name } of claims)
    expectThat(results.has(uid), `${method} has not answered for the claim ${name}, which was in the request`);
}

function deviceOf(device: {
  readonly requestNames?: readonly string[];
  readonly poolName?: string;
  readonly deviceName?: string;
  readonly cdiDeviceIds?: readonly string[];
}): PreparedDevice {
  const { requestNames = [], poolName = '', deviceName = '', cdiDeviceIds = [] } = device;
  return { pool: poolName, device: deviceName, requests: requestNames, cdiDevices: cdiDeviceIds };
}
