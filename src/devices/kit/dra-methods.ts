import { type Clock, messageOf } from '../../base/index.ts';
import { type ServedMethod, streamMethod, unaryMethod } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import { DRAResourceHealth, type deviceHealth, HealthStatus } from '../protocol/dra-health-v1alpha1.ts';
import * as v1 from '../protocol/dra-v1.ts';
import * as v1beta1 from '../protocol/dra-v1beta1.ts';
import type { ClaimName, DraClaims, PreparedRecord } from './dra-claims.ts';
import type { DraDevice } from './dra-device.ts';
import { type DevicePools, NODE_POOL } from './dra-pools.ts';

/** The services, as drivers announce them to nodes, newest first. */
export const DRA_SERVICES: readonly string[] = ['v1.DRAPlugin', 'v1beta1.DRAPlugin', 'v1alpha1.DRAResourceHealth'];

export interface DraMethodsParts {
  readonly claims: DraClaims;
  readonly pools: DevicePools;
  readonly node: string;
  readonly clock: Clock;
  /** Streams end when it aborts. */
  readonly ending: AbortSignal;
}

/** A node forgets the health of a device after this time without another report. */
const HEALTH_SECONDS = 30;
const REPORT_EVERY_MS = 10_000;

/** The calls that a node makes. */
export function draMethods(parts: DraMethodsParts): readonly ServedMethod[] {
  const { claims } = parts;
  return [v1, v1beta1]
    .flatMap(({ DRAPlugin }) => [
      unaryMethod(DRAPlugin.nodePrepareResources, async ({ claims: wanted = [] }) => ({
        claims: await each(wanted, async (claim) => ({ devices: (await claims.prepare(claim)).map(deviceMessage) })),
      })),
      unaryMethod(DRAPlugin.nodeUnprepareResources, async ({ claims: wanted = [] }) => ({
        claims: await each(wanted, async (claim) => {
          await claims.unprepare(claim);
          return {};
        }),
      })),
    ])
    .concat(
      streamMethod(DRAResourceHealth.nodeWatchResources, async function* (_requests, { signal }) {
        const { pools, clock, ending } = parts;
        const over = AbortSignal.any([signal, ending]);
        while (!over.aborted) {
          const all = pools.all();
          yield { devices: healthOf(parts) };
          const wait = new AbortController();
          const until = AbortSignal.any([over, wait.signal]);
          await Promise.race([pools.changed(all, until), clock.sleep(REPORT_EVERY_MS, until)]);
          wait.abort();
        }
      }),
    );
}

/** What becomes of one claim says nothing about the others. */
async function each<R extends object>(
  claims: readonly { readonly uid?: string; readonly name?: string; readonly namespace?: string }[],
  work: (claim: ClaimName) => Promise<R>,
): Promise<ReadonlyMap<string, R | { readonly error: string }>> {
  const results = claims.map(
    async ({ uid = '', name = '', namespace = '' }): Promise<[string, R | { readonly error: string }]> => {
      try {
        return [uid, await work({ uid, name, namespace })];
      } catch (error) {
        return [uid, { error: messageOf(error) }];
      }
    },
  );
  return new Map(await Promise.all(results));
}

function deviceMessage({ request, pool, name, shareId, cdiDevices }: PreparedRecord): MessageOf<typeof v1.device> {
  const [main = ''] = request.split('/');
  return {
    ...{ requestNames: [main], poolName: pool, deviceName: name, cdiDeviceIds: cdiDevices },
    ...(shareId === undefined ? {} : { shareId }),
  };
}

const STATUS = {
  Healthy: HealthStatus.HEALTHY,
  Unhealthy: HealthStatus.UNHEALTHY,
  Unknown: HealthStatus.UNKNOWN,
} as const satisfies Record<NonNullable<DraDevice['health']>, number>;

function healthOf({ pools, node, clock }: DraMethodsParts): readonly MessageOf<typeof deviceHealth>[] {
  const lastUpdatedTime = Math.floor(clock.now() / 1000);
  return [...pools.all()].flatMap(([pool, { devices }]) =>
    devices.map(({ name, health = 'Healthy', healthMessage = '' }) => ({
      device: { poolName: pool === NODE_POOL ? node : pool, deviceName: name },
      ...{ health: STATUS[health], lastUpdatedTime, healthCheckTimeoutSeconds: HEALTH_SECONDS, message: healthMessage },
    })),
  );
}
