// What other folders may use: reaching nodes, and what runs there, for clients of the API server.
export { type LocalConnections, NodeConnections, type NodeConnectionsOptions } from './node-connections.ts';
export { NodeProxy, type NodeProxyOptions } from './node-proxy.ts';
