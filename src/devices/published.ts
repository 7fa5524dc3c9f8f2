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
