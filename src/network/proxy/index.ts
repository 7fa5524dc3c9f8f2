export { nftablesProxy, type NftablesProxyOptions, type ProxyAddress } from './nftables-proxy.ts';
export { FAMILIES, type LocalMode, type RuleOptions } from './proxy-options.ts';
export { type ProxyAnswer, type ProxyQuestion, ProxyServer } from './proxy-server.ts';
export { removeRules } from './rule-writer.ts';
