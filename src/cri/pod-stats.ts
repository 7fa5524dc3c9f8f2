import type {
  CallOptions,
  InterfaceUsage,
  MeasuredUsage,
  PodSandboxMetadata,
  Pressure,
  UsageDetails,
} from '../node/index.ts';
import type { MessageOf } from '../wire/protobuf/index.ts';
import type { CriCalls } from './cri-calls.ts';
import * as protocol from './protocol/runtime-v1.ts';

const NANOSECONDS_PER_MS = 1_000_000;

/** What the runtime measures of a pod. */
export interface PodStats {
  readonly metadata: PodSandboxMetadata;
  readonly usage: MeasuredUsage;
  /** The main one first. */
  readonly interfaces: readonly InterfaceUsage[];
  readonly processCount: number;
  readonly containers: readonly { readonly id: string; readonly name: string; readonly usage: MeasuredUsage }[];
}

type Stats = Pick<MessageOf<typeof protocol.containerStats>, 'cpu' | 'memory' | 'io' | 'swap' | 'writableLayer'>;

/** The usage of all pods and their containers, in one call. */
export async function podStats(calls: CriCalls, options?: CallOptions): Promise<readonly PodStats[]> {
  const { stats = [] } = await calls.call(protocol.RuntimeService.listPodSandboxStats, {}, options);
  return stats.map(({ attributes, linux = {} }) => {
    const { name = '', uid = '', namespace = '', attempt = 0 } = attributes?.metadata ?? {};
    const { containers = [], network, process } = linux;
    const main = network?.defaultInterface;
    return {
      metadata: { name, uid, namespace, attempt },
      usage: usageOf(linux),
      interfaces: [...(main === undefined ? [] : [main]), ...(network?.interfaces ?? [])].map(interfaceOf),
      processCount: process?.processCount?.value ?? 0,
      containers: containers.map((each) => ({
        id: each.attributes?.id ?? '',
        name: each.attributes?.metadata?.name ?? '',
        usage: usageOf(each),
      })),
    };
  });
}

function usageOf(stats: Stats): MeasuredUsage {
  const { cpu, memory } = stats;
  const usageNanoCores = cpu?.usageNanoCores?.value;
  return {
    timestampMs: (cpu?.timestamp ?? memory?.timestamp ?? 0) / NANOSECONDS_PER_MS,
    ...(usageNanoCores === undefined ? {} : { usageNanoCores }),
    usageCoreNanoSeconds: cpu?.usageCoreNanoSeconds?.value ?? 0,
    workingSetBytes: memory?.workingSetBytes?.value ?? 0,
    details: detailsOf(stats),
  };
}

function detailsOf({ cpu, memory, io, swap, writableLayer }: Stats): UsageDetails {
  const availableBytes = memory?.availableBytes?.value ?? 0;
  const [cpuPressure, memoryPressure, ioPressure] = [cpu?.psi, memory?.psi, io?.psi].map(pressureOf);
  return {
    ...(memory === undefined
      ? {}
      : {
          memory: {
            ...(availableBytes === 0 ? {} : { availableBytes }),
            usageBytes: memory.usageBytes?.value ?? 0,
            rssBytes: memory.rssBytes?.value ?? 0,
            pageFaults: memory.pageFaults?.value ?? 0,
            majorPageFaults: memory.majorPageFaults?.value ?? 0,
          },
        }),
    ...(swap === undefined
      ? {}
      : {
          swap: {
            availableBytes: swap.swapAvailableBytes?.value ?? 0,
            usageBytes: swap.swapUsageBytes?.value ?? 0,
          },
        }),
    pressure: {
      ...(cpuPressure === undefined ? {} : { cpu: cpuPressure }),
      ...(memoryPressure === undefined ? {} : { memory: memoryPressure }),
      ...(ioPressure === undefined ? {} : { io: ioPressure }),
    },
    ...(writableLayer === undefined
      ? {}
      : {
          writableLayer: {
            usedBytes: writableLayer.usedBytes?.value ?? 0,
            inodesUsed: writableLayer.inodesUsed?.value ?? 0,
          },
        }),
  };
}

function pressureOf(message: MessageOf<typeof protocol.psiStats> | undefined): Pressure | undefined {
  if (message === undefined) return undefined;
  const share = (data: MessageOf<typeof protocol.psiData> = {}): Pressure['some'] => {
    const { total = 0, avg10 = 0, avg60 = 0, avg300 = 0 } = data;
    return { total, avg10, avg60, avg300 };
  };
  return { full: share(message.full), some: share(message.some) };
}

function interfaceOf(message: MessageOf<typeof protocol.networkInterfaceUsage>): InterfaceUsage {
  return {
    name: message.name ?? '',
    rxBytes: message.rxBytes?.value ?? 0,
    rxErrors: message.rxErrors?.value ?? 0,
    txBytes: message.txBytes?.value ?? 0,
    txErrors: message.txErrors?.value ?? 0,
  };
}
