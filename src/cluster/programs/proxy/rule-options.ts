import type { LocalMode, RuleOptions } from '../../../network/index.ts';
import type { ProxySettings } from './settings/proxy-fields.ts';

/** What the configuration says about rules. */
export function ruleOptions(settings: ProxySettings): RuleOptions {
  const { nftables, bindAddress, clusterCIDR, detectLocal, detectLocalMode, nodePortAddresses } = settings;
  const isUnspecified = bindAddress === '0.0.0.0' || bindAddress === '::';
  return {
    masqueradeBit: nftables.masqueradeBit,
    masqueradeAll: nftables.masqueradeAll,
    detectLocalMode: detectLocalMode as LocalMode, // checked with the other settings
    clusterCidrs: clusterCIDR === '' ? [] : clusterCIDR.split(','),
    bridgeInterface: detectLocal.bridgeInterface,
    interfaceNamePrefix: detectLocal.interfaceNamePrefix,
    nodePortAddresses: nodePortAddresses[0] === 'primary' ? 'primary' : nodePortAddresses,
    nodeAddress: isUnspecified ? undefined : bindAddress,
  };
}
