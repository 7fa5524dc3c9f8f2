// The public entry point `keelson/cni`: network plugins, written in TypeScript and called from it.
export {
  cniPlugin,
  type CniPlugin,
  type CniPluginDefinition,
  type CniRequest,
  type PluginAnswer,
  type PluginCallOptions,
} from './kit/cni-plugin.ts';
export type { ConfigurationOf, ConfigurationSchema, ValidatingSchema } from './kit/configuration-schema.ts';
export type { CniCommand } from './kit/plugin-request.ts';
export { addressPool, type AddressOwner, type AddressPool, type AddressPoolOptions } from './kit/address-pool.ts';
export { CniError, type CniErrorName, type CniErrorObject, type CniErrorOptions } from './cni-error.ts';
export {
  cniRunner,
  type CniRunner,
  type CniRunnerOptions,
  type GcOptions,
  type RunOptions,
} from './running/cni-runner.ts';
export type {
  Attachment,
  Bandwidth,
  CapabilityArgs,
  IpRange,
  PortMapping,
  ValidAttachment,
} from './running/attachment.ts';
export { loadNetwork } from './configuration/load-network.ts';
export { type NetworkConfiguration, parseNetworkConfiguration } from './configuration/network-configuration.ts';
export type { PluginConfiguration } from './configuration/plugin-configuration.ts';
export { convertResult } from './results/convert-result.ts';
export type {
  CniAddress,
  CniDns,
  CniInterface,
  CniResult,
  CniResult020,
  CniResult040,
  CniRoute,
  VersionedResult,
} from './results/cni-result.ts';
