// What other folders may use: CNI, the protocol between container runtimes and network plugins.
export { CniError } from './cni-error.ts';
export { CNI_VERSIONS, CURRENT_VERSION, isAtLeast } from './cni-version.ts';
export { isObject, type JsonObject, parseObject } from './field-reader.ts';
export { type NetworkConfiguration, parseNetworkConfiguration } from './configuration/network-configuration.ts';
export { loadNetwork, loadNetworkFile, NETWORK_FOLDER, networkFiles } from './configuration/load-network.ts';
export type * from './results/cni-result.ts';
export { convertResult, currentResult } from './results/convert-result.ts';
export { parseResult } from './results/read-result.ts';
export type { Attachment, ValidAttachment } from './running/attachment.ts';
export { cniRunner, type CniRunner } from './running/cni-runner.ts';
export { executePlugin, type PluginEnd } from './running/execute-plugin.ts';
export { parseVersions } from './running/plugin-version.ts';
export { CACHE_FOLDER } from './running/result-cache.ts';
export { NetworkNamespace } from './network-namespace.ts';
