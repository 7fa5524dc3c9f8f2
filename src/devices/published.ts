// The public entry point `keelson/devices`: plugins for devices of nodes, written in TypeScript.
export { DeviceList, type PluginDevice } from './kit/device-list.ts';
export {
  type DeviceAccess,
  devicePlugin,
  type DevicePlugin,
  type DevicePluginDefinition,
  type DevicePluginOptions,
  type PluginCall,
  type PreferenceRequest,
} from './kit/device-plugin.ts';
export type { ServedDevicePlugin } from './kit/plugin-run.ts';
export type {
  AllocatedDevice,
  ClaimAccess,
  ClaimDeviceStatus,
  ClaimName,
  PrepareCall,
  UnprepareCall,
} from './kit/dra-claims.ts';
export type { AttributeValue, DraDevice, DraPool } from './kit/dra-device.ts';
export { draDriver, type DraDriver, type DraDriverDefinition, type DraDriverOptions } from './kit/dra-driver.ts';
export { DevicePools, type PoolOptions } from './kit/dra-pools.ts';
export type { ServedDraDriver } from './kit/dra-run.ts';
export { runPlugin, type RunPluginOptions } from './kit/run-plugin.ts';
