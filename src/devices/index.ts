// What other folders may use: device plugins and DRA drivers on nodes.
export { draDevices } from './dra/dra-devices.ts';
export { nodeSlices } from './dra/node-slices.ts';
export { DraDrivers, type DraDriversParts, type RegisteredDriver } from './dra/dra-drivers.ts';
export { DevicePlugins, type DevicePluginsParts } from './host/device-plugins.ts';
export { DEVICE_PLUGINS, pluginDevices, withDevicePlugins, withPluginMetrics } from './host/with-device-plugins.ts';
export { DEVICE_PLUGIN_VERSION, KUBELET_SOCKET } from './host/registration-socket.ts';
export * as devicePluginProtocol from './protocol/device-plugin-v1beta1.ts';
export type { PluginMessages } from './plugin-messages.ts';
