// What other folders may use: reaching nodes, and what runs there, for clients of the API server.
export { NodeConnections, type NodeConnectionsOptions } from './node-connections.ts';
export { NodeProxy } from './node-proxy.ts';
