import { hostname } from 'node:os';
import { nftablesProxy, Nft } from '../../../network/index.ts';
import type { FlagValues } from '../flag.ts';
import { PROXY } from '../identities.ts';
import type { ComposedProgram, ProgramContext } from '../program.ts';
import { machineFamilies, machineProblem } from './machine.ts';
import type { ServiceProxyOptions } from './options.ts';
import { HEALTHZ_PORT } from './settings/read-settings.ts';

type Context = ProgramContext<ServiceProxyOptions>;

/** What the flags of `keelson up` ask for. */
export function serviceProxyFlags(flags: FlagValues): ServiceProxyOptions {
  return { serviceProxy: flags.isSet('service-proxy'), podRanges: flags.list('cluster-cidr') };
}

/** Checks that the machine can forward Services, before the cluster runs. */
export async function checkMachine(): Promise<Disposable> {
  const problem = await machineProblem(new Nft());
  if (problem !== undefined)
    throw new Error(`Cannot forward Services: ${problem}; --service-proxy=false leaves that to another program`);
  return { [Symbol.dispose]: () => undefined };
}

/** The proxy of the real node as a part of a cluster. Its rules stay when the cluster ends, and its next start takes them over. */
export function proxyInCluster({ options }: Context): ComposedProgram {
  const { realNode, podRanges = [] } = options;
  const part = nftablesProxy({
    node: realNode?.name ?? hostname().toLowerCase(),
    families: machineFamilies(),
    rules: { clusterCidrs: podRanges, usesNodeCidrs: true },
    healthz: { host: '0.0.0.0', port: HEALTHZ_PORT },
  });
  return { identity: PROXY, parts: [part] };
}
