// What other folders may use: connects the API server's clients to nodes, and to the pods and services behind them.
export type { LocalConnections } from './local-connections.ts';
export { NodeConnections, type NodeConnectionsOptions } from './node-connections.ts';
export { NodeProxy, type NodeProxyOptions } from './node-proxy.ts';
