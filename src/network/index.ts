// What other folders may use: the network of a node. One line for each part.
export * from './conntrack/index.ts';
export * from './dns/index.ts';
export * from './enforcer/index.ts';
export * from './nftables/index.ts';
export * from './policies/index.ts';
export * from './proxy/index.ts';
export * from './services/index.ts';
