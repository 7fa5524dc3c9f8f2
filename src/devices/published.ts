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
  type ServedDevicePlugin,
} from './kit/device-plugin.ts';
