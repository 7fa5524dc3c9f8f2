// What answers for a node: logs, commands, terminals and ports of its pods over HTTP, as of a kubelet.
export type { ServedNode } from './node-routes.ts';
export { NodeServer } from './node-server.ts';
