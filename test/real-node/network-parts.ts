import { type NameServerName, nameServers } from './name-server.ts';
import type { AgentName } from './node-agent.ts';
import { type EnforcerName, policyEnforcers } from './policy-enforcer.ts';
import { type ProxyName, serviceProxies } from './service-proxy.ts';

/** The programs of a node that make its network, besides the plugins. */
export interface NetworkParts {
  readonly proxy: ProxyName;
  readonly dns: NameServerName;
  readonly policy: EnforcerName;
}

/** The names that the flags take. */
export const NETWORK_NAMES = {
  proxy: Object.keys(serviceProxies),
  dns: Object.keys(nameServers),
  policy: Object.keys(policyEnforcers),
} as const;

/** The parts that a node with this agent has when nothing else is said: Keelson's own beside its agent, Kubernetes' beside a kubelet. */
export function defaultNetwork(agent: AgentName): NetworkParts {
  return agent === 'keelson'
    ? { proxy: 'keelson', dns: 'keelson', policy: 'keelson' }
    : { proxy: 'kube-proxy', dns: 'coredns', policy: 'none' };
}

/** Reads the flags; an Error says what is wrong with one. */
export function readNetwork(
  flags: { readonly [part in keyof NetworkParts]?: string | undefined },
  agent: AgentName,
): NetworkParts {
  const defaults = defaultNetwork(agent);
  return {
    proxy: choice('proxy', flags.proxy ?? defaults.proxy, serviceProxies),
    dns: choice('dns', flags.dns ?? defaults.dns, nameServers),
    policy: choice('policy', flags.policy ?? defaults.policy, policyEnforcers),
  };
}

/** The peers that these parts need. */
export function networkPeers({ proxy, dns, policy }: NetworkParts): readonly string[] {
  const programs = [serviceProxies[proxy], nameServers[dns], policyEnforcers[policy]];
  return programs.flatMap((program) => program?.peers ?? []);
}

function choice<Name extends string>(flag: string, text: string, entries: Readonly<Record<Name, unknown>>): Name {
  const isName = (name: string): name is Name => Object.hasOwn(entries, name);
  if (isName(text)) return text;
  throw new Error(`--${flag} must be ${Object.keys(entries).join(' or ')}, got "${text}"`);
}
