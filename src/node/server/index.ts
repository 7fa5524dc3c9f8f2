// What answers for a node: logs, commands, terminals and ports of its pods over HTTP, as of a kubelet.
export { type AccessPolicy, NodeAccess, type NodeAccessParts, type RequestGuard } from './node-access.ts';
export { NodeEndpoint, type NodeEndpointOptions } from './node-endpoint.ts';
export type { NodeAnswer, NodeRequest } from './node-request.ts';
export type { ServedNode } from './node-routes.ts';
export { alive, healthAnswer } from './health-checks.ts';
export { PlainEndpoint, type PlainEndpointOptions } from './plain-endpoint.ts';
export { NodeServer } from './node-server.ts';
export { serveCommand } from './serve-command.ts';
export { servePorts } from './serve-ports.ts';
export { type ServingOptions, type SystemLogOptions, withoutDebugging } from './serving-options.ts';
export { RuntimeError } from '../runtime/runtime-error.ts';
